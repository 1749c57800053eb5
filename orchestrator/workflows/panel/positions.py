"""From what debaters say to points with stances on them.

A position is a debater's answer, a point a claim that it rests on. Both are findings to the core. Two texts are one
position only when they are the same letter by letter (`letters`: case, spacing and idle punctuation aside): "we should"
and "we should not" read alike, and a false match would be a false agreement. What says the same in other words is said
so in stances and ballots. Who takes another position than before has withdrawn from that one, and who holds one and has
said nothing about another counts against that: two camps that ignore each other do not agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.likeness import letters
from orchestrator.core.findings.stances import VALUES, raising_stance
from orchestrator.workflows.panel.context import POINT, POSITION, WEIGHTS
from orchestrator.workflows.panel.roles import PanelRole
from shared.models.findings import Finding, Position, Stance
from shared.models.planning import MAX_POINTS, Argument, OpeningVote

ROLE = PanelRole.ARGUMENT.value
RIVAL = "holds another position"
_ID = re.compile(r"\W*(P\d+)(?!\w)", re.IGNORECASE)


Quoted = tuple[str, str | None]  # who, and the quotation


@dataclass(frozen=True)
class Read:
    """What a round said: all points known now, the ledger's new lines, who holds what.

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
        self.points = {one.id: one for one in known}
        self.quotes: dict[str, list[Quoted]] = {}
        self._referable = frozenset(self.points)
        self._by_text = {(one.category, letters(one.title)): one.id for one in known}
        self._number = number

    def knows(self, identity: str) -> bool:
        return identity in self._referable

    def place(self, who: str, claim: StatedClaim) -> str:
        """The id of the claim: a known one that it names or repeats, or a new one."""
        named = _ID.match(claim.text)
        if named is not None:
            identity = named[1].upper()
            if identity in self._referable and self.points[identity].category == claim.category:
                return identity
        return self._put(who, claim)

    def _put(self, who: str, claim: StatedClaim) -> str:
        key = (claim.category, letters(claim.text))
        known = self._by_text.get(key)
        if known is None:
            identity = f"P{len(self.points) + 1}"
            self._by_text[key] = identity
            self.points[identity] = _new(identity, who, claim, self._number)
            self.quotes[identity] = [(who, claim.quote)]
            return identity
        self.quotes.setdefault(known, []).append((who, claim.quote))
        point = self.points[known]
        raisers = dict.fromkeys((*point.raised_by, who))
        self.points[known] = point.model_copy(update={"raised_by": tuple(raisers)})
        return known


def _new(identity: str, who: str, claim: StatedClaim, number: int) -> Finding:
    return Finding(
        id=identity,
        title=claim.text,
        detail=claim.detail,
        severity=WEIGHTS[claim.category],
        category=claim.category,
        raised_by=(who,),
        raised_in_round=number,
        stances={who: Position.AGREE},
    )


def read_round(
    known: Sequence[Finding],
    said: Sequence[tuple[str, Argument | OpeningVote]],
    number: int,
    held_before: Mapping[str, str],
) -> Read:
    """Read a round's replies in the order in which they were given."""
    table = _Table(known, number)
    stances: list[Stance] = []
    holds: dict[str, str] = {}
    for who, reply in said:
        holds[who] = table.place(who, StatedClaim(POSITION, reply.position))
        raised = [holds[who], *(table.place(who, claim) for claim in _claims(reply))]
        stances += _lines(table, (who, reply), number, raised, held_before.get(who))
    return Read(tuple(table.points.values()), tuple(stances), holds, table.quotes)


def _claims(reply: Argument | OpeningVote) -> list[StatedClaim]:
    if not isinstance(reply, Argument):
        return []
    return [
        StatedClaim(POINT, one.claim, one.evidence, one.quote) for one in reply.points[:MAX_POINTS]
    ]


def _lines(
    table: _Table,
    spoken: tuple[str, Argument | OpeningVote],
    number: int,
    raised: Sequence[str],
    before: str | None,
) -> list[Stance]:
    """One line a point: what was said in so many words counts before what a position implies."""
    who, reply = spoken
    lines: dict[str, Stance] = {}
    if isinstance(reply, Argument):
        for stated in reply.stances:
            identity = stated.finding.strip().upper()
            if table.knows(identity):
                lines[identity] = Stance(
                    round=number,
                    participant=who,
                    role=ROLE,
                    finding=identity,
                    position=stated.position,
                    reason=stated.reason,
                    quote=stated.quote,
                )
    for identity in raised:
        lines.setdefault(identity, _implied(reply, who, number, identity, Position.AGREE))
    if before is not None and before not in raised:
        lines.setdefault(before, _implied(reply, who, number, before, Position.WITHDRAW))
    return list(lines.values())


def _implied(
    reply: Argument | OpeningVote, who: str, number: int, identity: str, position: Position
) -> Stance:
    line = raising_stance(identity, who, number, ROLE)
    because = reply.changed_because if isinstance(reply, Argument) else ""
    quote = reply.quote if isinstance(reply, Argument) else None
    if position is Position.AGREE and not because:
        return line
    return line.model_copy(update={"position": position, "reason": because, "quote": quote})


def with_rivals(
    points: Sequence[Finding], ledger: Sequence[Stance], holds: Mapping[str, str], number: int
) -> tuple[Stance, ...]:
    """The ledger as it counts after a round: with a `disagree` for each position that its speakers pass over.

    These lines are worked out anew after each round and never written down: nobody said them.
    """
    stated = {(line.participant, line.finding) for line in ledger if line.position in VALUES}
    rivals = tuple(
        Stance(
            round=number,
            participant=who,
            role=ROLE,
            finding=point.id,
            position=Position.DISAGREE,
            reason=RIVAL,
        )
        for point in points
        if point.category == POSITION
        for who, held in holds.items()
        if held != point.id and (who, point.id) not in stated
    )
    return (*ledger, *rivals)
