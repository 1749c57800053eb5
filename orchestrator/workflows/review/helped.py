"""The receipt of a review: the blind first round against the end, changes of mind, and what each cost."""

from __future__ import annotations

from orchestrator.core.discussion.receipt import Debated, Sources, receipt_of
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.findings.verdict import derive
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.review.case import Case, History, coverage
from shared.models.outcomes import Verdict


def receipt(case: Case, history: History) -> FindingsImpact:
    """Did the discussion help? Findings stand as the panel left them, before any fix."""
    assessment = history.assessment
    said: dict[str, list[str]] = {}
    for one in history.said:
        said.setdefault(one.participant, []).append(one.text)
    derived = derive(
        history.findings,
        None if assessment is None else assessment.ending,
        case.options.fail_on,
        coverage(case, history),
    )
    return receipt_of(
        Debated(
            critics=case.spec.panel.critics,
            said=history.said,
            verdict=None if derived is Verdict.INCONCLUSIVE else derived.value,
            findings=history.findings,
            ledger=history.ledger,
            sources=Sources(SubjectTexts(case.subject, case.document).holds, said),
            label=case.label,
            blind=history.blind,
            after=history.after,
        ),
        review=case.cycle,
    )
