"""The results by workflow. A workflow that is not listed shows what all results have in common."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.core.document import Line, plain
from orchestrator.presentation.formats import markdown, text
from orchestrator.presentation.formats.markdown_text import escape
from orchestrator.presentation.question import question
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.results import ask, forum, generic, panel, plan, receipt
from orchestrator.presentation.results.document import Block, as_lines, as_markdown
from orchestrator.presentation.results.feedback import feedback
from orchestrator.presentation.results.reading import Reading

Document = Callable[[Reading], list[Block]]

DOCUMENTS: dict[str, Document] = {
    "ask": ask.document,
    "forum": forum.document,
    "plan": plan.document,
    "panel": panel.document,
}


def result_lines(
    report: RunReport, *, language: str, max_findings: int | None, brief: bool = False
) -> list[Line]:
    """The result for people; `max_findings` None shows everything, `brief` only what was asked for."""
    if report.of_change:
        return text.result(
            report,
            language=language,
            max_findings=max_findings,
            debate=as_lines(_debate(Reading(report, language, max_findings is None))),
        )
    reading = Reading(report, language, everything=max_findings is None, brief=brief)
    return as_lines(_document(reading))


def result_markdown(report: RunReport, *, language: str) -> str:
    """The whole result as one Markdown document."""
    if report.of_change:
        told = _debate(Reading(report, language, everything=True))
        return markdown.result(report, language=language, debate=as_markdown(told))
    reading = Reading(report, language, everything=True)
    title = f"# {escape(report.run.title)}\n\n"
    return title + as_markdown(_document(reading))


def result_text(report: RunReport, *, language: str) -> str:
    """The whole result as plain text."""
    return plain(result_lines(report, language=language, max_findings=None))


def question_lines(report: RunReport, language: str) -> list[Line]:
    """What a person sees before deciding, beside the question itself."""
    if report.run.workflow == "plan":
        return as_lines(plan.question(Reading(report, language)))
    return question(report, language)


def _debate(reading: Reading) -> list[Block]:
    """What a review's discussion brought beside its findings, and whether it helped; in a line, or in full."""
    debated = reading.report.rounds >= 2  # a critique alone is no debate
    if not reading.everything:
        return receipt.in_a_line(reading) if debated else []
    return [*feedback(reading), *(receipt.receipt(reading) if debated else ())]


def _document(reading: Reading) -> list[Block]:
    return DOCUMENTS.get(reading.report.run.workflow, generic.document)(reading)
