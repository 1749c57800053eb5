"""The tool `chart.structure`: the divisions of a chart, who its patient is, what it mentions and measures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from itertools import accumulate

from shared.models.case import Case, Mention, PatientFacts, StructuredChart
from shared.tools.case_inputs import CaseInput
from workers.tools.clinical.chart import Chart, load_case, load_chart
from workers.tools.clinical.dates import find_dates, visit_date
from workers.tools.clinical.drugs import find_drugs
from workers.tools.clinical.measurements import find_measurements
from workers.tools.clinical.mentions import find_mentions
from workers.tools.clinical.patient import find_patient
from workers.tools.registry import ToolContext

_YEAR_DAYS = 365.25
_WHOLE = len("2024-03-04")


def run(inputs: CaseInput, context: ToolContext) -> StructuredChart:
    """Raises `ToolError` for what is no case."""
    chart = load_chart(context, inputs.subject)
    patient = with_stated(find_patient(chart), load_case(context, inputs.subject), chart)
    return StructuredChart(
        language=chart.language,
        sections=chart.sections,
        patient=patient,
        mentions=merged(find_drugs(chart), find_mentions(chart)),
        measurements=find_measurements(chart, patient),
    )


def with_stated(patient: PatientFacts, case: Case, chart: Chart) -> PatientFacts:
    """What the input states beside a text that does not say it; the age is that of the visit, else of the last date."""
    sex, birth = patient.sex or case.sex, patient.birth_date or case.birth_date
    age = patient.age_years
    if age is None and (born := _day(birth)) is not None:
        age = _age_at_visit(born, chart)
    return patient.model_copy(update={"sex": sex, "birth_date": birth, "age_years": age})


def _age_at_visit(birth: date, chart: Chart) -> float | None:
    events = find_dates(chart)
    days = [_day(event.date) for event in events if event.kind != "birth"]
    day = visit_date(events) or max(filter(None, days), default=None)
    return None if day is None or day < birth else round((day - birth).days / _YEAR_DAYS, 2)


def _day(written: str | None) -> date | None:
    """The day of a date that is whole and possible."""
    if written is None or len(written) < _WHOLE:
        return None
    try:
        return date.fromisoformat(written[:_WHOLE])
    except ValueError:
        return None


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
