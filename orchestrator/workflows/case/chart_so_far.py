"""The chart of a run without a result yet, by what its first tools read: headings and sentences in their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from orchestrator.core.pictures import AnnotatedText, Highlight
from orchestrator.workflows.case.names import CaseView
from shared.models.case import CHART, ChartSpan, EvidenceSpans, StructuredChart
from shared.models.rows import StepRow


def chart_so_far(view: CaseView) -> tuple[AnnotatedText, ...]:
    """With the places of the points that stand; nothing before the chart was read."""
    lines = _lines(view.facts.steps)
    highlights = tuple(_highlights(view, lines))
    text = "\n".join(lines)
    return (AnnotatedText(view.message("case_chart"), CHART, text, highlights),) if lines else ()


def _lines(steps: Sequence[StepRow]) -> list[str]:
    """The sentences of each line, and the headings of lines without any."""
    chart, evidence = (
        _last_reply(steps, tool, field)
        for tool, field in (("chart.structure", "sections"), ("preprocess.evidence", "spans"))
    )
    if chart is None or evidence is None:
        return []
    sections = StructuredChart.model_validate(chart).sections
    rows = {section.first_line: section.heading for section in sections}
    rows |= _sentences(EvidenceSpans.model_validate(evidence).spans)
    return [rows.get(number, "") for number in range(1, max(rows, default=0) + 1)]


def _last_reply(steps: Sequence[StepRow], tool: str, field: str) -> object | None:
    replies = (step.reply for step in reversed(steps) if step.participant == tool)
    return next((reply for reply in replies if reply and field in reply), None)


def _sentences(spans: Iterable[ChartSpan]) -> dict[int, str]:
    lines: dict[int, list[str]] = {}
    for span in spans:
        for number, part in enumerate(span.text.split("\n"), span.line):
            lines.setdefault(number, []).append(part)
    return {number: " ".join(parts) for number, parts in lines.items()}


def _highlights(view: CaseView, lines: Sequence[str]) -> Iterator[Highlight]:
    """Where the quotation of each point begins in its line."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    for entry in view.facts.findings:
        finding = entry.finding
        number = finding.place.line if finding.place else None
        if not number or number > len(lines) or not finding.quote:
            continue
        quote = finding.quote.split("\n")[0]
        at = lines[number - 1].find(quote)
        if at >= 0:
            start = starts[number - 1] + at
            yield Highlight(start, start + len(quote), finding.id, finding.severity)
