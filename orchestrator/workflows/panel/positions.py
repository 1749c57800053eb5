"""From what debaters say to points with stances on them.

A position is a debater's answer, a point a claim that it rests on. Both are findings to the core. Two texts are one
position only when they are the same letter by letter (`letters`: case, spacing and idle punctuation aside): "we
should" and "we should not" read alike, and a false match would be a false agreement. What says the same in other
words is said so in stances and ballots. Anyone who takes a position other than before has withdrawn from the former
one, and anyone who holds one and has said nothing about another counts against the other: two camps that ignore each
other do not agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from orchestrator.core.discussion.impact import Sources
from orchestrator.core.findings.evidence import is_unproven, not_counted, not_found
from orchestrator.core.findings.likeness import letters
from orchestrator.core.findings.merging import with_caveat
from orchestrator.core.findings.quotations import GivenTexts, too_short
from orchestrator.core.findings.stances import VALUES, raising_stance
from orchestrator.core.rounds import RoundTaken, ever_absent
from orchestrator.workflows.panel.context import POINT, POSITION, WEIGHTS, PanelContext
from orchestrator.workflows.panel.result import PanelStatement
from orchestrator.workflows.panel.roles import PanelRole
from shared.models.findings import Finding, Position, Severity, Stance
from shared.models.planning import MAX_POINTS, Argument, OpeningVote
from shared.patterns import regex

ROLE = PanelRole.ARGUMENT.value
RIVAL = "holds another position"
_ID = regex(r"\W*(P\d+)(?!\w)", re.IGNORECASE)


Quoted = tuple[str, str | None]  # a name, and the quotation


@dataclass(frozen=True)
class Read:
    """What a round said: all points known now, the ledger's new lines, and the position that each holds.

    `quotes` are the quotations with which points were put forward, by point; None for a claim without one.
    """

    points: tuple[Finding, ...]
    stances: tuple[Stance, ...]
    holds: Mapping[str, str]
    quotes: Mapping[str, Sequence[Quoted]]


@dataclass(frozen=True)
class StatedClaim:
    """A position or a point as somebody puts it forward."""

    category: str
    text: str
    detail: str = ""
    quote: str | None = None


class _Table:
    """The points on the table while one round is read; speakers could refer to those known before only."""

    def __init__(self, known: Sequence[Finding], number: int) -> None:
        self.points = {point.id: point for point in known}
        self.quotes: dict[str, list[Quoted]] = {}
        self._referable = frozenset(self.points)
        self._by_text = {(point.category, letters(point.title)): point.id for point in known}
        self._number = number

    def knows(self, identity: str) -> bool:
        return identity in self._referable

    def place(self, name: str, claim: StatedClaim) -> str:
        """The id of the claim: a known one that it names or repeats, or a new one."""
        named = _ID.match(claim.text)
        if named is not None:
            identity = named[1].upper()
            if identity in self._referable and self.points[identity].category == claim.category:
                return identity
        return self._put(name, claim)

    def _put(self, name: str, claim: StatedClaim) -> str:
        key = (claim.category, letters(claim.text))
        known = self._by_text.get(key)
        if known is None:
            identity = f"P{len(self.points) + 1}"
            self._by_text[key] = identity
            self.points[identity] = _new(identity, name, claim, self._number)
            self.quotes[identity] = [(name, claim.quote)]
            return identity
        self.quotes.setdefault(known, []).append((name, claim.quote))
        point = self.points[known]
        raisers = dict.fromkeys((*point.raised_by, name))
        self.points[known] = point.model_copy(update={"raised_by": tuple(raisers)})
        return known


def _new(identity: str, name: str, claim: StatedClaim, number: int) -> Finding:
    return Finding(
        id=identity,
        title=claim.text,
        detail=claim.detail,
        severity=WEIGHTS[claim.category],
        category=claim.category,
        raised_by=(name,),
        raised_in_round=number,
        stances={name: Position.AGREE},
    )


def read_round(
    known: Sequence[Finding],
    replies: Mapping[str, Argument | OpeningVote],
    number: int,
    held_before: Mapping[str, str],
) -> Read:
    """Read a round's replies in the order in which they were given."""
    table = _Table(known, number)
    stances: list[Stance] = []
    holds: dict[str, str] = {}
    for name, reply in replies.items():
        holds[name] = table.place(name, StatedClaim(POSITION, reply.position))
        raised = [holds[name], *(table.place(name, claim) for claim in _claims(reply))]
        stances += _lines(table, (name, reply), number, raised, held_before.get(name))
    return Read(tuple(table.points.values()), tuple(stances), holds, table.quotes)


def _claims(reply: Argument | OpeningVote) -> list[StatedClaim]:
    if not isinstance(reply, Argument):
        return []
    return [
        StatedClaim(POINT, point.claim, point.evidence, point.quote)
        for point in reply.points[:MAX_POINTS]
    ]


def _lines(
    table: _Table,
    spoken: tuple[str, Argument | OpeningVote],
    number: int,
    raised: Sequence[str],
    before: str | None,
) -> list[Stance]:
    """One line per point: what was stated explicitly counts before what a position implies."""
    name, reply = spoken
    lines: dict[str, Stance] = {}
    if isinstance(reply, Argument):
        for stated in reply.stances:
            identity = stated.finding.strip().upper()
            if table.knows(identity):
                lines[identity] = Stance(
                    round=number,
                    participant=name,
                    role=ROLE,
                    finding=identity,
                    position=stated.position,
                    reason=stated.reason,
                    quote=stated.quote,
                )
    for identity in raised:
        lines.setdefault(identity, _implied(reply, name, number, identity, Position.AGREE))
    if before is not None and before not in raised:
        lines.setdefault(before, _implied(reply, name, number, before, Position.WITHDRAW))
    return list(lines.values())


def _implied(
    reply: Argument | OpeningVote, name: str, number: int, identity: str, position: Position
) -> Stance:
    line = raising_stance(identity, name, number, ROLE)
    because = reply.changed_because if isinstance(reply, Argument) else ""
    quote = reply.quote if isinstance(reply, Argument) else None
    if position is Position.AGREE and not because:
        return line
    return line.model_copy(update={"position": position, "reason": because, "quote": quote})


def with_rivals(
    points: Sequence[Finding], ledger: Sequence[Stance], holds: Mapping[str, str], number: int
) -> tuple[Stance, ...]:
    """The ledger as it counts after a round: with a `disagree` for each position that its speakers pass over.

    These lines are worked out again after each round and never written down: nobody said them.
    """
    stated = {(line.participant, line.finding) for line in ledger if line.position in VALUES}
    rivals = tuple(
        Stance(
            round=number,
            participant=name,
            role=ROLE,
            finding=point.id,
            position=Position.DISAGREE,
            reason=RIVAL,
        )
        for point in points
        if point.category == POSITION
        for name, position in holds.items()
        if position != point.id and (name, point.id) not in stated
    )
    return (*ledger, *rivals)


# ---- quotations ---------------------------------------------------------------------------------


def sources(
    context: PanelContext,
    statements: Iterable[PanelStatement],
    points: Iterable[Finding],
    rounds: Sequence[RoundTaken],
) -> Sources:
    """Question, files, everybody's arguments and points, and whose are missing."""
    arguments = (
        (statement.participant, f"{statement.position}\n{statement.argument}")
        for statement in statements
    )
    raised = (
        (name, f"{point.title}\n{point.detail}") for point in points for name in point.raised_by
    )
    given = GivenTexts.of(context.prompts.question, context.document)
    return Sources.of(given.hold, chain(arguments, raised), ever_absent(rounds))


def checked(
    points: Sequence[Finding],
    known: Sequence[Finding],
    quotes: Mapping[str, Sequence[Quoted]],
    quotable: Sources,
) -> tuple[Finding, ...]:
    """The points of a round, each with a quotation that exists or none.

    One that rests on invented quotations alone has no weight until somebody shows a real one. Nobody takes the weight
    from another's point by repeating it with an invented quotation.
    """
    before = {point.id: point for point in known}
    return tuple(
        _checked(point, before.get(point.id), quotes[point.id], quotable)
        if point.category == POINT and point.id in quotes and not point.quote
        else point
        for point in points
    )


def _checked(
    point: Finding, before: Finding | None, quotes: Sequence[Quoted], quotable: Sources
) -> Finding:
    looked_up = [(quote, quotable.found(quote, name)) for name, quote in quotes if quote]
    real = next((quote for quote, there in looked_up if there), None)
    if real is not None:
        return point.model_copy(update={"severity": WEIGHTS[POINT], "quote": real})
    invented = [there for quote, there in looked_up if not too_short(quote)]
    if _stands_without(before, len(invented), len(quotes)):
        return point
    lowered = point.model_copy(update={"severity": Severity.INFO})
    why = not_found(None if None in invented else False)
    return with_caveat(lowered, not_counted(WEIGHTS[POINT], point.raised_by, why))


def _stands_without(before: Finding | None, invented: int, raised: int) -> bool:
    """Whether a point has its weight already, or from somebody who invented no quotation."""
    return invented == 0 or (invented < raised if before is None else not is_unproven(before))


def newly_weighty(points: Sequence[Finding], known: Sequence[Finding]) -> int:
    """How many points with weight a round brought, those that it proved among them."""
    before = {point.id for point in known if not is_unproven(point)}
    return sum(point.id not in before and not is_unproven(point) for point in points)
