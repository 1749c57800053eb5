"""How a review is followed: its phases, its rounds, what is raised in them, and what becomes of the fixes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.views.context import took_s
from orchestrator.core.views.live import (
    LiveView,
    RenderContext,
    Reply,
    Station,
    answered,
    headed,
    note,
)
from orchestrator.core.wording import id_ranges
from orchestrator.workflows.review.roles import ReviewRole
from shared.models.review_replies import Applied, CheckedFix, CheckedFixes, FixProposal
from shared.models.rows import StepRow

OFFERED, EVIDENCE = "fixes/check", "patches/check"
"""How the keys of checks end: of patches that are put to a person, and of those that only support a finding."""


def fix_written(step: StepRow, reply: Reply, context: RenderContext) -> Sequence[Line]:
    """For which findings the author's side has written a patch."""
    fixes = FixProposal.model_validate(reply).fixes
    names = _names(step, chain.from_iterable(fix.findings for fix in fixes))
    code, took = "fix_came" if names else "fix_missing", took_s(step) or 0.0
    text = context.message(code, who=step.participant, findings=names, s=took)
    return [line(text, note(step, context))]


def check_begins(group: Sequence[StepRow], names: str, context: RenderContext) -> Sequence[Line]:
    """Patches are tried; nothing is said of those that nobody is offered."""
    if group[0].key.endswith(EVIDENCE):
        return []
    return headed(context.message("starts", role=context.role(group[0].role), who=names))


def fixes_tried(step: StepRow, reply: Reply, context: RenderContext) -> Sequence[Line]:
    """Which patches apply to the reviewed state, and why the others do not; evidence is offered to nobody."""
    if step.key.endswith(EVIDENCE):
        return []
    if not step.key.endswith(OFFERED):
        return answered(step, reply, context)
    fixes = CheckedFixes.model_validate(reply).fixes
    good: dict[str, list[CheckedFix]] = {}
    for fix in fixes:
        if fix.problem is None:
            good.setdefault(fix.source, []).append(fix)
    broken = [_broken(step, fix, context) for fix in fixes if fix.problem is not None]
    return [*(_applying(step, source, each, context) for source, each in good.items()), *broken]


def _applying(
    step: StepRow, source: str, fixes: Sequence[CheckedFix], context: RenderContext
) -> Line:
    """All patches of one author in a line: a linter may have hundreds."""
    findings = _names(step, chain.from_iterable(fix.findings for fix in fixes))
    return line(context.message("fix_applies", who=source, findings=findings, n=len(fixes)))


def _broken(step: StepRow, fix: CheckedFix, context: RenderContext) -> Line:
    findings = _names(step, fix.findings)
    text = context.message("unfixable", who=fix.source, findings=findings, why=fix.problem)
    return line(Span(f"⚠ {text}", Style.WARNING))


def _names(step: StepRow, findings: Iterable[str]) -> str:
    """The findings' names in the whole run."""
    prefix = cycle_at(step.key).prefix
    return id_ranges(f"{prefix}{name}" for name in findings)


def fix_applied(_step: StepRow, reply: Reply, context: RenderContext) -> Sequence[Line]:
    """Where the fix went."""
    fix = Applied.model_validate(reply)
    files, commit = ", ".join(fix.files), (fix.commit or "")[:12]
    if fix.branch:
        text = context.message("applied_branch", branch=fix.branch, commit=commit, files=files)
    else:
        text = context.message("applied_files", files=files)
    return [line(Span(text, Style.GOOD))]


LIVE = LiveView(
    rounds=frozenset({ReviewRole.CRITIQUE, ReviewRole.REBUTTAL}),
    lone=frozenset({ReviewRole.CRITIQUE}),
    begins={"fixes": check_begins},
    ends={ReviewRole.FIX: fix_written, "fixes": fixes_tried, "apply": fix_applied},
    course=(
        Station(("Reviewing",), (ReviewRole.CRITIQUE, ReviewRole.REBUTTAL)),
        Station(("Synthesizing",), (ReviewRole.SYNTHESIS, ReviewRole.FIX, "fixes")),
        Station(("WaitingForReviewDecision",), decides=True),
        Station(("Fixing",), ("apply",)),
    ),
)
