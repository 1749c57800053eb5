"""A forum's rounds as its steps show them, while it goes on: who asks for the floor, who has it and speaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.core.views.context import why_failed
from orchestrator.workflows.forum.floor import match_name
from orchestrator.workflows.forum.result import BY_RULE, FloorRound, RecordedBid
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow


def rounds_of_steps(steps: Iterable[StepRow]) -> tuple[FloorRound, ...]:
    """The rounds so far."""
    rows: dict[int, list[StepRow]] = {}
    for step in steps:
        if step.role in (ForumRole.BID, ForumRole.SELECTION, ForumRole.SPEECH):
            rows.setdefault(step.round, []).append(step)
    return tuple(_round(number, own) for number, own in rows.items())


def _round(number: int, steps: Sequence[StepRow]) -> FloorRound:
    bids = tuple(_bid(step) for step in steps if step.role == ForumRole.BID)
    selection, speech = _first(steps, ForumRole.SELECTION), _first(steps, ForumRole.SPEECH)
    asked = FloorRound(number=number, bids=bids, orchestrator_said=_field(selection, "reason"))
    if speech is None:
        return asked
    wished = match_name(_field(selection, "speaker"), [bid.participant for bid in bids])
    spoken = {
        "selected": speech.participant,
        "selected_by": "orchestrator" if wished == speech.participant else BY_RULE,
        "speech": _field(speech, "speech") or None,
    }
    return asked.model_copy(update=spoken)


def _first(steps: Sequence[StepRow], role: ForumRole) -> StepRow | None:
    return next((step for step in steps if step.role == role), None)


def _field(step: StepRow | None, name: str) -> str:
    reply = step.reply if step else None
    return str((reply or {}).get(name) or "")


def _bid(step: StepRow) -> RecordedBid:
    missing = why_failed(step)
    if missing is not None or step.status != StepStatus.DONE:
        return RecordedBid(participant=step.participant, action="", missing=missing)
    return bid_of(step)


def bid_of(step: StepRow) -> RecordedBid:
    """The answer of a turn that is over."""
    reply = step.reply or {}
    action, reason = str(reply.get("action") or "PASS"), str(reply.get("reason") or "")
    return RecordedBid(participant=step.participant, action=action, reason=reason)
