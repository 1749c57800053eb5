"""The tool `preprocess.evidence`: the sentences of a chart that something can be said about, with ids.

Headings that stand alone and sentences without a word are left out. A long stretch without an end (a list of values in
one line, a text without full stops) is cut at white space, so that a quotation stays readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from shared.models.case import ChartSpan, EvidenceSpans
from shared.patterns import regex
from shared.tools.case_inputs import ChartInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.headings import normalised
from workers.tools.registry import ToolContext

MOST_SPANS = 5_000
"""More sentences than any chart has; what comes after them cannot be cited by an id."""
_LONGEST = 600
_WORD = regex(r"[^\W_]{2,}")


def run(inputs: ChartInput, context: ToolContext) -> EvidenceSpans:
    """Raises `ToolError` for what is no case."""
    return EvidenceSpans(spans=find_spans(load_chart(context, inputs.subject)))


def find_spans(chart: Chart) -> tuple[ChartSpan, ...]:
    """Ids `E1`, `E2`, ... in the order of the text; each span is exact text of the chart."""
    headings = {normalised(section.heading) for section in chart.sections}
    ranges = islice(_ranges(chart, headings), MOST_SPANS)
    return tuple(
        chart.span(start, end, f"E{number}") for number, (start, end) in enumerate(ranges, 1)
    )


def _ranges(chart: Chart, headings: set[str]) -> Iterator[tuple[int, int]]:
    for start, end in chart.sentences:
        for first, last in _pieces(chart.text, start, end):
            text = chart.text[first:last]
            if _WORD.search(text) and normalised(text) not in headings:
                yield first, last


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST:
        cut = max(text.rfind(space, start + _LONGEST // 2, start + _LONGEST) for space in " \t\n")
        last = cut if cut > start else start + _LONGEST
        yield start, last
        start = last
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end
