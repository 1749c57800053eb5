"""The tool `chart.structure`: the divisions of a chart, who its patient is, what it mentions and measures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from shared.models.case import Mention, StructuredChart
from shared.tools.case_inputs import CaseInput
from workers.tools.clinical.chart import load_chart
from workers.tools.clinical.drugs import find_drugs
from workers.tools.clinical.measurements import find_measurements
from workers.tools.clinical.mentions import find_mentions
from workers.tools.clinical.patient import find_patient
from workers.tools.registry import ToolContext


def run(inputs: CaseInput, context: ToolContext) -> StructuredChart:
    """Raises `ToolError` for what is no case."""
    chart = load_chart(context, inputs.subject)
    patient = find_patient(chart)
    return StructuredChart(
        language=chart.language,
        sections=chart.sections,
        patient=patient,
        mentions=merged(find_drugs(chart), find_mentions(chart)),
        measurements=find_measurements(chart, patient),
    )


def merged(drugs: Sequence[Mention], others: Sequence[Mention]) -> tuple[Mention, ...]:
    """All in the order of the text; where a drug's name holds that of something else, it is the drug."""
    drugs = sorted(drugs, key=lambda mention: mention.span.start)
    starts = [mention.span.start for mention in drugs]
    ends = list(accumulate((mention.span.end for mention in drugs), max))

    def is_within(mention: Mention) -> bool:
        before = bisect_left(starts, mention.span.end)
        return before > 0 and ends[before - 1] > mention.span.start

    kept = [mention for mention in others if not is_within(mention)]
    return tuple(sorted((*drugs, *kept), key=lambda mention: mention.span.start))
