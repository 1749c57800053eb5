"""Passages for queries, from the chart, the similar cases and the documents, graded; asked again when they are weak.

Corrective retrieval (Yan et al., "Corrective Retrieval Augmented Generation", 2024) without a model: what was retrieved
is graded, a query whose best passage is weak is asked in other words and then in fewer, and one that stays weak is
named. Every passage is a range of a stored text; nothing is written by this tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.models.case import CHART, Case, CaseEvidence, EvidenceQuery, Passage
from shared.models.passages import CutPassage, QueryPart
from shared.text.search_terms import search_terms
from shared.tools.case_inputs import EvidenceInput
from workers.tools.clinical.chart import Chart, load_case, read_chart
from workers.tools.clinical.cutting import cut_passages
from workers.tools.clinical.query_words import other_words
from workers.tools.clinical.support import SourceKind, support
from workers.tools.registry import ToolContext

GOOD = 0.5
"""A query is answered when a passage has half of what it asks for, by weight."""
WORTH = 0.3
"""What has less than this is no evidence and is left out."""
MOST_PARTS = 24
"""Words of a query that are looked for, the first ones."""
FEWER_WORDS = 3


@dataclass(frozen=True)
class _Source:
    """The texts of one kind: by their hashes what citations call them, and what they say."""

    kind: SourceKind
    names: dict[str, str]


@dataclass(frozen=True)
class _Attempt:
    """A query in some words; relevance is worth `share` of what it is by itself, for words were left out."""

    parts: tuple[QueryPart, ...]
    share: float = 1.0


def run(inputs: EvidenceInput, context: ToolContext) -> CaseEvidence:
    """Everything that is known after these queries: what earlier passes found, and what is new.

    Raises ToolError for a subject that is no case.
    """
    search = _Search(_sources(load_case(context, inputs.subject)), context, inputs.passages)
    known = {_plain(query.text) for query in inputs.earlier.queries}
    queries, passages = list(inputs.earlier.queries), list(inputs.earlier.passages)
    weak = list(inputs.earlier.weak)
    for query in inputs.queries:
        if not query.text.strip() or _plain(query.text) in known:
            continue
        known.add(_plain(query.text))
        asked, found = search.answer(query)
        queries += asked
        passages += found
        if max(attempt.best for attempt in asked) < GOOD:
            weak.append(query.text)
    return CaseEvidence(queries=tuple(queries), passages=tuple(passages), weak=tuple(weak))


class _Search:
    """The sources of a case, cut into passages."""

    def __init__(self, sources: Sequence[_Source], context: ToolContext, limit: int) -> None:
        self._sources, self._context, self._limit = sources, context, limit
        self._charts: dict[str, Chart] = {}
        names = [document for source in sources for document in source.names]
        for document in context.passages.missing(names):
            text = self._text(document)
            context.passages.keep(document, [_cut(text, *place) for place in cut_passages(text)])

    def answer(self, query: EvidenceQuery) -> tuple[list[EvidenceQuery], list[Passage]]:
        """The attempts that were made, each with the best so far, and what the best one found in each kind of source.

        A kind of source that has answered is not asked again: a guideline may name otherwise what the chart says.
        """
        asked: list[EvidenceQuery] = []
        best: dict[SourceKind, list[Passage]] = {source.kind: [] for source in self._sources}
        for number, attempt in enumerate(self._attempts(query.text), start=query.attempt):
            weak = [source for source in self._sources if _top(best[source.kind]) < GOOD]
            if not weak:
                break
            for source in weak:
                found = list(self._found(query, source, attempt))
                best[source.kind] = max(best[source.kind], found, key=_top)
            top = max(map(_top, best.values()))
            asked.append(query.model_copy(update={"attempt": number, "best": top}))
        return asked, [
            passage for kind in best.values() for passage in kind if passage.relevance >= WORTH
        ]

    def _attempts(self, text: str) -> Iterator[_Attempt]:
        """The query as it is, in all words for the same things, and without the words that are nowhere."""
        plain = _parts(text)
        yield _Attempt(plain)
        if (wider := _wider(text)) != plain:
            yield _Attempt(wider)
        present = tuple(part for part in wider if self._is_anywhere(part))
        if FEWER_WORDS <= len(present) < len(wider):
            yield _Attempt(present, len(present) / len(wider))

    def _is_anywhere(self, part: QueryPart) -> bool:
        return any(
            self._context.passages.search(list(source.names), [part], 1) for source in self._sources
        )

    def _found(self, query: EvidenceQuery, source: _Source, attempt: _Attempt) -> Iterator[Passage]:
        rows = self._context.passages.search(list(source.names), attempt.parts, self._limit)
        for row in rows:
            chart = self._chart(row.document)
            span = chart.span(row.start, row.stop).model_copy(
                update={"source": source.names[row.document]}
            )
            relevance = round(row.relevance * attempt.share, 6)
            yield Passage(
                span=span,
                query=query.text,
                relevance=relevance,
                support=support(query.text, chart, (row.start, row.stop), relevance, source.kind),
            )

    def _chart(self, document: str) -> Chart:
        if document not in self._charts:
            self._charts[document] = read_chart(self._text(document))
        return self._charts[document]

    def _text(self, document: str) -> str:
        return self._context.documents.get(document).decode("utf-8", "replace")


def _top(passages: Sequence[Passage]) -> float:
    return max((passage.relevance for passage in passages), default=0.0)


def _sources(case: Case) -> list[_Source]:
    """Each text once, under its first name."""
    chart = {case.chart: CHART}
    similar = {text.text: text.name for text in reversed(case.similar) if text.text != case.chart}
    documents = {
        text.text: text.name
        for text in reversed(case.documents)
        if text.text not in chart and text.text not in similar
    }
    kinds = zip(SourceKind, (chart, similar, documents), strict=True)
    return [_Source(kind, names) for kind, names in kinds if names]


def _cut(text: str, start: int, end: int) -> CutPassage:
    return CutPassage(start, end, tuple(dict.fromkeys(search_terms(text[start:end]))))


def _parts(text: str) -> tuple[QueryPart, ...]:
    terms = list(dict.fromkeys(search_terms(text)))
    return tuple(QueryPart(((term,),)) for term in terms[:MOST_PARTS])


def _wider(text: str) -> tuple[QueryPart, ...]:
    """One part for each thing that has several names, and for each other word."""
    parts: dict[QueryPart, None] = {}
    begin = 0
    for thing in other_words(text):
        parts.update(dict.fromkeys(_parts(text[begin : thing.start])))
        alternatives = (tuple(search_terms(name)) for name in thing.names)
        parts[QueryPart(tuple(filter(None, dict.fromkeys(alternatives))))] = None
        begin = thing.end
    parts.update(dict.fromkeys(_parts(text[begin:])))
    return tuple(parts)[:MOST_PARTS]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
