"""What a chart shows that may call for a tool of the critic, as words for retrieval over the tool cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.workflows.case.state import GraphState
from shared.models.case import Measurement, StructuredChart
from shared.models.mentions import MentionKind
from shared.models.notices import Notice, notice

_MOST_CONCEPTS = 40
_MOST_NAMES = 5
_EXISTING = 0.6  # a value that is measured and in range says less than one that is not
_GRAVE = 2.0
_FAR = 0.2
"""A value is far outside from a fifth of its range's width on: a potassium from 5.3, a systolic pressure below 82."""


@dataclass(frozen=True)
class ChartFact:
    """Something that the chart shows: words for retrieval over cards, what it is for people, its weight.

    A `grave` one comes before everything that is not, however much of that there is.
    """

    words: str
    why: Notice
    weight: float = 1.0
    grave: bool = False


def chart_facts(state: GraphState, similar: int) -> Iterator[ChartFact]:
    """What may call for a tool, from the chart, its gaps, the coverage and the similar cases."""
    yield from _grave(state.chart)
    yield from _measured(state.chart.measurements)
    kinds = [mention.kind for mention in state.chart.mentions]
    for kind, words in _MENTIONED.items():
        if kind in kinds:
            yield ChartFact(words, notice(f"case_fact_{kind}", n=kinds.count(kind)))
    yield from _found(state, similar)
    concepts = dict.fromkeys(mention.concept for mention in state.chart.mentions)
    if concepts:
        words = " ".join(list(concepts)[:_MOST_CONCEPTS])
        yield ChartFact(words, notice("case_fact_concepts", n=len(concepts)))


def _grave(chart: StructuredChart) -> Iterator[ChartFact]:
    """What may cost a life: values far outside their ranges, and drugs where there is an allergy."""
    far = [each for each in chart.measurements if _distance(each) >= _FAR]
    if far:
        why = notice("case_fact_far", n=len(far), names=_names(far))
        yield ChartFact("values outside reference ranges, grave findings", why, _GRAVE, grave=True)
    kinds = {each.kind for each in chart.mentions if not each.negated}
    if {MentionKind.DRUG, MentionKind.ALLERGY} <= kinds:
        why = notice("case_fact_drugs_and_allergies")
        yield ChartFact("drugs against allergies", why, _GRAVE, grave=True)


def _measured(measurements: Sequence[Measurement]) -> Iterator[ChartFact]:
    outside = [each for each in measurements if _distance(each) > 0]
    if outside:
        why = notice("case_fact_outside", n=len(outside), names=_names(outside))
        yield ChartFact("values outside reference ranges, early-warning scores", why)
    if measurements:
        why = notice("case_fact_measured", n=len(measurements))
        yield ChartFact("values, scores, contradictions", why, _EXISTING)


def _found(state: GraphState, similar: int) -> Iterator[ChartFact]:
    """What the stages before the critic brought."""
    events, gaps = state.preprocessing.timeline.events, state.preprocessing.gaps.gaps
    uncovered = [item for item in state.coverage.items if item.status != "covered"]
    missing = " ".join(gap.what.replace("_", " ") for gap in gaps)
    counted = (
        ("dates", len(events), "contradictions of dates"),
        ("open", len(uncovered), "problems without plans, missing monitoring"),
        ("gaps", len(gaps), f"missing {missing}"),
        ("similar", similar, "most similar cases"),
    )
    for code, count, words in counted:
        if count:
            yield ChartFact(words, notice(f"case_fact_{code}", n=count))


_MENTIONED: Mapping[MentionKind, str] = {
    MentionKind.PROBLEM: "diagnoses without support, contradictions, grave findings",
    MentionKind.SYMPTOM: "grave findings",
    MentionKind.DRUG: "drugs, doubled drugs, doses, monitoring",
    MentionKind.ALLERGY: "drugs against allergies",
    MentionKind.PROCEDURE: "contradictions of side and sex",
    MentionKind.MONITORING: "monitoring",
}


def _distance(each: Measurement) -> float:
    """How far a value is outside its range, in widths of the range; of a range with one end, in half of that."""
    value, low, high = each.value, each.low, each.high
    if value is None:
        return 0.0
    width = high - low if low is not None and high is not None else (high or low or 0.0) / 2
    below = low - value if low is not None else 0.0
    above = value - high if high is not None else 0.0
    return max(below, above, 0.0) / (width or 1.0)


def _names(measured: Sequence[Measurement]) -> list[Notice]:
    names = list(dict.fromkeys(each.name for each in measured))[:_MOST_NAMES]
    return [notice(f"quantity_{name}") for name in names]
