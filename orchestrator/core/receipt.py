"""Did the debate help? Who changed their mind, on what evidence, and what each change cost.

Answers may flip from right to wrong, so a change is worth what it rests on (arXiv 2509.05396): code looks whether
what was quoted exists in something that somebody else said or gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from pydantic import JsonValue

from orchestrator.core.quotations import SHORTEST, normalised
from orchestrator.core.spending import Heard, spent
from orchestrator.core.stances import RAISING, VALUES
from shared.models.findings import Position, Stance

GIVEN = ""  # under this name stand the texts that nobody of the panel wrote


class Evidence(StrEnum):
    """What a change of mind rests on."""

    QUOTED = "quoted"
    QUOTE_NOT_FOUND = "quote_not_found"
    REASONED = "reasoned"
    NONE = "none"


@dataclass(frozen=True)
class MindChange:
    """A participant's position on a finding became another one in a round."""

    participant: str
    finding: str
    round: int
    before: Position
    after: Position
    evidence: Evidence
    reason: str = ""
    quote: str | None = None

    def shown(self) -> dict[str, JsonValue]:
        """As a report holds it."""
        return {
            "participant": self.participant,
            "finding": self.finding,
            "round": self.round,
            "from": self.before.value,
            "to": self.after.value,
            "evidence": self.evidence.value,
            "reason": self.reason,
            "quote": self.quote,
        }


Sources = Mapping[str, Sequence[str]]  # texts by who wrote them; GIVEN for question and files


def mind_changes(ledger: Sequence[Stance], sources: Sources) -> tuple[MindChange, ...]:
    """Every change of a stated position, by round. Abstentions are no positions, disagree and withdraw are one."""
    trails: dict[tuple[str, str], dict[int, Stance]] = {}
    for line in sorted(ledger, key=lambda line: (line.round, line.reason != RAISING)):
        if line.position in VALUES:
            trails.setdefault((line.participant, line.finding), {})[line.round] = line
    changes = []
    for trail in trails.values():
        lines = list(trail.values())
        for before, after in pairwise(lines):
            if VALUES[before.position] != VALUES[after.position]:
                changes.append(_change(before, after, sources))
    return tuple(sorted(changes, key=lambda one: (one.round, one.participant, one.finding)))


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


def evidence_of(participant: str, reason: str, quote: str | None, sources: Sources) -> Evidence:
    """What somebody's words rest on; nobody proves anything by quoting themselves."""
    if quote and quote.strip():
        found = quote_occurs(
            quote, [text for who, texts in sources.items() if who != participant for text in texts]
        )
        return Evidence.QUOTED if found else Evidence.QUOTE_NOT_FOUND
    return Evidence.REASONED if reason.strip() else Evidence.NONE


def quote_occurs(quote: str, texts: Sequence[str]) -> bool:
    """True when a text holds the quotation, white space and typography aside; a sliver is none."""
    wanted = normalised(quote).strip("'\"").casefold()
    return len(wanted) >= SHORTEST and any(wanted in normalised(t).casefold() for t in texts)


def price_per(changes: int, total: float | None) -> float | None:
    """What one change cost; None without changes, or when the cost is not known."""
    return total / changes if changes and total is not None else None


def cost_of(heard: Iterable[Heard]) -> float | None:
    """What these steps cost in US dollars; None when a part of it is not known."""
    total = spent(heard)["cost_usd"]
    return float(total) if isinstance(total, int | float) else None
