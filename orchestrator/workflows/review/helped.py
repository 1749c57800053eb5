"""The receipt of a review: the blind first round against the end, changes of mind, and what each cost."""

from __future__ import annotations

from orchestrator.core.discussion.receipt import Debated, Sources, receipt_of
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.findings.verdict import derive
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.review.context import History, ReviewContext, coverage
from shared.models.outcomes import Verdict


def receipt(context: ReviewContext, history: History) -> FindingsImpact:
    """Did the discussion help? Findings stand as the panel left them, before any fix."""
    assessment = history.assessment
    said: dict[str, list[str]] = {}
    for one in history.said:
        said.setdefault(one.participant, []).append(one.text)
    derived = derive(
        history.findings,
        None if assessment is None else assessment.ending,
        context.options.fail_on,
        coverage(context, history),
    )
    return receipt_of(
        Debated(
            critics=context.spec.panel.critics,
            said=history.said,
            verdict=None if derived is Verdict.INCONCLUSIVE else derived.value,
            findings=history.findings,
            ledger=history.ledger,
            sources=Sources(SubjectTexts(context.subject, context.document).holds, said),
            label=context.label,
            blind=history.blind,
            after=history.after,
        ),
        review=context.cycle,
    )
