"""Replies of a review's participants and tools, as workers would record them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from orchestrator.core.replay.commands import ToolRun, Turn
from shared.models.outcomes import FailureKind
from shared.models.replies import REPLY_MODELS
from shared.models.steps import Failure, StepResult
from tests.support.review_panel import PATCH

Step = Turn | ToolRun
Script = Callable[[Step], StepResult]


def reply(model: str, **fields: Any) -> StepResult:
    """A recorded reply: validated by its model and dumped as a worker dumps it."""
    parsed = REPLY_MODELS[model].model_validate(fields)
    return StepResult(reply=parsed.model_dump(mode="json", exclude_defaults=True))


def failure(kind: FailureKind = FailureKind.TIMEOUT) -> StepResult:
    """A recorded failure."""
    return StepResult(failure=Failure(kind=kind, message=f"it was {kind}"))


def finding(title: str = "eval of input", line: int = 2, **fields: Any) -> dict[str, Any]:
    """A raised finding with a reason."""
    return {
        "title": title,
        "detail": f"{title}: anybody can run code here, because the text is not checked",
        "severity": "MAJOR",
        "place": {"path": "app.py", "line": line},
        **fields,
    }


def stances(
    position: str, *findings: str, reason: str = "because of the checks", quote: str | None = None
) -> list[Any]:
    """The same position on several findings."""
    said = {"position": position, "reason": reason, "quote": quote}
    return [{"finding": f, **said} for f in findings]


def critique(
    step: Step, findings: Sequence[Mapping[str, Any]] = (), said: Sequence[Any] = ()
) -> StepResult:
    """A critique of the step's strategy."""
    return reply(step.reply_model, **critique_fields(findings, said))


def critique_fields(findings: Sequence[Mapping[str, Any]], said: Sequence[Any]) -> dict[str, Any]:
    """What a critique says."""
    verdict = "NEEDS_FIX" if findings or said else "APPROVED"
    return {"verdict": verdict, "findings": findings, "stances": said}


def finished(step: Step, patch: str = PATCH, subject: str | None = None) -> StepResult:
    """What comes after the discussion, everything going well."""
    match step.reply_model:
        case "synthesis":
            return reply("synthesis", summary="the panel's text")
        case "fix":
            return reply("fix", fixes=[{"findings": ["F1"], "patch": patch}])
        case "fixes.checked":
            assert isinstance(step, ToolRun)
            proposals: Any = step.stored_inputs()["fixes"]
            fixes = [{**fix, "problem": None} for fix in proposals]
            return reply("fixes.checked", fixes=fixes, patch=patch)
        case "tests.ran":
            return reply("tests.ran", before={"code": 0})
        case "applied":
            return reply("applied", repository="/nowhere", branch="quorate/r1", subject=subject)
    raise AssertionError(f"nobody answers {step.reply_model}")
