"""How far a discussion came: its figures in a line, of each review where a fix was reviewed again."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.core.cycle_names import cycle_at, renamed
from orchestrator.core.views.context import figures as joined
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RecordedAssessment, RunReport
from shared.models.assessment import Assessment
from shared.models.notices import Notice


def convergence_line(report: RunReport, words: Translator) -> str:
    """`Convergence: 0.82 · converged · 3 rounds`, and of a fix `; review 2: 1.00 · converged · 1 round`."""
    name = words.message("convergence")
    if report.assessment is None:
        return f"{name}: {joined(words.message('no_convergence'), words.message('rounds', n=report.rounds))}"
    reviews = _by_review(report)
    if len(reviews) < 2:
        how = report.ending or report.assessment.metrics.recommendation
        return f"{name}: {_figures(report.assessment, how.value, report.rounds, words)}"
    shown = []
    for number, recorded in reviews.items():
        last = recorded[-1].figures
        how = last.ending or last.metrics.recommendation
        text = _figures(last, how.value, len(recorded), words)
        shown.append(text if number == 1 else f"{words.message('cycle_review', n=number)}: {text}")
    return f"{name}: {'; '.join(shown)}"


def partly_agreed(report: RunReport) -> tuple[Notice, ...]:
    """How the last discussion ended that agreed on some findings and left others open, which still stand."""
    standing = {finding.id for finding in report.standing}
    last, again = report.assessment, report.raised_again
    for recorded in reversed(list(_by_review(report).values())):
        figures = recorded[-1].figures
        if not (figures.agreed_findings and figures.open_findings):
            continue
        if figures is last or not standing.isdisjoint(figures.open_findings):
            named = renamed(figures, lambda name: again.get(name, name))
            return (named.reason,) if named.reason else ()
    return ()


def _by_review(report: RunReport) -> Mapping[int, list[RecordedAssessment]]:
    """The rounds of each review of a change and of its fixes; elsewhere there is one discussion."""
    reviews: dict[int, list[RecordedAssessment]] = {}
    for recorded in report.assessments:
        number = cycle_at(recorded.key).number if report.is_of_change else 1
        reviews.setdefault(number, []).append(recorded)
    return reviews


def _figures(last: Assessment, how: str, rounds: int, words: Translator) -> str:
    score, state = f"{last.metrics.overall_score:.2f}", words.message(f"how_{how}")
    return joined(score, state, words.message("rounds", n=rounds))
