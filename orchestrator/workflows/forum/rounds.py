"""A forum's rounds as they can be seen, of steps or of an outcome: who asked for the floor, who got it and spoke."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.core.views.context import why_failed
from orchestrator.workflows.forum.result import ForumResult
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.notices import Notice
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow


@dataclass(frozen=True)
class BidSeen:
    """A floor request: `asks` is None while it is open, `missing` says why there is none."""

    participant: str
    asks: bool | None
    reason: str = ""
    missing: Notice | None = None

    @property
    def sign(self) -> str:
        """A raised hand, a sleeper, a warning, or nothing yet."""
        if self.missing is not None:
            return "⚠"
        return {True: "✋", False: "💤", None: "…"}[self.asks]


@dataclass(frozen=True)
class RoundSeen:
    """One round so far."""

    number: int
    bids: tuple[BidSeen, ...]
    selected: str | None = None
    by_rule: bool = False
    said: str = ""
    speech: str | None = None
    silent: Notice | None = None
    reminded: bool = False

    @property
    def signs(self) -> str:
        """`Claude: ✋  Gemini: 💤`"""
        return "  ".join(f"{bid.participant}: {bid.sign}" for bid in self.bids)

    @property
    def asking(self) -> tuple[str, ...]:
        """Who asked for the floor."""
        return tuple(bid.participant for bid in self.bids if bid.asks)


def rounds_of_steps(steps: Iterable[StepRow]) -> tuple[RoundSeen, ...]:
    """The rounds of a forum that goes on (or is over)."""
    rows: dict[int, list[StepRow]] = {}
    for step in steps:
        if step.role in (ForumRole.BID, ForumRole.SELECTION, ForumRole.SPEECH):
            rows.setdefault(step.round, []).append(step)
    return tuple(_round_of_steps(number, found) for number, found in rows.items())


def _round_of_steps(number: int, steps: list[StepRow]) -> RoundSeen:
    bids = tuple(_bid(step) for step in steps if step.role == ForumRole.BID)
    selection = next((step for step in steps if step.role == ForumRole.SELECTION), None)
    speech = next((step for step in steps if step.role == ForumRole.SPEECH), None)
    wish = (selection.reply or {}) if selection is not None else {}
    selected = None if speech is None else speech.participant
    wished = str(wish.get("speaker") or "").casefold()
    return RoundSeen(
        number=number,
        bids=bids,
        selected=selected,
        by_rule=selected is not None and selected.casefold() != wished,
        said=str(wish.get("reason") or ""),
        speech=None if speech is None or speech.reply is None else str(speech.reply.get("speech")),
        silent=None if speech is None else why_failed(speech),
    )


def _bid(step: StepRow) -> BidSeen:
    missing = why_failed(step)
    if missing is not None or step.status != StepStatus.DONE:
        return BidSeen(step.participant, None, missing=missing)
    reply = step.reply or {}
    return BidSeen(
        step.participant, reply.get("action") == "REQUEST", str(reply.get("reason") or "")
    )


def rounds_of_result(result: ForumResult) -> tuple[RoundSeen, ...]:
    """The rounds of a forum that is over."""
    return tuple(
        RoundSeen(
            number=held.number,
            bids=tuple(
                BidSeen(bid.participant, bid.action == "REQUEST", bid.reason, bid.missing)
                for bid in held.bids
            ),
            selected=held.selected,
            by_rule=held.selected_by == "rule",
            said=held.orchestrator_said,
            speech=held.speech,
            reminded=held.reminded,
        )
        for held in result.rounds
    )
