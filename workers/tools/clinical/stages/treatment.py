"""`treatment.extract`: the treatments that a chart names, with their doses: given, planned or stopped."""

from __future__ import annotations

from collections.abc import Iterator

from shared.models.case import Division, Mention
from shared.models.critique import AnalysisPoint, TreatmentAnalysis
from shared.models.mentions import MentionKind
from shared.tools.case_inputs import ChartInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.drugs import DrugStatus, drug_status
from workers.tools.clinical.stages.diagnosis import quotes_of
from workers.tools.registry import ToolContext

GIVEN, PLANNED, STOPPED = "given", "planned", "stopped"
_STATUS = {
    DrugStatus.STARTED: PLANNED,
    DrugStatus.STOPPED: STOPPED,
    DrugStatus.PAST: STOPPED,
}
_MOST_QUERIES = 8


def run(inputs: ChartInput, context: ToolContext) -> TreatmentAnalysis:
    """One statement for each drug with its dose and status, and for each procedure with its status."""
    chart = load_chart(context, inputs.subject)
    points: dict[tuple[str, str], AnalysisPoint] = {}
    for mention, status in _treatments(chart, inputs):
        statement = " ".join(part for part in (mention.concept, mention.dose) if part)
        points.setdefault(
            (statement, status),
            AnalysisPoint(statement=statement, quotes=quotes_of(chart, (mention,)), status=status),
        )
    concepts = dict.fromkeys(mention.concept for mention, _ in _treatments(chart, inputs))
    return TreatmentAnalysis(
        treatments=tuple(points.values()), queries=tuple(concepts)[:_MOST_QUERIES]
    )


def _treatments(chart: Chart, inputs: ChartInput) -> Iterator[tuple[Mention, str]]:
    for mention in inputs.chart.mentions:
        if mention.negated or mention.family:
            continue
        if mention.kind is MentionKind.DRUG:
            yield mention, _drug(chart, mention)
        elif mention.kind is MentionKind.PROCEDURE:
            planned = mention.planned or (mention.division is Division.PLAN and not mention.past)
            yield mention, PLANNED if planned else GIVEN


def _drug(chart: Chart, mention: Mention) -> str:
    status = _STATUS.get(drug_status(chart, mention), GIVEN)
    return PLANNED if status == GIVEN and mention.planned else status
