"""The stance ledger: who stands where on which finding, and the figures that code counts from it.

Two separate figures: agreement *between* participants and stability *within* one. Whatever is missing counts
as the worst it could have been, so that an absent voice never raises either; see docs/design/convergence.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import combinations
from statistics import fmean

from orchestrator.core.findings.reasons import believed
from orchestrator.core.rounds import RoundTaken, TurnTaken, turns_by_voice
from shared.models.findings import Finding, FindingStatus, Position, Severity, Stance
from shared.models.run import NEWEST_RULES, RulesVersion

VALUES = {
    Position.AGREE: 1.0,
    Position.PARTIAL: 0.5,
    Position.DISAGREE: 0.0,
    Position.WITHDRAW: 0.0,
}
AUTHOR_ROLES = frozenset({"rebuttal", "defense"})
RAISING = "raised it"
STATED_QUORUM = 2
AGREEMENT_THRESHOLD = 0.7


class Gap(Enum):
    """A position that ought to be known and is not: the participant's turn brought nothing."""

    MISSING = "missing"


@dataclass(frozen=True)
class FindingStanding:
    """Where everybody stands on one finding; `missing` should have said and did not."""

    positions: Mapping[str, Position]
    missing: frozenset[str] = frozenset()


# ---- positions ----------------------------------------------------------------------------------


def raising_stance(
    finding: str, participant: str, round_number: int, role: str = "critique"
) -> Stance:
    """The ledger line of somebody who raised a finding, or raised it again: an implied `agree`."""
    return Stance(
        round=round_number,
        participant=participant,
        role=role,
        finding=finding,
        position=Position.AGREE,
        reason=RAISING,
    )


def _in_force(ledger: Iterable[Stance]) -> list[Stance]:
    """Lines by round; of one turn's lines on a finding what was said outranks what raising implies."""
    return sorted(ledger, key=lambda line: (line.round, line.reason != RAISING))


def _by_finding(ledger: Iterable[Stance]) -> Mapping[str, Sequence[Stance]]:
    lines: dict[str, list[Stance]] = {}
    for line in ledger:
        lines.setdefault(line.finding, []).append(line)
    return lines


def latest(ledger: Sequence[Stance], finding: Finding) -> dict[str, Position]:
    """Everybody's last stated position; those who raised the finding and said nothing else agree."""
    positions = dict.fromkeys(finding.raised_by, Position.AGREE)
    for line in _in_force(ledger):
        if line.finding == finding.id:
            positions[line.participant] = line.position
    return positions


def stated(positions: Mapping[str, Position]) -> dict[str, Position]:
    """Positions without abstentions, which are not data."""
    return {name: position for name, position in positions.items() if position in VALUES}


def conceded(ledger: Sequence[Stance], finding: Finding) -> bool:
    """True when the author's side last agreed to the finding."""
    positions = [
        line.position
        for line in _in_force(ledger)
        if line.finding == finding.id and line.role in AUTHOR_ROLES
    ]
    return bool(positions) and positions[-1] is Position.AGREE


# ---- agreement between participants -------------------------------------------------------------


def agreement_between(standing: FindingStanding, quorum: int = STATED_QUORUM) -> float:
    """1 - mean pairwise distance of the positions (agree 1, partial 0.5, disagree and withdraw 0).

    Below `quorum` stated positions the finding is undecided and counts 0. Somebody missing is as far from
    everybody as can be (distance 1).
    """
    values = [
        VALUES[position]
        for name, position in stated(standing.positions).items()
        if name not in standing.missing
    ]
    if len(values) < quorum:
        return 0.0
    near = sum(1.0 - abs(a - b) for a, b in combinations(values, 2))
    voices = len(values) + len(standing.missing)
    pairs = voices * (voices - 1) / 2
    if not pairs:
        return 1.0
    return near / pairs


def withdrawn(finding: Finding, positions: Mapping[str, Position]) -> bool:
    """True when everybody who raised it took it back and nobody else supports it."""
    supported = any(VALUES[position] > 0 for position in stated(positions).values())
    return not supported and all(
        positions.get(raiser) is Position.WITHDRAW for raiser in finding.raised_by
    )


def status_of(
    finding: Finding,
    ledger: Sequence[Stance],
    *,
    quorum: int = STATED_QUORUM,
    threshold: float = AGREEMENT_THRESHOLD,
    rules: RulesVersion = NEWEST_RULES,
) -> FindingStatus:
    """What became of the finding; the table is in docs/design/convergence.md.

    An author's concession accepts, a full withdrawal rejects. Rejecting takes everybody, including those who raised
    it. Otherwise support carries it when agreement reaches `threshold` and a majority supports it; a grave one is
    contested as long as anyone denies it, however many do not.
    """
    positions = latest(ledger, finding)
    if conceded(ledger, finding):
        return FindingStatus.ACCEPTED
    if withdrawn(finding, positions):
        return FindingStatus.REJECTED
    values = [VALUES[position] for position in stated(positions).values()]
    if len(values) < quorum:
        return FindingStatus.UNDECIDED
    if not any(values):
        return _denied_by_all(finding, positions)
    may_outvote = rules < RulesVersion.EXAMINED or finding.severity.rank > Severity.MAJOR.rank
    carried = min(values) > 0 or (may_outvote and _outvoted(positions, quorum, threshold))
    return FindingStatus.ACCEPTED if carried else FindingStatus.CONTESTED


def _denied_by_all(finding: Finding, positions: Mapping[str, Position]) -> FindingStatus:
    """An abstaining raiser has not given the finding up: others alone cannot reject it."""
    gave_up = stated(positions).keys() >= set(finding.raised_by)
    return FindingStatus.REJECTED if gave_up else FindingStatus.UNDECIDED


def _outvoted(positions: Mapping[str, Position], quorum: int, threshold: float) -> bool:
    """Whether those who support it carry it over the denials of some."""
    support = fmean(VALUES[position] for position in stated(positions).values())
    return support > 0.5 and agreement_between(FindingStanding(positions), quorum) >= threshold


def settle(
    findings: Sequence[Finding],
    ledger: Sequence[Stance],
    *,
    quorum: int = STATED_QUORUM,
    threshold: float = AGREEMENT_THRESHOLD,
    rules: RulesVersion = NEWEST_RULES,
) -> tuple[Finding, ...]:
    """The findings with their `stances` and `status` as the ledger has them now."""
    counted = believed(ledger, findings) if rules >= RulesVersion.EXAMINED else ledger
    lines = _by_finding(_in_force(counted))
    return tuple(
        finding.model_copy(
            update={
                "stances": latest(own, finding),
                "status": status_of(finding, own, quorum=quorum, threshold=threshold, rules=rules),
            }
        )
        for finding in findings
        for own in (lines.get(finding.id, ()),)
    )


# ---- with the turns that brought nothing --------------------------------------------------------

_Key = tuple[str, str, int, str]  # participant, role, round, finding
_Voice = tuple[str, str]  # participant, role
_Turn = tuple[int, bool]  # round, whether it was answered


@dataclass(frozen=True)
class Floor:
    """Rounds and ledger together: what was said in which turn, and which turns brought nothing.

    Ledger lines of unanswered turns are ignored; lines of nobody's turn (a ballot, a person) count as turns.
    """

    voices: Mapping[_Voice, tuple[_Turn, ...]]
    stated: Mapping[_Key, Position]
    lines: tuple[Stance, ...] = field(default=())
    computing: frozenset[str] = frozenset()

    @classmethod
    def of(cls, rounds: Sequence[RoundTaken], ledger: Sequence[Stance]) -> Floor:
        """Index the discussion once; every figure below reads from it."""
        turns = {
            voice: [(turn.round, turn.contribution.answered) for turn in taken]
            for voice, taken in turns_by_voice(rounds).items()
        }
        silent = _silent(turns)
        lines = tuple(
            line
            for line in _in_force(ledger)
            if (line.participant, line.role, line.round) not in silent
        )
        for line in lines:
            taken = turns.setdefault((line.participant, line.role), [])
            if line.round not in [number for number, _ in taken]:
                taken.append((line.round, True))
        return cls(
            voices={voice: tuple(sorted(taken)) for voice, taken in turns.items()},
            stated={
                (line.participant, line.role, line.round, line.finding): line.position
                for line in lines
            },
            lines=lines,
            computing=_computing(rounds),
        )

    @cached_property
    def _turns(self) -> Mapping[str, Sequence[tuple[int, str, bool]]]:
        """Everybody's turns in all their roles, in order: round, role, whether it was answered."""
        turns: dict[str, list[tuple[int, str, bool]]] = {}
        for (name, role), taken in self.voices.items():
            turns.setdefault(name, []).extend(
                (number, role, answered) for number, answered in taken
            )
        return {name: sorted(taken) for name, taken in turns.items()}

    @cached_property
    def _lines_on(self) -> Mapping[str, Sequence[Stance]]:
        return _by_finding(self.lines)

    def lines_on(self, finding: Finding) -> Sequence[Stance]:
        """What was said about the finding, in order."""
        return self._lines_on.get(finding.id, ())

    def asked(self, finding: Finding) -> frozenset[str]:
        """Who raised the finding or had a turn since; what computes has nothing to say of what others raised."""
        since = {
            name
            for name, turns in self._turns.items()
            if name not in self.computing and turns[-1][0] > finding.raised_in_round
        }
        return frozenset(since | set(finding.raised_by))

    @cached_property
    def last_round(self) -> int:
        """The number of the latest round."""
        return max((turns[-1][0] for turns in self._turns.values()), default=0)

    def rounds_of(self, name: str) -> tuple[int, ...]:
        """The rounds in which somebody had a turn."""
        return tuple(number for number, _, _ in self._turns.get(name, ()))

    def silent_since(self, name: str, after: int) -> bool:
        """Whether a turn of theirs after that round brought nothing."""
        return any(
            number > after and not answered for number, _, answered in self._turns.get(name, ())
        )

    def standing(self, finding: Finding) -> FindingStanding:
        """Everybody's position on the finding, and who is missing since they last stated one."""
        positions: dict[str, Position] = {}
        missing: set[str] = set()
        for participant in sorted(self._turns.keys() | set(finding.raised_by)):
            match self._position(finding, participant, self._turns.get(participant, ())):
                case Gap():
                    missing.add(participant)
                case Position() as position:
                    positions[participant] = position
                case None:
                    if participant in finding.raised_by:
                        positions[participant] = Position.AGREE
        return FindingStanding(positions, frozenset(missing))

    def unchanged(self, finding: Finding, voice: _Voice) -> bool | None:
        """Whether the voice's last turn restates its earlier position; None when there is nothing to compare."""
        participant, role = voice
        turns = [(number, role, answered) for number, answered in self.voices[voice]]
        now = self.stated.get((participant, role, turns[-1][0], finding.id))
        before = self._position(finding, participant, turns[:-1])
        # Raising is a position of the role it was raised in: the author's side did not speak then.
        raised = participant in finding.raised_by and turns[0][0] <= finding.raised_in_round
        if before is None and raised:
            before = Position.AGREE
        if now not in VALUES or before is None or before is Position.ABSTAIN:
            return None
        return isinstance(before, Position) and VALUES[before] == VALUES[now]

    def _position(
        self, finding: Finding, participant: str, turns: Sequence[tuple[int, str, bool]]
    ) -> Position | Gap | None:
        for number, role, answered in reversed(turns):
            if number < finding.raised_in_round:
                return None
            if not answered:
                return Gap.MISSING
            if position := self.stated.get((participant, role, number, finding.id)):
                return position
        return None


def _computing(rounds: Sequence[RoundTaken]) -> frozenset[str]:
    contributions = (each for taken in rounds for each in taken.contributions)
    return frozenset(each.participant for each in contributions if each.computes)


def _silent(turns: Mapping[_Voice, Iterable[_Turn]]) -> set[tuple[str, str, int]]:
    return {
        (*voice, number)
        for voice, taken in turns.items()
        for number, answered in taken
        if not answered
    }


def agreement_on(finding: Finding, floor: Floor, quorum: int = STATED_QUORUM) -> float:
    """`agreement_between` on the finding; 1 when concession or withdrawal settled it and nobody is missing."""
    standing = floor.standing(finding)
    if not standing.missing and (
        conceded(floor.lines_on(finding), finding) or withdrawn(finding, standing.positions)
    ):
        return 1.0
    return agreement_between(standing, quorum)


def stability_within(
    rounds: Sequence[RoundTaken], ledger: Sequence[Stance], findings: Sequence[Finding]
) -> float | None:
    """Share of unchanged positions between a participant's last two turns in one role, mean over participants.

    A pair of turns of which one is missing counts 0. None when nobody spoke twice in a role about a finding on
    which they had a position already.
    """
    floor = Floor.of(rounds, ledger)
    shares = [
        share
        for voice, turns in turns_by_voice(rounds).items()
        if len(turns) > 1 and (share := _share(floor, voice, turns, findings)) is not None
    ]
    return fmean(shares) if shares else None


def _share(
    floor: Floor, voice: _Voice, turns: Sequence[TurnTaken], findings: Sequence[Finding]
) -> float | None:
    if not all(turn.contribution.answered for turn in turns[-2:]):
        return 0.0
    compared = [
        same for finding in findings if (same := floor.unchanged(finding, voice)) is not None
    ]
    return fmean(compared) if compared else None
