"""From accepted findings to patches that were tried before anybody is asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.portions import room
from orchestrator.core.discussion.strategies import Speaker
from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.replay.commands import Effect, ToolRun, Turn, single
from orchestrator.workflows.review.context import ReviewContext
from orchestrator.workflows.review.prompts import ChangeView
from orchestrator.workflows.review.roles import ReviewRole
from shared.models.findings import Finding, FindingStatus
from shared.models.notices import Notice, notice
from shared.models.review_replies import CheckedFixes, FixProposal
from shared.text.tokens import estimated_tokens
from shared.tools.inputs import FixCheckInput

HALF = 0.5  # of the author's room for the places of the findings, the other for whole files
MAY_BE_FIXED = (FindingStatus.ACCEPTED,)
MAY_BE_FIXED_BEFORE = (FindingStatus.ACCEPTED, FindingStatus.UNDECIDED)  # by version 1

Problems = tuple[Notice, ...]


def prepare_fixes(
    context: ReviewContext, history: History
) -> Effect[tuple[CheckedFixes, Problems]]:
    """Patches for what the panel accepted, each tried on the captured state before anybody is asked."""
    fixable = MAY_BE_FIXED if context.version > 1 else MAY_BE_FIXED_BEFORE
    wanted = [finding for finding in history.findings if finding.status in fixable]
    patched = [finding for finding in wanted if finding.patch]
    unfixed = [
        finding
        for finding in wanted
        if not finding.patch and finding.status is FindingStatus.ACCEPTED
    ]
    written, problems = yield from write_fixes(context, history, unfixed)
    proposals = [*map(raised_with, patched), *written]
    if not proposals:
        return CheckedFixes(), problems
    checked, failed = yield from check_fixes(context, "fixes", proposals)
    return checked, (*problems, *failed)


def raised_with(finding: Finding) -> dict[str, Any]:
    """The patch that came with a finding, as a proposal."""
    return {
        "findings": [finding.id],
        "patch": finding.patch,
        "source": finding.patch_by or finding.raised_by[0],
        "explanation": finding.suggestion or finding.title,
    }


def write_fixes(
    context: ReviewContext, history: History, unfixed: Sequence[Finding]
) -> Effect[tuple[list[dict[str, Any]], Problems]]:
    """The author's proposals for what was accepted and nobody has proposed a patch for."""
    author = context.spec.panel.author
    if not unfixed or author.rule_based or history.over_budget:
        return [], ()
    result = yield from single(
        Turn(
            key=context.cycle.key("fix", author.name),
            participant=author,
            role=ReviewRole.FIX,
            round=len(history.rounds) + 1,
            reply_model="fix",
            prompt=lambda: context.prompts.fix(
                Speaker(author, context.strategy.author_role),
                context.subject,
                unfixed,
                len(context.spec.panel.critics),
                _shown_whole(context, unfixed),
                ChangeView.excerpt(context.subject, author, unfixed, HALF),
            ),
        )
    )
    if result.failure is not None:
        why = failure_notice(result.failure)
        return [], (notice("review_no_fix", who=author.name, why=why),)
    known = {finding.id for finding in unfixed}
    proposals = [
        {**fix.model_dump(), "findings": list(fix.findings), "source": author.name}
        for fix in FixProposal.model_validate(result.reply).fixes
        if set(fix.findings) <= known
    ]
    return proposals, ()


def _shown_whole(context: ReviewContext, findings: Sequence[Finding]) -> Collection[str]:
    """The files of the findings, the first ones that fit: a small change may touch large files."""
    wanted = dict.fromkeys(finding.place.path for finding in findings if finding.place)
    left = int(room(context.spec.panel.author) * HALF)
    taken = []
    documents = {file.path: file.after for file in context.subject.files}
    for path in wanted:
        document = documents.get(path)
        tokens = 0 if document is None else estimated_tokens(context.text(document))
        if tokens <= left:
            taken.append(path)
            left -= tokens
    return taken


def check_fixes(
    context: ReviewContext, name: str, proposals: list[dict[str, Any]]
) -> Effect[tuple[CheckedFixes, Problems]]:
    """Try patches in a tool worker: each by itself, then all good ones together."""
    result = yield from single(
        ToolRun(
            key=context.cycle.key(name, "check"),
            tool="fixes.check",
            participant="git",
            role="fixes",
            round=0,
            reply_model="fixes.checked",
            inputs=lambda: FixCheckInput.model_validate(
                {"subject": context.subject_hash, "fixes": proposals}
            ),
        )
    )
    if result.failure is not None:
        return CheckedFixes(), (
            notice("review_fixes_unchecked", why=failure_notice(result.failure)),
        )
    return CheckedFixes.model_validate(result.reply), ()
