"""What a reader must know of single steps: who was missing, who spoke for somebody else, what was cut off."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.workflows.registry import round_roles
from shared.models.notices import Notice, NoticeParam, notice, of_column
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow


def stood_in(steps: Sequence[StepRow]) -> tuple[Notice, ...]:
    """Whose turns another participant took, so that nobody takes the answer for theirs."""
    spoken = ((step.participant, _noted(step, "note_spoken_by", "who")) for step in steps)
    pairs = dict.fromkeys((name, str(speaker)) for name, speaker in spoken if speaker is not None)
    return tuple(notice("stood_in", who=name, other=speaker) for name, speaker in pairs)


def answers_shortened(steps: Sequence[StepRow]) -> tuple[Notice, ...]:
    """Of whose answers something was left out, and what."""
    found = ((step, _noted(step, "note_shortened", "what")) for step in steps)
    return tuple(
        notice("shortened", who=step.participant, role=step.role, what=what)
        for step, what in found
        if what is not None
    )


def absence(step: StepRow, steps: Sequence[StepRow]) -> Notice:
    """That a step has failed; of a turn of a round also how many of those who were asked answered."""
    why = notice("failure", kind=step.failure_kind, message=of_column(step.failure_message))
    if step.role not in round_roles():
        return notice("work_failed", role=step.role, who=step.participant, why=why)
    prefix = step.key.removesuffix(step.participant)
    asked = [other for other in steps if other.key.startswith(prefix)]
    answered = sum(other.status == StepStatus.DONE for other in asked)
    return notice(
        "abstained",
        who=step.participant,
        round=step.round,
        answered=answered,
        asked=len(asked),
        why=why,
    )


def _noted(step: StepRow, code: str, name: str) -> NoticeParam:
    """A parameter of one of the notices in a step's note; None without it."""
    note = of_column(step.note)
    parts = note.params.get("parts") if note is not None else None
    every = parts if isinstance(parts, tuple) else ()
    fitting = (noted for noted in every if isinstance(noted, Notice) and noted.code == code)
    return next((noted.params.get(name) for noted in fitting), None)
