"""What is looked for in the chart, in similar cases and in documents: pure, from what code and the analyst say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.models.case import CaseEvidence, EvidenceQuery, StructuredChart
from shared.models.critique import DiagnosisAnalysis, RewrittenQueries, TreatmentAnalysis
from shared.models.mentions import MentionKind

MOST_QUERIES = 12
"""Queries of a pass: each is looked for in every document."""
LONGEST_QUERY = 200

_PURPOSES: Mapping[MentionKind, str] = {
    MentionKind.PROBLEM: "problem",
    MentionKind.SYMPTOM: "problem",
    MentionKind.DRUG: "treatment",
    MentionKind.PROCEDURE: "treatment",
    MentionKind.ALLERGY: "safety",
}


def chart_queries(chart: StructuredChart) -> tuple[EvidenceQuery, ...]:
    """What the chart asserts of the patient, problems first, each concept once."""
    named = [
        (list(_PURPOSES).index(mention.kind), mention.concept, _PURPOSES[mention.kind])
        for mention in chart.mentions
        if mention.kind in _PURPOSES and not (mention.negated or mention.family)
    ]
    ordered = sorted(enumerate(named), key=lambda each: (each[1][0], each[0]))
    return _distinct(
        EvidenceQuery(text=concept, purpose=purpose) for _, (_, concept, purpose) in ordered
    )


def analysis_queries(
    diagnosis: DiagnosisAnalysis, treatment: TreatmentAnalysis, earlier: CaseEvidence
) -> tuple[EvidenceQuery, ...]:
    """What both analyses want to know, taken in turn, without what was looked for already."""
    asked = {query.text.casefold() for query in earlier.queries}
    queries = _in_turn(
        [
            EvidenceQuery(text=text[:LONGEST_QUERY], purpose="diagnosis")
            for text in diagnosis.queries
        ],
        [
            EvidenceQuery(text=text[:LONGEST_QUERY], purpose="treatment")
            for text in treatment.queries
        ],
    )
    return _distinct(query for query in queries if query.text.casefold() not in asked)


def rewritten(evidence: CaseEvidence, reply: RewrittenQueries) -> dict[str, EvidenceQuery]:
    """The weak queries in other words, by the words that they had; what was no weak query is not looked for."""
    weak = {query.text: query for query in evidence.queries if query.text in evidence.weak}
    again = {
        text: EvidenceQuery(
            text=words.strip()[:LONGEST_QUERY],
            purpose=weak[text].purpose,
            attempt=weak[text].attempt + 1,
        )
        for text, words in reply.queries.items()
        if text in weak and words.strip() and words.strip().casefold() != text.casefold()
    }
    return dict(list(again.items())[:MOST_QUERIES])


def answered_since(evidence: CaseEvidence, again: Mapping[str, EvidenceQuery]) -> CaseEvidence:
    """The evidence after queries were asked in other words: each is weak, in its first words, or answered."""
    answered = {text for text, query in again.items() if query.text not in evidence.weak}
    others = {query.text for query in again.values()}
    weak = (text for text in evidence.weak if text not in answered and text not in others)
    return evidence.model_copy(update={"weak": tuple(weak)})


def _distinct(queries: Iterable[EvidenceQuery]) -> tuple[EvidenceQuery, ...]:
    once: dict[str, EvidenceQuery] = {}
    for query in queries:
        if query.text:
            once.setdefault(query.text.casefold(), query)
    return tuple(once.values())[:MOST_QUERIES]


def _in_turn(*lists: list[EvidenceQuery]) -> list[EvidenceQuery]:
    longest = max(map(len, lists))
    return [each[at] for at in range(longest) for each in lists if at < len(each)]
