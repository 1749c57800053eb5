"""The end of a run: the verdict by code, and everything that a report shows."""

from __future__ import annotations

from orchestrator.core.discussion.said import feedback
from orchestrator.core.findings.coverage import merged
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.review.context import History, Result, ReviewContext, coverage
from orchestrator.workflows.review.decision import labelled_fixes
from orchestrator.workflows.review.fixes import good_fixes
from orchestrator.workflows.review.helped import receipt
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.result import ReviewAssessment, ReviewResult
from shared.models.findings import Finding
from shared.models.outcomes import Ending
from shared.models.replies import CheckedFixes


def conclude(options: ReviewOptions, results: list[tuple[ReviewContext, Result]]) -> Outcome:
    """The verdict, by code: over what stands after the last review and was not mended."""
    standing: list[Finding] = []
    everything: list[Finding] = []
    for context, result in results:
        mended = {
            finding
            for fix in (good_fixes(result.fixes) if result.applied else ())
            for finding in fix.findings
        }
        for finding in result.history.findings:
            named = finding.model_copy(update={"id": context.label(finding.id)})
            everything.append(named)
            if finding.id not in mended:
                standing.append(named)
    context, last = results[-1]
    assessment = last.history.assessment
    covered = merged(coverage(context, result.history) for context, result in results)
    ending = Ending.DEGRADED if assessment is None else assessment.ending
    objections = unshown_objections(context, last.history)
    return Outcome(
        verdict=derive(standing, ending, options.fail_on, covered, objections),
        ending=ending,
        summary=last.synthesis.summary,
        findings=tuple(everything),
        result=ReviewResult(
            synthesis=last.synthesis,
            synthesised_by=last.synthesised_by,
            feedback=feedback("review", last.history.said),
            assessments=tuple(
                ReviewAssessment(review=context.cycle, **dict(assessment))
                for context, result in results
                if (assessment := result.history.assessment) is not None
            ),
            fixes=labelled_fixes(*_last_fixes(results)),
            decision=next((made.answer for _, made in reversed(results) if made.answer), None),
            applied=tuple(made.applied for _, made in results if made.applied),
            standing=tuple(finding.id for finding in standing),
            reviews=len(results),
            labels={str(context.cycle): dict(result.labels) for context, result in results},
            effective_votes=effective_votes(context.spec.panel.critics),
            receipt=receipt(context, last.history),
            earlier_receipts=tuple(receipt(one, made.history) for one, made in results[:-1]),
            unshown_objections=objections,
            coverage=covered,
        ),
        warnings=tuple(
            warning
            for _, result in results
            for warning in (*result.history.warnings, *result.warnings)
        ),
    )


def unshown_objections(context: ReviewContext, history: History) -> tuple[str, ...]:
    """Findings without weight, for want of a quotation or place, for which half of the critics or more ask for a fix.

    One critic that invents something stops nothing. When half of those who read the change ask for a fix, that nothing
    could be shown is no approval. Runs of version 1 end as they began.
    """
    if context.version < 2:
        return ()
    readers = {one.name for one in context.spec.panel.critics if not one.rule_based}
    verdicts = {one.participant: one.verdict for one in history.said if one.verdict is not None}
    asking = {name for name in readers if verdicts.get(name) == "NEEDS_FIX"}
    unshown = [one for one in history.findings if is_unproven(one) and asking & {*one.raised_by}]
    voices = {name for one in unshown for name in one.raised_by} & asking
    if not voices or 2 * len(voices) < len(readers & verdicts.keys()):
        return ()
    return tuple(context.label(one.id) for one in unshown)


def _last_fixes(results: list[tuple[ReviewContext, Result]]) -> tuple[ReviewContext, CheckedFixes]:
    for context, result in reversed(results):
        if result.fixes.fixes:
            return context, result.fixes
    context, result = results[-1]
    return context, result.fixes
