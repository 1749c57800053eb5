"""Is a finding agreed on, and does it stay so: from the positions on it, for the detector `stance`.

Theory of operation. The figure is the mean over pairs of voices, and whoever is missing is as far from everybody as can
be. A mean drowns what matters, so what the figure cannot say is asked besides:

- On a CRITICAL or MAJOR finding one denial, or one missing voice that may hold one, leaves it open, however large the
  panel is.
- A position without a reason that joins others is a nod: it counts as missing until its speaker has kept it for
  another turn.
- Silence on a finding is no voice for it: a quorum of those who were asked about it must have taken a position.

Everything here can only fall when a turn goes missing (`best` can only rise), so that missing data never converges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.reasons import gives_no_reason
from orchestrator.core.findings.stances import (
    AUTHOR_ROLES,
    RAISING,
    VALUES,
    FindingStanding,
    Floor,
    agreement_between,
    agreement_on,
    conceded,
    stated,
    withdrawn,
)
from shared.models.assessment import Recommendation
from shared.models.findings import Finding, Position, Severity, Stance


@dataclass(frozen=True)
class FindingAgreement:
    """How far a finding is agreed on.

    `figure` is shown; `agreed` says that it is agreed as positions stand, `confirmed` that it is without nods; `best`
    is the most that those who are missing could make of it.
    """

    finding: str
    figure: float
    agreed: bool
    confirmed: bool
    best: float

    def awaits_confirmation(self, threshold: float) -> bool:
        """True when it is not settled, and may be: more would have to be said of it."""
        return not self.confirmed and self.best >= threshold


def agreement_by_figure(
    finding: Finding, floor: Floor, threshold: float, quorum: int
) -> FindingAgreement:
    """By the figure alone, as runs under the first rules are judged."""
    figure = agreement_on(finding, floor, quorum)
    agreed = figure >= threshold
    return FindingAgreement(finding.id, figure, agreed, agreed, figure)


def agreement_by_voices(
    finding: Finding, floor: Floor, threshold: float, quorum: int
) -> FindingAgreement:
    """The same with what a mean drowns."""
    standing = floor.standing(finding)
    settled = _settled(finding, floor, standing)
    figure = 1.0 if settled else agreement_between(standing, quorum)
    agreed = settled or (figure >= threshold and not _one_outweighs(finding, standing))
    nodding = frozenset(
        name
        for name in _counted_positions(standing)
        if _nods(finding, floor, name, author_later=True)
    )
    return FindingAgreement(
        finding.id,
        figure,
        agreed,
        confirmed=(settled and nodding.isdisjoint(finding.raised_by))
        or (agreed and _holds_without(nodding, finding, standing, threshold, quorum)),
        best=_best(finding, floor, standing, quorum),
    )


def _counted_positions(standing: FindingStanding) -> dict[str, Position]:
    """The positions of those who are not missing, without abstentions."""
    known = stated(standing.positions).items()
    return {name: position for name, position in known if name not in standing.missing}


def _one_outweighs(finding: Finding, standing: FindingStanding) -> bool:
    """Whether somebody denies a grave finding that others support, or is missing who might."""
    return _grave(finding) and bool(
        standing.missing or _divided(_counted_positions(standing).values())
    )


def _holds_without(
    nodding: frozenset[str],
    finding: Finding,
    standing: FindingStanding,
    threshold: float,
    quorum: int,
) -> bool:
    """Whether it is agreed on even if those who only nod were missing; of a grave one nobody may only nod."""
    if _grave(finding) and nodding:
        return False
    firm = FindingStanding(_counted_positions(standing), standing.missing | nodding)
    return agreement_between(firm, quorum) >= threshold


def _grave(finding: Finding) -> bool:
    return finding.severity.rank <= Severity.MAJOR.rank


def _divided(positions: Iterable[Position]) -> bool:
    values = [VALUES[position] for position in positions]
    return 0.0 in values and any(values)


def _settled(finding: Finding, floor: Floor, standing: FindingStanding) -> bool:
    """Conceded by the author's side, which gave a reason or kept to it, or withdrawn, while nobody is missing."""
    if standing.missing:
        return False
    lines = floor.lines_on(finding)
    if withdrawn(finding, standing.positions):
        return True
    if not conceded(lines, finding):
        return False
    author = [line.participant for line in lines if line.role in AUTHOR_ROLES][-1]
    return not _nods(finding, floor, author)


def _best(finding: Finding, floor: Floor, standing: FindingStanding, quorum: int) -> float:
    """The agreement if those who are missing all took the position that makes the most of it."""
    authors = {name for name, role in floor.voices if role in AUTHOR_ROLES}
    if _settled(finding, floor, standing) or standing.missing & (authors | {*finding.raised_by}):
        return 1.0  # had they conceded, or withdrawn
    known = _counted_positions(standing)
    if _grave(finding) and _divided(known.values()):
        return 0.0
    guesses = (
        FindingStanding({**known, **dict.fromkeys(standing.missing, position)})
        for position in (Position.AGREE, Position.PARTIAL, Position.DISAGREE)
    )
    return max(agreement_between(guess, quorum) for guess in guesses)


# ---- advice -------------------------------------------------------------------------------------


def advice(
    agrees: bool,
    stable: bool | None,
    agreements: Collection[FindingAgreement],
    threshold: float,
) -> Recommendation:
    """What the figures advise, and what more would have to be said of a finding before it holds."""
    advised = _ADVICE[agrees, stable]
    awaited = {each.finding for each in agreements if each.awaits_confirmation(threshold)}
    left_open = {each.finding for each in agreements if not each.agreed}
    if advised is Recommendation.CONVERGED and awaited:
        return Recommendation.CONFIRM
    if advised is Recommendation.STALLED and left_open and left_open <= awaited:
        return Recommendation.CONTINUE
    return advised


# Agree between one another, stable within oneself (None: nobody spoke twice in a role yet).
_ADVICE: dict[tuple[bool, bool | None], Recommendation] = {
    (True, True): Recommendation.CONVERGED,
    (True, False): Recommendation.CONFIRM,
    (True, None): Recommendation.CONFIRM,
    (False, True): Recommendation.STALLED,
    (False, False): Recommendation.CONTINUE,
    (False, None): Recommendation.CONTINUE,
}


# ---- nods ---------------------------------------------------------------------------------------


def _nods(finding: Finding, floor: Floor, name: str, *, author_later: bool = False) -> bool:
    """True when a position that joins others has no reason, and its speaker has not kept it for another turn.

    With `author_later` the author's side, which speaks in every other round, has kept it when others spoke since.
    """
    run = _same_position(finding, floor, name)
    if not run or any(_argued(line) for line in run):
        return False
    if _only_raised(finding, floor, name, run) and run[-1].position is Position.AGREE:
        return False
    return not _kept(run, floor, name, author_later=author_later)


def _only_raised(finding: Finding, floor: Floor, name: str, run: Sequence[Stance]) -> bool:
    """Whether a run is all that somebody said of what they raised; a turn that is missing may have said otherwise."""
    everything = len(run) == len(_lines_of(finding, floor, name))
    missing = floor.silent_since(name, finding.raised_in_round - 1)
    return name in finding.raised_by and everything and not missing


def _kept(run: Sequence[Stance], floor: Floor, name: str, *, author_later: bool) -> bool:
    """Whether its speaker has had another turn since a run of lines began, or for the author's side others have."""
    since = run[0].round
    if any(number > since for number in floor.rounds_of(name)):
        return True
    by_author = all(line.role in AUTHOR_ROLES for line in run)
    return author_later and by_author and floor.last_round > since


def _argued(line: Stance) -> bool:
    return line.reason == RAISING or not gives_no_reason(line.reason)


def _lines_of(finding: Finding, floor: Floor, name: str) -> list[Stance]:
    return [line for line in floor.lines_on(finding) if line.participant == name]


def _same_position(finding: Finding, floor: Floor, name: str) -> list[Stance]:
    """Somebody's last lines that state one position, back to where a turn of theirs is missing."""
    run: list[Stance] = []
    for line in reversed(_lines_of(finding, floor, name)):
        moved = run and VALUES.get(line.position) != VALUES.get(run[-1].position)
        if line.position not in VALUES or moved or (run and floor.silent_since(name, line.round)):
            break
        run.append(line)
    return run[::-1]
