"""Did the debate help? Who changed their mind, on what evidence, and what each change cost.

Answers may flip from right to wrong, so a change is worth what it rests on (arXiv 2509.05396): code looks whether
what was quoted exists in something that somebody else said or gave. Most of a debate's gain is in its first, blind
vote (arXiv 2508.17536), so that is shown beside the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from orchestrator.core.consensus.choices import PositionVote, tally
from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.turn_results import TurnResult, spent
from orchestrator.core.findings.quotations import quoted_in
from orchestrator.core.findings.stances import RAISING, VALUES
from orchestrator.core.results import FindingPositions, FindingsImpact, StanceChange, VoteChange
from shared.models.findings import Position, Stance
from shared.models.panel import Participant

_MAJORITY = 0.51


class GroundsKind(StrEnum):
    """What a change of mind rests on."""

    QUOTED = "quoted"
    QUOTE_NOT_FOUND = "quote_not_found"
    REASONED = "reasoned"
    NONE = "none"


class Impact(StrEnum):
    """What the debate did to the result: `changed` and `settled` are what one is for.

    `confirmed` could have been had for less; after `unsettled` there is no result to compare, and with `unknown`
    no first vote to compare it with.
    """

    CHANGED = "changed"
    SETTLED = "settled"
    CONFIRMED = "confirmed"
    CONFIRMED_AFTER_CHANGES = "confirmed_after_changes"
    UNSETTLED = "unsettled"
    UNKNOWN = "unknown"


def impact(first: str | None, final: str | None, *, changes: bool) -> Impact:
    """What became of the first vote; None is a vote that led nowhere, or a debate without a result."""
    if final is None:
        return Impact.UNSETTLED
    if first is None:
        return Impact.SETTLED
    if first != final:
        return Impact.CHANGED
    return Impact.CONFIRMED_AFTER_CHANGES if changes else Impact.CONFIRMED


# ---- changes of mind ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sources:
    """What may be quoted.

    `given` says of a quotation whether it occurs in what the panel was given; `by_author` are the panel's own texts by
    who wrote them. `missing` are those with a turn that brought nothing: nobody can look up what it said.
    """

    given: Callable[[str], bool]
    by_author: Mapping[str, Sequence[str]]
    missing: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        given: Callable[[str], bool],
        spoken: Iterable[tuple[str, str]],
        missing: frozenset[str] = frozenset(),
    ) -> Sources:
        """Spoken texts come with the name of their speaker."""
        texts: dict[str, list[str]] = {}
        for name, text in spoken:
            texts.setdefault(name, []).append(text)
        return cls(given, texts, missing)

    def found(self, quote: str, by: str) -> bool | None:
        """`hold`, or None where nobody can tell: it may be from a turn of somebody else that is missing."""
        if self.hold(quote, by):
            return True
        return None if self.missing - {by} else False

    def hold(self, quote: str, by: str) -> bool:
        """True when it occurs in what was given or somebody else said; nobody proves anything by quoting themselves."""
        if self.given(quote):
            return True
        others = (texts for name, texts in self.by_author.items() if name != by)
        return quoted_in(quote, chain.from_iterable(others))


@dataclass(frozen=True)
class MindChange:
    """A participant's position on a finding became another one in a round."""

    participant: str
    finding: str
    round: int
    before: Position
    after: Position
    evidence: GroundsKind
    reason: str = ""
    quote: str | None = None

    def shown(self, label: Callable[[str], str] = str) -> StanceChange:
        """As a result holds it; `label` gives a finding's name in the whole run."""
        return StanceChange(
            participant=self.participant,
            finding=label(self.finding),
            round=self.round,
            before=self.before.value,
            after=self.after.value,
            evidence=self.evidence.value,
            reason=self.reason,
            quote=self.quote,
        )


_Trail = list[Stance]  # one participant's stated positions on one finding, by round


def mind_changes(ledger: Sequence[Stance], sources: Sources) -> tuple[MindChange, ...]:
    """Every change of a stated position, by round. Abstentions are not positions; disagree and withdraw are one."""
    changes = [
        _change(before, after, sources)
        for trail in _trails(ledger).values()
        for before, after in pairwise(trail)
        if VALUES[before.position] != VALUES[after.position]
    ]
    return tuple(
        sorted(changes, key=lambda change: (change.round, change.participant, change.finding))
    )


def _trails(ledger: Sequence[Stance]) -> dict[tuple[str, str], _Trail]:
    """Trails by finding and participant."""
    by_round: dict[tuple[str, str], dict[int, Stance]] = {}
    for line in sorted(ledger, key=lambda line: (line.round, line.reason != RAISING)):
        if line.position in VALUES:
            by_round.setdefault((line.finding, line.participant), {})[line.round] = line
    return {key: list(lines.values()) for key, lines in by_round.items()}


def _change(before: Stance, after: Stance, sources: Sources) -> MindChange:
    reason = "" if after.reason == RAISING else after.reason
    return MindChange(
        participant=after.participant,
        finding=after.finding,
        round=after.round,
        before=before.position,
        after=after.position,
        evidence=evidence_of(after.participant, reason, after.quote, sources),
        reason=reason,
        quote=after.quote,
    )


def evidence_of(participant: str, reason: str, quote: str | None, sources: Sources) -> GroundsKind:
    """What somebody's words rest on."""
    if quote and quote.strip():
        holds = sources.hold(quote, participant)
        return GroundsKind.QUOTED if holds else GroundsKind.QUOTE_NOT_FOUND
    return GroundsKind.REASONED if reason.strip() else GroundsKind.NONE


# ---- a debate about findings --------------------------------------------------------------------


@dataclass(frozen=True)
class CriticsVote:
    """A critic's own verdict in a round, in its reply's word."""

    participant: str
    round: int
    verdict: str


@dataclass(frozen=True)
class FindingsDebate:
    """A debate about findings as its impact is measured.

    `verdict` is what code derived at the end, in the word of the critics' verdicts (None: nothing); `label` gives a
    finding's name in the whole run.
    """

    critics: Sequence[Participant]
    history: History
    verdict: str | None
    sources: Sources
    label: Callable[[str], str]

    @property
    def votes(self) -> tuple[CriticsVote, ...]:
        """The critics' verdicts, in order."""
        return tuple(
            CriticsVote(contribution.participant, contribution.round, contribution.verdict)
            for contribution in self.history.contributions
            if contribution.verdict is not None
        )


def debate_impact(
    debate: FindingsDebate, *, review: int | None = None, version: int | None = None
) -> FindingsImpact:
    """First votes and last, everybody's first and last position on every finding, changes of mind, and their price."""
    changes = mind_changes(debate.history.ledger, debate.sources)
    changed = {change.finding for change in changes}
    first = {vote.participant: vote.verdict for vote in debate.votes if vote.round == 1}
    last = {vote.participant: vote.verdict for vote in debate.votes}
    leading = leading_vote(debate.critics, first)
    moved = _changed_votes(debate, first, last)
    after = cost_of(debate.history.debate)
    return FindingsImpact(
        review=review,
        version=version,
        first_votes_blind=True,
        first_votes=first,
        last_votes=last,
        first_leading=leading,
        verdict=debate.verdict,
        helped=impact(leading, debate.verdict, changes=bool(changes)).value,
        findings=_positions(debate),
        changed_votes=moved,
        changes=tuple(change.shown(debate.label) for change in changes),
        changed_findings=len(changed),
        first_round=spent(debate.history.blind),
        debate=spent(debate.history.debate),
        cost_per_changed_vote=price_per(len(moved), after),
        cost_per_changed_finding=price_per(len(changed), after),
    )


# The strongest evidence first.
_STRENGTH = (
    GroundsKind.QUOTED,
    GroundsKind.REASONED,
    GroundsKind.QUOTE_NOT_FOUND,
    GroundsKind.NONE,
)


def _changed_votes(
    debate: FindingsDebate, first: Mapping[str, str], last: Mapping[str, str]
) -> tuple[VoteChange, ...]:
    """Those whose last vote differs from their first, with the best grounds of the positions in that round."""
    changed = {name: before for name, before in first.items() if last[name] != before}
    return tuple(_vote_change(debate, name, before, last[name]) for name, before in changed.items())


def _vote_change(debate: FindingsDebate, name: str, before: str, after: str) -> VoteChange:
    number = next(
        vote.round
        for vote in debate.votes
        if vote.participant == name and vote.round > 1 and vote.verdict != before
    )
    evidence, line = _best_grounds(debate, name, number)
    return VoteChange(
        participant=name,
        before=before,
        after=after,
        round=number,
        evidence=evidence.value,
        reason="" if line is None else line.reason,
        quote=None if line is None else line.quote,
    )


def _best_grounds(
    debate: FindingsDebate, name: str, number: int
) -> tuple[GroundsKind, Stance | None]:
    grounds = [
        (evidence_of(name, line.reason, line.quote, debate.sources), line)
        for line in debate.history.ledger
        if (line.participant, line.round) == (name, number) and line.reason != RAISING
    ]
    nothing: tuple[GroundsKind, Stance | None] = (GroundsKind.NONE, None)
    return min(grounds, key=lambda pair: _STRENGTH.index(pair[0]), default=nothing)


def _positions(debate: FindingsDebate) -> tuple[FindingPositions, ...]:
    """Every finding with everybody's first and last stated position on it."""
    by_finding: dict[str, dict[str, list[Stance]]] = {}
    for (about, participant), trail in _trails(debate.history.ledger).items():
        by_finding.setdefault(about, {})[participant] = trail
    rows = []
    for finding in debate.history.findings:
        own = by_finding.get(finding.id, {})
        rows.append(
            FindingPositions(
                finding=debate.label(finding.id),
                title=finding.title,
                severity=finding.severity,
                status=finding.status,
                raised_in_round=finding.raised_in_round,
                first={participant: trail[0].position.value for participant, trail in own.items()},
                last={participant: trail[-1].position.value for participant, trail in own.items()},
            )
        )
    return tuple(rows)


def leading_vote(voters: Sequence[Participant], votes: Mapping[str, str]) -> str | None:
    """The word that most independent voices gave; None without votes, or when two words share the lead."""
    cast: dict[str, PositionVote | None] = {
        name: PositionVote(word) for name, word in votes.items()
    }
    words = list(dict.fromkeys(votes.values()))
    return tally(voters, cast, words, threshold=_MAJORITY, quorum=1).leading


# ---- money --------------------------------------------------------------------------------------


def price_per(changes: int, total: float | None) -> float | None:
    """What one change cost; None without changes, or when the cost is not known."""
    return total / changes if changes and total is not None else None


def cost_of(results: Iterable[TurnResult]) -> float | None:
    """What these steps cost in US dollars; None when a part of it is not known."""
    return spent(results).cost_usd
