"""The end of a run: the verdict by code, and everything that a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from orchestrator.core.discussion.depth import DepthRecord
from orchestrator.core.discussion.impact import FindingsDebate, Sources, debate_impact
from orchestrator.core.discussion.sections import feedback
from orchestrator.core.findings.coverage import merged
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.review.context import ReviewCycle, good_fixes
from orchestrator.workflows.review.result import ReviewAssessment, ReviewDepth, ReviewResult
from shared.models.findings import Finding
from shared.models.outcomes import Verdict


def conclude(reviews: Sequence[ReviewCycle]) -> Outcome:
    """The verdict, by code: over what stands after the last review and was not mended."""
    last = reviews[-1]
    standing = tuple(finding for review in reviews for finding in unmended(review))
    covered = merged(review.coverage for review in reviews)
    objections = unshown_objections(last)
    ending, fail_on = last.history.ending, last.context.options.fail_on
    result = review_result(reviews).model_copy(
        update={
            "standing": tuple(finding.id for finding in standing),
            "unshown_objections": objections,
            "coverage": covered,
        }
    )
    return Outcome(
        verdict=derive(standing, ending, fail_on, covered, objections),
        ending=ending,
        summary=last.synthesis.text.summary,
        findings=tuple(finding for review in reviews for finding in review.findings),
        result=result,
        warnings=tuple(warning for review in reviews for warning in review.warnings),
    )


def review_result(reviews: Sequence[ReviewCycle]) -> ReviewResult:
    """What was said, tried and decided in all reviews of the run."""
    last = reviews[-1]
    context = last.context
    impacts = [impact(review) for review in reviews]
    fixed = next((review for review in reversed(reviews) if review.fixes.fixes), last)
    return ReviewResult(
        synthesis=last.synthesis.text,
        synthesised_by=last.synthesis.by,
        feedback=feedback(context.strategies.values(), last.history.contributions),
        assessments=_assessments(reviews),
        fixes=fixed.labelled_fixes(),
        decision=next((review.answer for review in reversed(reviews) if review.answer), None),
        applied=tuple(review.applied for review in reviews if review.applied),
        reviews=len(reviews),
        depths=_depths(reviews),
        labels={
            str(review.context.cycle.number): dict(review.synthesis.labels) for review in reviews
        },
        effective_votes=effective_votes(context.spec.panel.critics),
        evidence=dict(chain.from_iterable(review.evidence.items() for review in reviews)),
        receipt=impacts[-1],
        earlier_receipts=tuple(impacts[:-1]),
        tests=last.tests,
        unlisted=dict(last.unlisted),
    )


def _depths(reviews: Sequence[ReviewCycle]) -> tuple[ReviewDepth, ...]:
    """Who read in each review; nothing where all critics do."""
    return tuple(_depth(review, review.depth) for review in reviews if review.depth is not None)


def _depth(review: ReviewCycle, written: DepthRecord) -> ReviewDepth:
    """Who read in one review, and why not fewer."""
    return ReviewDepth(
        review=review.context.cycle.number,
        first=written.first,
        asked=tuple(critic.name for critic in review.context.spec.panel.critics),
        reasons=written.reasons,
    )


def _assessments(reviews: Sequence[ReviewCycle]) -> tuple[ReviewAssessment, ...]:
    """The last round's figures of each review."""
    return tuple(
        ReviewAssessment(
            review=review.context.cycle.number,
            **dict(review.history.assessment),
        )
        for review in reviews
        if review.history.assessment is not None
    )


def unmended(review: ReviewCycle) -> tuple[Finding, ...]:
    """The findings of a review that no applied fix has mended."""
    applied = good_fixes(review.fixes) if review.applied else ()
    mended = {name for fix in applied for name in review.labels_of(fix)}
    return tuple(finding for finding in review.findings if finding.id not in mended)


def impact(review: ReviewCycle) -> FindingsImpact:
    """Did the discussion help? Findings stand as the panel left them, before any fix."""
    context, history = review.context, review.history
    ending = None if history.assessment is None else history.assessment.ending
    verdict = derive(history.findings, ending, context.options.fail_on, review.coverage)
    spoken = ((turn.participant, turn.full_text) for turn in history.contributions)
    return debate_impact(
        FindingsDebate(
            critics=context.spec.panel.critics,
            history=history,
            verdict=_VOTED.get(verdict),
            sources=Sources.of(SubjectTexts(context.subject, context.document).holds, spoken),
            label=context.cycle.label,
        ),
        review=context.cycle.number,
    )


# What the code's verdict is in the critics' words.
_VOTED = {
    Verdict.APPROVED: "APPROVED",
    Verdict.CHECKS_PASSED: "APPROVED",
    Verdict.NEEDS_FIX: "NEEDS_FIX",
}


def unshown_objections(review: ReviewCycle) -> tuple[str, ...]:
    """Findings without weight, for want of a quotation or place, for which half of the critics or more ask for a fix.

    One critic that invents something stops nothing. When half of those who read the change ask for a fix, that nothing
    could be shown is no approval. Runs of version 1 end as they began.
    """
    if review.context.version < 2:
        return ()
    verdicts = _verdicts_of_readers(review)
    asking = {name for name, verdict in verdicts.items() if verdict == "NEEDS_FIX"}
    unshown = [finding for finding in review.findings if _is_unshown(finding, asking)]
    voices = asking.intersection(chain.from_iterable(finding.raised_by for finding in unshown))
    if not voices or 2 * len(voices) < len(verdicts):
        return ()
    return tuple(finding.id for finding in unshown)


def _verdicts_of_readers(review: ReviewCycle) -> dict[str, str]:
    """The last verdicts of those who read the change, by name."""
    readers = {critic.name for critic in review.context.spec.panel.critics if not critic.rule_based}
    return {
        contribution.participant: contribution.verdict
        for contribution in review.history.contributions
        if contribution.verdict and contribution.participant in readers
    }


def _is_unshown(finding: Finding, asking: set[str]) -> bool:
    return is_unproven(finding) and not asking.isdisjoint(finding.raised_by)
