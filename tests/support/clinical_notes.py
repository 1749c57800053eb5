"""The tools of `case` on a text, as the workflow runs them, for tests of what lenses raise."""

from __future__ import annotations

from functools import cache

from shared.models.case import Case, ChartSpan, LensPoint, LensResult, StructuredChart
from shared.models.wire import ForeignWire
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

PREPROCESSING = {
    "timeline": "preprocess.timeline",
    "evidence": "preprocess.evidence",
    "gaps": "preprocess.record_gaps",
}


class ToolsOfNote:
    """A note, and the tools that are run on it."""

    def __init__(self, text: str) -> None:
        documents = MemoryDocuments()
        self.text = text
        case = Case(title="note", chart=documents.put(text.encode()))
        self._subject = documents.put(case.model_dump_json().encode())
        self._context = ToolContext(documents=documents, deadline_s=60.0)

    def run(self, name: str, **inputs: ForeignWire) -> ForeignWire:
        """One tool with the models it needs besides the case."""
        given = {key: value.model_dump(mode="json") for key, value in inputs.items()}
        return run_tool(name, {"subject": self._subject, **given}, self._context)

    def structured(self) -> StructuredChart:
        """The chart as it is structured."""
        chart = self.run("chart.structure")
        assert isinstance(chart, StructuredChart)
        return chart

    def lens(self, name: str) -> LensResult:
        """What a lens raises; every quotation is checked against the note."""
        chart = self.structured()
        read = {key: self.run(tool, chart=chart) for key, tool in PREPROCESSING.items()}
        coverage = self.run("interventions.check", chart=chart)
        result = self.run(name, chart=chart, coverage=coverage, **read)
        assert isinstance(result, LensResult)
        for point in result.points:
            self._check(point.spans)
        return result

    def _check(self, spans: tuple[ChartSpan, ...]) -> None:
        assert spans
        for span in spans:
            assert self.text[span.start : span.end] == span.text


@cache
def raised(lens: str, text: str) -> tuple[LensPoint, ...]:
    """The points of a lens on a note."""
    return ToolsOfNote(text).lens(lens).points


def kinds(lens: str, text: str) -> set[str]:
    """What kinds of points a lens raises on a note."""
    return {point.kind for point in raised(lens, text)}
