"""A lens: falls of patients who take a drug against clotting."""

from __future__ import annotations

from collections.abc import Iterator

from shared.models.case import LensPoint, LensResult, StructuredChart
from shared.models.findings import Severity
from shared.models.mentions import MentionKind
from shared.models.notices import notice
from shared.patterns import regex
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.mentions import context_at
from workers.tools.registry import ToolContext

_FALL = regex(r"(?i)\b(?:fell|fallen|falls?)\b(?! asleep| ill)|낙상")
_ANTICOAGULANTS = frozenset({"warfarin", "apixaban", "rivaroxaban", "dabigatran"})


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """A point for every fall that the chart asserts, where such a drug is taken."""
    chart = load_chart(context, inputs.subject)
    taken = _anticoagulants(inputs.chart)
    return LensResult(points=tuple(_points(chart, taken)) if taken else ())


def _anticoagulants(chart: StructuredChart) -> list[str]:
    drugs = (each for each in chart.mentions if each.kind is MentionKind.DRUG)
    return [each.concept for each in drugs if each.concept in _ANTICOAGULANTS and not each.negated]


def _points(chart: Chart, taken: list[str]) -> Iterator[LensPoint]:
    for match in _FALL.finditer(chart.text):
        said = context_at(chart, match.start(), match.end())
        if said.negated or said.family or said.planned:
            continue
        yield LensPoint(
            kind="fall_on_anticoagulant",
            severity=Severity.MAJOR,
            category="safety",
            message=notice("fall_on_anticoagulant", drug=taken[0]),
            spans=(chart.span(match.start(), match.end()),),
        )
