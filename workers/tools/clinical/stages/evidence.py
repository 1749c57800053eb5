"""Passages for queries, from the chart, the similar cases and the documents, graded; asked again when they are weak.

Corrective retrieval (Yan et al., "Corrective Retrieval Augmented Generation", 2024) without a model: what was retrieved
is graded, a query whose best passage is weak is asked in other words and then in fewer, and one that stays weak is
named. Every passage is a range of a stored text; nothing is written by this tool.

Where an embedding model has made vectors, each kind of source is asked by words and by meaning, and both orders are
fused by rank (reciprocal rank fusion, Cormack et al., SIGIR 2009). How near a vector is says little by itself: models
differ in what unrelated texts come to. So it is told by how far a passage is beyond the source's median.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TypeAlias

from shared.errors import ToolError
from shared.models.case import CHART, Case, CaseEvidence, EvidenceQuery, Passage
from shared.models.embeddings import KnownVectors
from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.text.search_terms import search_terms
from shared.text.vectors import unpacked
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
FEWEST_NEAR = 4
"""Passages of a source from which on its median says what unrelated texts come to."""
_RANK_OFFSET = 60
"""Of reciprocal rank fusion, as in its paper."""


_Place: TypeAlias = tuple[str, int, int]


@dataclass(frozen=True)
class EvidenceSource:
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
    try:
        vectors = _kept(inputs.known, context)
    except ValueError as error:
        raise ToolError("What is given as a vector is none: {error}.", error=error) from None
    sources = case_sources(load_case(context, inputs.subject))
    search = _Search(sources, context, inputs.passages, inputs.known.space, vectors)
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


def _kept(known: KnownVectors, context: ToolContext) -> dict[str, tuple[float, ...]]:
    """The vectors of the queries, by their words; those of passages are stored. Raises ValueError."""
    context.passages.keep_vectors(known.space, known.passages)
    return {_plain(query.text): unpacked(query.vector) for query in known.queries}


def cut_sources(sources: Sequence[EvidenceSource], context: ToolContext) -> list[str]:
    """Store the passages of texts that have none yet; the hashes of all."""
    names = [document for source in sources for document in source.names]
    for document in context.passages.missing(names):
        text = _text(context, document)
        context.passages.keep(document, [_cut(text, *place) for place in cut_passages(text)])
    return names


class _Search:
    """The sources of a case, cut into passages; `vectors` are those of queries, by their words."""

    def __init__(
        self,
        sources: Sequence[EvidenceSource],
        context: ToolContext,
        limit: int,
        space: str,
        vectors: Mapping[str, tuple[float, ...]],
    ) -> None:
        self._sources, self._context, self._limit = sources, context, limit
        self._space, self._vectors = space, vectors
        self._charts: dict[str, Chart] = {}
        cut_sources(sources, context)

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

    def _found(
        self, query: EvidenceQuery, source: EvidenceSource, attempt: _Attempt
    ) -> Iterator[Passage]:
        documents = list(source.names)
        worded = [
            replace(row, relevance=round(row.relevance * attempt.share, 6))
            for row in self._context.passages.search(documents, attempt.parts, self._limit)
        ]
        near = self._near(query, documents)
        for row in fused(worded, near)[: self._limit]:
            chart = self._chart(row.document)
            span = chart.span(row.start, row.stop).model_copy(
                update={"source": source.names[row.document]}
            )
            place = (row.document, row.start, row.stop)
            yield Passage(
                span=span,
                query=query.text,
                relevance=row.relevance,
                support=support(query.text, chart, place[1:], row.relevance, source.kind),
                nearness=next((each.relevance for each in near if _place(each) == place), None),
            )

    def _near(self, query: EvidenceQuery, documents: Sequence[str]) -> list[FoundPassage]:
        vector = self._vectors.get(_plain(query.text))
        if vector is None:
            return []
        return self._context.passages.near(documents, self._space, vector)

    def _chart(self, document: str) -> Chart:
        if document not in self._charts:
            self._charts[document] = read_chart(_text(self._context, document))
        return self._charts[document]


def fused(worded: Sequence[FoundPassage], near: Sequence[FoundPassage]) -> list[FoundPassage]:
    """Both orders as one: what stands high in either comes first.

    The relevance is the greater of that by words and that by meaning: 0 for a cosine at the median, 1 for one of 1.
    """
    meant = _meant(near)
    scores: dict[_Place, float] = defaultdict(float)
    best: dict[_Place, FoundPassage] = {}
    for order in (worded, meant):
        for rank, row in enumerate(order, start=1):
            scores[_place(row)] += 1 / (_RANK_OFFSET + rank)
            known = best.get(_place(row), row)
            best[_place(row)] = max(known, row, key=lambda each: each.relevance)
    return [best[place] for place in sorted(scores, key=lambda place: -scores[place])]


def _meant(near: Sequence[FoundPassage]) -> list[FoundPassage]:
    """What is so near that it is evidence, by its relevance."""
    if len(near) < FEWEST_NEAR:
        return []
    usual = median(each.relevance for each in near)
    spread = 1 - usual
    rows = (
        replace(each, relevance=round((each.relevance - usual) / spread, 6) if spread > 0 else 0.0)
        for each in near
    )
    return [row for row in rows if row.relevance >= WORTH]


def _place(row: FoundPassage) -> _Place:
    return row.document, row.start, row.stop


def _text(context: ToolContext, document: str) -> str:
    return context.documents.get(document).decode("utf-8", "replace")


def _top(passages: Sequence[Passage]) -> float:
    return max((passage.relevance for passage in passages), default=0.0)


def case_sources(case: Case) -> list[EvidenceSource]:
    """Each text once, under its first name."""
    chart = {case.chart: CHART}
    similar = {text.text: text.name for text in reversed(case.similar) if text.text != case.chart}
    documents = {
        text.text: text.name
        for text in reversed(case.documents)
        if text.text not in chart and text.text not in similar
    }
    kinds = zip(SourceKind, (chart, similar, documents), strict=True)
    return [EvidenceSource(kind, names) for kind, names in kinds if names]


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
