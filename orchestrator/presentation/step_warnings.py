"""What a reader must know of single steps: who was missing, who spoke for somebody else, what was cut off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orchestrator.core.results import ChangeResult, ShownMatter, WorkflowResult
from orchestrator.workflows.registry import round_roles
from orchestrator.workflows.review.choices import APPLY_FIX
from shared.models.notices import Notice, NoticeParam, notice, of_column
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow
from shared.models.run import RunSpec
from shared.models.steps import StepKind


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


def is_cut(kept: WorkflowResult | ShownMatter | None, steps: Sequence[StepRow]) -> bool:
    """Whether more was found than a run's findings say: by analysers, or in a critic's answer that was shortened."""
    return bool(unlisted(kept)) or any(
        step.kind == StepKind.TURN
        and step.role == "critique"
        and _noted(step, "note_shortened", "what") is not None
        for step in steps
    )


def unlisted(kept: WorkflowResult | ShownMatter | None) -> tuple[Notice, ...]:
    """Which analysers found more than the run takes in: the rest is neither new nor resolved."""
    shares = kept.unlisted if isinstance(kept, ChangeResult | ShownMatter) else {}
    return tuple(
        notice("findings_unlisted", who=name, found=share.found, listed=share.listed)
        for name, share in shares.items()
    )


def left_out(steps: Sequence[StepRow], spec: RunSpec, *, patched: bool) -> Iterator[Notice]:
    """What analysers left out, output of theirs that no pattern fits, and a patch that is missing."""
    looks = _looks(steps)
    known, off = (sum(look.get(name, 0) for look in looks.values()) for name in ("known", "off"))
    if known:
        yield notice("known_left_out", n=known, file=_baseline(spec))
    if _rules(spec).get("known_cut"):
        yield notice("baseline_cut", file=_baseline(spec))
    if off:
        yield notice("rules_left_out", n=off)
    for name, look in looks.items():
        if look.get("unmatched"):
            yield notice("output_unmatched", who=name, line=str(look["unmatched"]))
    if spec.decision.mode == APPLY_FIX and not patched:
        yield notice("nothing_to_apply")


def _looks(steps: Sequence[StepRow]) -> dict[str, Mapping[str, Any]]:
    """What each analyser took in, in its last look."""
    replies = [(s.participant, s.reply or {}) for s in steps if s.kind == StepKind.TOOL]
    return {name: reply["coverage"] for name, reply in replies if reply.get("coverage")}


def _baseline(spec: RunSpec) -> str:
    return str(_rules(spec).get("known_from") or "")


def _rules(spec: RunSpec) -> Mapping[str, Any]:
    """What was said of the analysers' rules."""
    rules = spec.options.get("rules")
    return rules if isinstance(rules, Mapping) else {}


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
