"""The question to a person, and what follows from the answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.replay.commands import Effect, ToolRun, single
from orchestrator.workflows.review.choices import DECISION
from orchestrator.workflows.review.context import FindingGrounds, ReviewCycle, good_fixes
from orchestrator.workflows.review.fixes import check_fixes
from shared.models.coverage import ListedShare
from shared.models.decision import DecisionAnswer
from shared.models.notices import notice
from shared.models.review_replies import Applied, CheckedFixes
from shared.tools.inputs import ApplyInput


def ask(review: ReviewCycle) -> Effect[DecisionAnswer]:
    """The question to a person (or the policy's answer), bound to exactly what is shown."""
    key, policy = review.context.cycle.key("decision"), review.context.spec.decision
    fixable = dict.fromkeys(
        name for fix in good_fixes(review.fixes) for name in review.labels_of(fix)
    )
    prompt = "Apply the fix, or skip and continue?"
    return DECISION.ask(key, policy, prompt, partial(shown, review), tuple(fixable))


def shown(review: ReviewCycle) -> dict[str, Any]:
    """What the person decides on: the findings, exactly the patches, and what came of the discussion."""
    assessment, coverage = review.history.assessment, review.coverage
    return {
        "findings": [finding.model_dump(mode="json") for finding in review.findings],
        "fixes": review.labelled_fixes().model_dump(mode="json"),
        "synthesis": review.synthesis.text.model_dump(mode="json"),
        "base": review.context.subject.origin.model_dump(mode="json"),
        "convergence": None if assessment is None else assessment.model_dump(mode="json"),
        **({"evidence": _named(review.evidence)} if review.context.examined else {}),
        **({} if coverage is None else {"coverage": coverage.model_dump(mode="json")}),
        **({"unlisted": _dumped(review.unlisted)} if review.unlisted else {}),
    }


def _dumped(unlisted: Mapping[str, ListedShare]) -> dict[str, Any]:
    return {name: share.model_dump() for name, share in unlisted.items()}


def _named(evidence: FindingGrounds) -> dict[str, list[str]]:
    return {name: [kind.value for kind in kinds] for name, kinds in evidence.items()}


def apply_fix(review: ReviewCycle) -> Effect[ReviewCycle]:
    """Apply what was approved and nothing else."""
    review, fixes = yield from chosen_fixes(review)
    if not fixes.patch:
        return review
    context = review.context
    approved = hashlib.sha256(fixes.patch.encode()).hexdigest()
    key = context.cycle.key("apply")
    applied = yield from single(
        ToolRun(
            key=key,
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
                    "effect": f"{context.run}/{key}",
                }
            ),
        )
    )
    if applied.failure is not None:
        warning = notice("review_not_applied", why=failure_notice(applied.failure))
        return replace(review, problems=(*review.problems, warning))
    return replace(review, applied=Applied.model_validate(applied.reply))


def chosen_fixes(review: ReviewCycle) -> Effect[tuple[ReviewCycle, CheckedFixes]]:
    """What is to be applied: everything, or a selection that is combined and checked again first."""
    only = review.answer.only if review.answer else None
    if only is None:
        return review, review.fixes
    chosen = [
        {**fix.model_dump(mode="json"), "problem": None}
        for fix in good_fixes(review.fixes)
        if set(review.labels_of(fix)) <= set(only)
    ]
    if not chosen:
        warning = notice("review_not_fixable_apart")
        return replace(review, problems=(*review.problems, warning)), CheckedFixes()
    fixes, problems = yield from check_fixes(review.context, "selected-fixes", chosen)
    return replace(review, fixes=fixes, problems=(*review.problems, *problems)), fixes
