"""How far a discussion came: its figures in a line, of each review where a fix was reviewed again."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.core.cycle_names import cycle_at, renamed
from orchestrator.core.views.context import figures as joined
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.assessment import Assessment, Recommendation, RecordedAssessment
from shared.models.notices import Notice, NoticeParam, notice
from shared.models.outcomes import Ending

MOST_NAMES = 5


def convergence_line(report: RunReport, words: Translator) -> str:
    """`Convergence: 0.82 · converged · 3 rounds`, and of a fix `; review 2: 1.00 · converged · 1 round`."""
    name = words.message("convergence")
    if report.assessment is None:
        return f"{name}: {joined(words.message('no_convergence'), words.message('rounds', n=report.rounds))}"
    reviews = _by_review(report)
    if len(reviews) < 2:
        return f"{name}: {_figures(report.assessment, report.ending, report.rounds, words)}"
    shown = []
    for number, recorded in reviews.items():
        last = recorded[-1].figures
        text = _figures(last, last.ending, len(recorded), words)
        shown.append(text if number == 1 else f"{words.message('cycle_review', n=number)}: {text}")
    return f"{name}: {'; '.join(shown)}"


def why_ended(report: RunReport) -> tuple[Notice, ...]:
    """Why the discussion of a change ended as it did, where it left something open.

    Of several reviews it is the last one that left open what still stands.
    """
    standing = {finding.id for finding in report.standing}
    again = report.raised_again
    for recorded in reversed(list(_by_review(report).values())):
        figures = recorded[-1].figures
        is_last = figures is report.assessment
        if _settled(figures, is_last=is_last and report.is_of_change):
            continue
        if is_last or not standing.isdisjoint(figures.open_findings):
            named = renamed(figures, lambda name: again.get(name, name))
            return (shortened_names(named.reason),) if named.reason else ()
    return ()


def shortened_names(stated: Notice) -> Notice:
    """A notice that names the first few of many; all of them stand in the list of findings."""
    return stated.model_copy(
        update={"params": {name: _shortened(value) for name, value in stated.params.items()}}
    )


def _shortened(value: NoticeParam) -> NoticeParam:
    if isinstance(value, Notice):
        return shortened_names(value)
    if isinstance(value, tuple) and len(value) > MOST_NAMES + 1:
        return notice("names_and_more", names=value[:MOST_NAMES], n=len(value) - MOST_NAMES)
    return value


def _settled(figures: Assessment, *, is_last: bool) -> bool:
    """Whether nothing has to be said of an ending: of an earlier discussion only where it agreed in part."""
    if figures.agreed_findings and figures.open_findings:
        return False
    return not is_last or figures.ending in (None, Ending.CONVERGED)


def _by_review(report: RunReport) -> Mapping[int, list[RecordedAssessment]]:
    """The rounds of each review of a change and of its fixes; elsewhere there is one discussion."""
    reviews: dict[int, list[RecordedAssessment]] = {}
    for recorded in report.assessments:
        number = cycle_at(recorded.key).number if report.is_of_change else 1
        reviews.setdefault(number, []).append(recorded)
    return reviews


def _figures(last: Assessment, ending: Ending | None, rounds: int, words: Translator) -> str:
    score, state = f"{last.metrics.overall_score:.2f}", words.message(f"how_{_how(last, ending)}")
    return joined(score, state, words.message("rounds", n=rounds))


def _how(last: Assessment, ending: Ending | None) -> str:
    """How it ended, else what its figures advise; an agreement that only the last round reached is called one."""
    advised = last.metrics.recommendation
    if ending is Ending.EXHAUSTED and advised is Recommendation.CONFIRM:
        return "unconfirmed"
    return (ending or advised).value
