"""Vectors for the evidence, where an embedder takes part: of the passages once, and of each query that is new.

The embedder is shown passages of the chart, of similar cases and of documents as they are, so it has to be on this
machine, whatever the run allows others. Where it fails, evidence is found by words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from pydantic import JsonValue

from orchestrator.core.replay.commands import Effect, Prompt, Turn
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
    EmbeddedTexts,
    KnownVectors,
    PassageVector,
    QueryVector,
    TextPlace,
    UnembeddedPassages,
)
from shared.models.notices import notice
from shared.models.panel import Participant
from shared.models.steps import PromptPart, StepResult
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
    turns = [
        *_turns(f"{key}/passages", embedder, "passages", texts),
        *_turns(f"{key}/queries", embedder, "queries", [query.text for query in queries]),
    ]
    results = yield from take_nodes(proceedings, [PlannedNode("evidence", turn) for turn in turns])
    vectors = list(_vectors(turns, results))
    return KnownVectors(
        space=_space(embedder),
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
        reply = read_reply(result, EmbeddedTexts)
        whole = reply is not None and len(reply.vectors) == asked
        yield from reply.vectors if reply is not None and whole else [None] * asked


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
            subject=context.spec.subject, space=_space(embedder), most=MOST_PASSAGES
        ),
    )
    (result,) = yield from take_nodes(proceedings, [PlannedNode("evidence", step)])
    missing = read_reply(result, UnembeddedPassages) or UnembeddedPassages()
    if missing.left_out:
        why = notice("case_passages_unembedded", n=missing.left_out)
        proceedings.abstain("evidence", embedder.name, why, ran=True)
    return missing.places


def _space(embedder: Participant) -> str:
    return embedder.model or embedder.name


def _turns(key: str, embedder: Participant, kind: str, texts: Sequence[str]) -> Iterator[Turn]:
    """As many texts at once as a turn takes."""
    for number, start in enumerate(range(0, len(texts), MOST_TEXTS), start=1):
        part = list(texts[start : start + MOST_TEXTS])
        yield Turn(
            key=f"{key}/{embedder.name}/{number}",
            participant=embedder,
            role=CaseRole.EMBEDDING,
            round=0,
            reply_model="embeddings",
            prompt=partial(_prompt, part),
            brief=partial(_brief, kind, part),
        )


def _prompt(texts: Sequence[str]) -> Prompt:
    """What tells one turn from another; the texts themselves are in the brief."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    return Prompt(user=(PromptPart(text=f"texts {digest}"),))


def _brief(kind: str, texts: Sequence[str]) -> dict[str, JsonValue]:
    return {kind: list(texts)}
