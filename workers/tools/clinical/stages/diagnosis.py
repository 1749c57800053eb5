"""`diagnosis.extract`: the diagnoses that a chart names, with the sentences that carry them, and how sure it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from shared.models.case import Mention
from shared.models.critique import AnalysisPoint, DiagnosisAnalysis
from shared.models.mentions import MentionKind
from shared.tools.case_inputs import ChartInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.registry import ToolContext

PRESENT, SUSPECTED, EXCLUDED, PAST = "present", "suspected", "excluded", "past"
_MOST_QUOTES = 3
_LONGEST_QUOTE = 300
_MOST_QUERIES = 8


def run(inputs: ChartInput, context: ToolContext) -> DiagnosisAnalysis:
    """One statement a concept; what is only suspected is a differential diagnosis. Relatives' diseases are left out."""
    chart = load_chart(context, inputs.subject)
    by_concept: dict[str, list[Mention]] = defaultdict(list)
    for mention in inputs.chart.mentions:
        if mention.kind is MentionKind.PROBLEM and not mention.family:
            by_concept[mention.concept].append(mention)
    return _analysis([_point(chart, concept, mentions) for concept, mentions in by_concept.items()])


def quotes_of(chart: Chart, mentions: Iterable[Mention]) -> tuple[str, ...]:
    """The sentences of mentions as they stand in the chart, each once; of a very long one the part with the mention."""
    quotes: dict[str, None] = {}
    for mention in mentions:
        start, end = chart.sentence_at(mention.span.start)
        if end - start > _LONGEST_QUOTE:
            start = max(start, mention.span.start - _LONGEST_QUOTE // 2)
            end = max(mention.span.end, min(end, start + _LONGEST_QUOTE))
        quotes.setdefault(chart.text[start:end].strip())
        if len(quotes) == _MOST_QUOTES:
            break
    return tuple(quotes)


def _analysis(points: Sequence[AnalysisPoint]) -> DiagnosisAnalysis:
    queried = [point.statement for point in points if point.status in (PRESENT, SUSPECTED)]
    return DiagnosisAnalysis(
        diagnoses=tuple(point for point in points if point.status != SUSPECTED),
        differentials=tuple(point for point in points if point.status == SUSPECTED),
        queries=tuple(queried[:_MOST_QUERIES]),
    )


def _point(chart: Chart, concept: str, mentions: Sequence[Mention]) -> AnalysisPoint:
    status = _status(mentions)
    telling = [mention for mention in mentions if _status_of(mention) == status]
    return AnalysisPoint(statement=concept, quotes=quotes_of(chart, telling), status=status)


def _status(mentions: Sequence[Mention]) -> str:
    """The most that any mention says: present before suspected, past and excluded."""
    statuses = {_status_of(mention) for mention in mentions}
    return next(status for status in (PRESENT, SUSPECTED, PAST, EXCLUDED) if status in statuses)


def _status_of(mention: Mention) -> str:
    if mention.negated:
        return EXCLUDED
    if mention.uncertain:
        return SUSPECTED
    return PAST if mention.past else PRESENT
