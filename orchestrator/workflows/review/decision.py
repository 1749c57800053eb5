"""The question to a person, and what follows from the answer."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from orchestrator.core.discussion.turn_results import told_failure
from orchestrator.core.replay.commands import Effect, ToolRun, decide, single
from orchestrator.workflows.descriptor import Choice, DecisionType
from orchestrator.workflows.review.context import Result, ReviewContext, coverage
from orchestrator.workflows.review.fixes import check_fixes, good_fixes
from orchestrator.workflows.review.result import APPLY_FIX, SKIP
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.findings import Finding
from shared.models.notices import notice
from shared.models.replies import Applied, CheckedFixes
from shared.tools.inputs import ApplyInput

DECISION = DecisionType(
    kind="review",
    choices=(Choice(APPLY_FIX, "a", writes=True), Choice(SKIP, "s")),
    on_timeout=SKIP,
)


def ask(context: ReviewContext, result: Result) -> Effect[DecisionAnswer]:
    """The question to a person (or the policy's answer), bound to exactly what is shown."""
    policy = context.spec.decision
    if (choice := DECISION.answer(policy)) is not None:
        return DecisionAnswer(choice=choice, actor="policy", channel="policy")
    fixable = tuple(
        context.label(finding) for fix in good_fixes(result.fixes) for finding in fix.findings
    )
    assessment = result.history.assessment
    covered = coverage(context, result.history)
    question = DecisionQuestion(
        kind=DECISION.kind,
        prompt="Apply the fix, or skip and continue?",
        options=DECISION.words,
        shown={
            "findings": [labelled(context, f) for f in result.history.findings],
            "fixes": labelled_fixes(context, result.fixes).model_dump(mode="json"),
            "synthesis": result.synthesis.model_dump(mode="json"),
            "base": context.subject.origin.model_dump(mode="json"),
            "convergence": None if assessment is None else assessment.model_dump(mode="json"),
            **({} if covered is None else {"coverage": covered.model_dump(mode="json")}),
        },
        selectable=tuple(dict.fromkeys(fixable)),
        timeout_s=policy.timeout_s,
        on_timeout=DECISION.silence(policy),
    )
    return (yield from decide(context.key("decision"), question))


def labelled(context: ReviewContext, finding: Finding) -> dict[str, Any]:
    """A finding under its name in the whole run."""
    return {**finding.model_dump(mode="json"), "id": context.label(finding.id)}


def labelled_fixes(context: ReviewContext, fixes: CheckedFixes) -> CheckedFixes:
    """The fixes as a person sees them: the exact patch, and which finding each part mends."""
    labelled = tuple(
        fix.model_copy(
            update={"findings": tuple(context.label(finding) for finding in fix.findings)}
        )
        for fix in fixes.fixes
    )
    return fixes.model_copy(update={"fixes": labelled})


def apply_fix(context: ReviewContext, result: Result) -> Effect[Result]:
    """Apply what was approved and nothing else; a selection is combined and checked anew first."""
    assert result.answer is not None
    fixes = result.fixes
    only = result.answer.only
    if only is not None:
        chosen = [
            {**fix.model_dump(mode="json"), "problem": None}
            for fix in good_fixes(fixes)
            if all(context.label(finding) in only for finding in fix.findings)
        ]
        if not chosen:
            warning = notice("review_not_fixable_apart")
            return replace(result, warnings=(*result.warnings, warning))
        fixes, problems = yield from check_fixes(context, "selected-fixes", chosen)
        result = replace(result, fixes=fixes, warnings=(*result.warnings, *problems))
        if not fixes.patch:
            return result
    approved = hashlib.sha256(fixes.patch.encode()).hexdigest()
    applied = yield from single(
        ToolRun(
            key=context.key("apply"),
            tool="apply",
            participant="git",
            role="apply",
            round=0,
            reply_model="applied",
            inputs=lambda: ApplyInput.model_validate(
                {
                    "subject": context.subject_hash,
                    "fixes": [fix.model_dump() for fix in good_fixes(fixes)],
                    "only": None,
                    "mode": context.options.apply.replace("-", "_"),
                    "run": context.run,
                    "approved": approved,
                    "effect": f"{context.run}/{context.key('apply')}",
                }
            ),
        )
    )
    if applied.reply is None:
        assert applied.failure is not None
        warning = notice("review_not_applied", why=told_failure(applied.failure))
        return replace(result, warnings=(*result.warnings, warning))
    return replace(result, applied=Applied.model_validate(applied.reply))
