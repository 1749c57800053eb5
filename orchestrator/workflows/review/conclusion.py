"""The end of a run: the verdict by code, and everything that a report shows."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.core.discussion.impact import FindingsDebate, Sources, debate_impact
from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.strategies import feedback
from orchestrator.core.findings.coverage import merged
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import FindingsImpact
from orchestrator.core.rounds import texts_by_participant
from orchestrator.workflows.review.context import Result, ReviewContext, coverage
from orchestrator.workflows.review.decision import labelled_fixes
from orchestrator.workflows.review.fixes import good_fixes
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.result import ReviewAssessment, ReviewResult
from shared.models.findings import Finding
from shared.models.outcomes import Verdict
from shared.models.replies import CheckedFixes


def conclude(options: ReviewOptions, results: list[tuple[ReviewContext, Result]]) -> Outcome:
    """The verdict, by code: over what stands after the last review and was not mended."""
    context, last = results[-1]
    findings = tuple(finding for one, made in results for finding in named(one, made))
    standing = tuple(finding for one, made in results for finding in unmended(one, made))
    covered = merged(coverage(one, made.history) for one, made in results)
    objections = unshown_objections(context, last.history)
    ending = last.history.ending
    return Outcome(
        verdict=derive(standing, ending, options.fail_on, covered, objections),
        ending=ending,
        summary=last.synthesis.summary,
        findings=findings,
        result=review_result(results).model_copy(
            update={
                "standing": tuple(finding.id for finding in standing),
                "unshown_objections": objections,
                "coverage": covered,
            }
        ),
        warnings=tuple(
            warning for _, made in results for warning in (*made.history.warnings, *made.warnings)
        ),
    )


def review_result(results: list[tuple[ReviewContext, Result]]) -> ReviewResult:
    """What was said, tried and decided in all reviews of the run."""
    context, last = results[-1]
    impacts = [impact(one, made.history) for one, made in results]
    return ReviewResult(
        synthesis=last.synthesis,
        synthesised_by=last.synthesised_by,
        feedback=feedback(context.strategies.values(), last.history.contributions),
        assessments=tuple(
            ReviewAssessment(review=one.cycle, **dict(made.history.assessment))
            for one, made in results
            if made.history.assessment is not None
        ),
        fixes=labelled_fixes(*_last_fixes(results)),
        decision=next((made.answer for _, made in reversed(results) if made.answer), None),
        applied=tuple(made.applied for _, made in results if made.applied),
        reviews=len(results),
        labels={str(one.cycle): dict(made.labels) for one, made in results},
        effective_votes=effective_votes(context.spec.panel.critics),
        receipt=impacts[-1],
        earlier_receipts=tuple(impacts[:-1]),
    )


def named(context: ReviewContext, result: Result) -> tuple[Finding, ...]:
    """A review's findings under their names in the whole run."""
    return tuple(
        finding.model_copy(update={"id": context.label(finding.id)})
        for finding in result.history.findings
    )


def unmended(context: ReviewContext, result: Result) -> tuple[Finding, ...]:
    """Those of them that no applied fix has mended."""
    applied = good_fixes(result.fixes) if result.applied else ()
    mended = {context.label(finding) for fix in applied for finding in fix.findings}
    return tuple(finding for finding in named(context, result) if finding.id not in mended)


def impact(context: ReviewContext, history: History) -> FindingsImpact:
    """Did the discussion help? Findings stand as the panel left them, before any fix."""
    ending = None if history.assessment is None else history.assessment.ending
    verdict = derive(history.findings, ending, context.options.fail_on, coverage(context, history))
    texts = texts_by_participant(history.contributions)
    return debate_impact(
        FindingsDebate(
            critics=context.spec.panel.critics,
            history=history,
            verdict=None if verdict is Verdict.INCONCLUSIVE else verdict.value,
            sources=Sources(SubjectTexts(context.subject, context.document).holds, texts),
            label=context.label,
        ),
        review=context.cycle,
    )


def unshown_objections(context: ReviewContext, history: History) -> tuple[str, ...]:
    """Findings without weight, for want of a quotation or place, for which half of the critics or more ask for a fix.

    One critic that invents something stops nothing. When half of those who read the change ask for a fix, that nothing
    could be shown is no approval. Runs of version 1 end as they began.
    """
    if context.version < 2:
        return ()
    readers = {critic.name for critic in context.spec.panel.critics if not critic.rule_based}
    verdicts = {said.participant: said.verdict for said in history.contributions if said.verdict}
    asking = {name for name in readers if verdicts.get(name) == "NEEDS_FIX"}
    unshown = [finding for finding in history.findings if _is_unshown(finding, asking)]
    voices = _voices(unshown) & asking
    if not voices or 2 * len(voices) < len(readers & verdicts.keys()):
        return ()
    return tuple(context.label(finding.id) for finding in unshown)


def _is_unshown(finding: Finding, asking: set[str]) -> bool:
    return is_unproven(finding) and not asking.isdisjoint(finding.raised_by)


def _voices(findings: Iterable[Finding]) -> set[str]:
    return {name for finding in findings for name in finding.raised_by}


def _last_fixes(results: list[tuple[ReviewContext, Result]]) -> tuple[ReviewContext, CheckedFixes]:
    for context, result in reversed(results):
        if result.fixes.fixes:
            return context, result.fixes
    context, result = results[-1]
    return context, result.fixes
