"""Vectors for the evidence, where an embedder takes part: of the passages once, and of each query that is new.

The embedder is shown passages of the chart, of similar cases and of documents as they are, so it has to be on this
machine, whatever the run allows others. Where it fails, evidence is found by words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from orchestrator.core.discussion.embedding import (
    PASSAGES,
    QUERIES,
    embedding_turns,
    space_of,
    vectors_of,
)
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
    tool_run,
)
from orchestrator.workflows.case.roles import CaseRole
from shared.models.case import EvidenceQuery
from shared.models.embeddings import (
    MOST_TEXTS,
    KnownVectors,
    PassageVector,
    QueryVector,
    TextPlace,
    UnembeddedPassages,
)
from shared.models.notices import notice
from shared.models.panel import Participant
from shared.models.steps import StepResult
from shared.providers.locality import leaves_machine
from shared.tools.case_inputs import EmbeddingInput

AskedT = TypeVar("AskedT", TextPlace, EvidenceQuery)

MOST_PASSAGES = 8 * MOST_TEXTS
"""Passages of a case that vectors are made of: those of the chart come first."""


def embed(
    context: CaseContext, proceedings: Proceedings, key: str, queries: Sequence[EvidenceQuery]
) -> Effect[KnownVectors]:
    """The vectors of these queries, and of the passages that have none yet."""
    embedder = context.options.embedder
    if embedder is None:
        return KnownVectors()
    if leaves_machine(embedder):
        why = notice("case_embedder_elsewhere", who=embedder.name)
        proceedings.abstain("evidence", embedder.name, why)
        return KnownVectors()
    places = yield from _unembedded(context, proceedings, key, embedder)
    texts = [context.document(place.document)[place.start : place.stop] for place in places]
    asked = [query.text for query in queries]
    turns = [
        *embedding_turns(f"{key}/passages", embedder, CaseRole.EMBEDDING, PASSAGES, texts),
        *embedding_turns(f"{key}/queries", embedder, CaseRole.EMBEDDING, QUERIES, asked),
    ]
    results = yield from take_nodes(proceedings, [PlannedNode("evidence", turn) for turn in turns])
    vectors = list(_vectors(turns, results))
    return KnownVectors(
        space=space_of(embedder),
        passages=tuple(
            PassageVector(**place.model_dump(), vector=vector)
            for place, vector in _known(places, vectors)
        ),
        queries=tuple(
            QueryVector(text=query.text, vector=vector)
            for query, vector in _known(queries, vectors[len(places) :])
        ),
    )


def _vectors(turns: Sequence[Turn], results: Sequence[StepResult]) -> Iterator[str | None]:
    """One for each text that was asked about; None where its turn brought none."""
    for turn, result in zip(turns, results, strict=True):
        asked = sum(len(texts) for texts in turn.brief().values() if isinstance(texts, list))
        yield from vectors_of(result, asked) or [None] * asked


def _known(asked: Sequence[AskedT], vectors: Sequence[str | None]) -> Iterator[tuple[AskedT, str]]:
    """What has a vector, with it."""
    for each, vector in zip(asked, vectors, strict=False):
        if vector is not None:
            yield each, vector


def _unembedded(
    context: CaseContext, proceedings: Proceedings, key: str, embedder: Participant
) -> Effect[tuple[TextPlace, ...]]:
    step = tool_run(
        f"{key}/unembedded",
        "evidence.unembedded",
        CaseRole.EMBEDDING,
        lambda: EmbeddingInput(
            subject=context.spec.subject, space=space_of(embedder), most=MOST_PASSAGES
        ),
    )
    (result,) = yield from take_nodes(proceedings, [PlannedNode("evidence", step)])
    missing = read_reply(result, UnembeddedPassages) or UnembeddedPassages()
    if missing.left_out:
        why = notice("case_passages_unembedded", n=missing.left_out)
        proceedings.abstain("evidence", embedder.name, why, ran=True)
    return missing.places
