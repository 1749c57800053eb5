"""Vectors of texts, by a participant that makes some: its turns, and what they brought; and those of code.

Definitions of a repository are embedded where they have no vector yet, some turns at once, and stored before the next
ones are asked for: whatever fails then, what was made is there for the next search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import JsonValue

from orchestrator.core.discussion.turn_results import why_failed
from orchestrator.core.replay.commands import Effect, Prompt, ToolRun, Turn, single, together
from shared.models.code_answers import CodeEmbedded, CodeTexts, UnembeddedCode
from shared.models.embeddings import MOST_TEXTS, EmbeddedTexts, SearchVector
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.replies import reply_name
from shared.models.steps import PromptPart, StepResult
from shared.models.wire import ForeignWire, Wire
from shared.models.workspace import CodingTask
from shared.providers.locality import leaves_machine
from shared.tools.graph_cards import CodeVectorsInput, EmbeddedPortion, UnembeddedCodeInput

ReadDocument = Callable[[str], bytes]
"""A stored document by its name."""

PASSAGES, QUERIES = "passages", "queries"
TURNS_AT_ONCE = 8
MOST_DEFINITIONS = 16_384
"""Definitions that one search embeds; the next one goes on where it stopped."""
MOST_QUERY = 2_000


@dataclass(frozen=True)
class CodeMeaning:
    """What is searched for as a vector, None where there is none; and what is to be told of it."""

    vector: SearchVector | None = None
    problems: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class CodeEmbedding:
    """Whose vectors are used for which code, and what its steps are called."""

    embedder: Participant
    task: CodingTask
    key: str
    role: str

    def turns(self, name: str, kind: str, texts: Sequence[str]) -> tuple[Turn, ...]:
        """Its turns for these texts."""
        return tuple(embedding_turns(f"{self.key}/{name}", self.embedder, self.role, kind, texts))

    def tool(
        self, tool: str, reply: type[ForeignWire], inputs: Callable[[], Wire], *number: int
    ) -> ToolRun:
        """A run of one of its tools."""
        return ToolRun(
            key="/".join((self.key, tool.partition(".")[2], *map(str, number))),
            tool=tool,
            participant=tool,
            role=self.role,
            round=0,
            reply_model=reply_name(reply),
            inputs=inputs,
        )

    def missing(self, result: StepResult) -> CodeMeaning:
        """Without vectors, since a step failed."""
        why = why_failed(result.failure) if result.failure else notice("code_vectors_unreadable")
        return CodeMeaning(None, (notice("code_vectors_missing", who=self.embedder.name, why=why),))


def meaning_of(embedding: CodeEmbedding, query: str, document: ReadDocument) -> Effect[CodeMeaning]:
    """The query's vector; the definitions that have none yet are embedded before.

    The embedder is shown code, so it has to be on this machine. A failure leaves the search to the other ways, or to
    the definitions that have vectors.
    """
    embedder = embedding.embedder
    if leaves_machine(embedder):
        return CodeMeaning(None, (notice("code_embedder_elsewhere", who=embedder.name),))
    turns = embedding.turns("query", QUERIES, [query[:MOST_QUERY]])
    (asked,) = yield from together(turns)
    vectors = vectors_of(asked, 1)
    if vectors is None:
        return embedding.missing(asked)
    problems = yield from _embed_missing(embedding, document)
    return CodeMeaning(SearchVector(space=space_of(embedder), vector=vectors[0]), problems)


def _embed_missing(embedding: CodeEmbedding, document: ReadDocument) -> Effect[tuple[Notice, ...]]:
    """Embed the definitions that have no vector; what is to be told of it."""
    listed = yield from single(
        embedding.tool(
            "graph.unembedded",
            UnembeddedCode,
            lambda: UnembeddedCodeInput(
                workspace=embedding.task.workspace,
                space=space_of(embedding.embedder),
                most=MOST_DEFINITIONS,
                never_sent=embedding.task.never_sent,
                may_be_sent=embedding.task.may_be_sent,
            ),
        )
    )
    if listed.reply is None:
        return embedding.missing(listed).problems
    missing = UnembeddedCode.model_validate(listed.reply)
    for start in range(0, len(missing.portions), TURNS_AT_ONCE):
        portions = missing.portions[start : start + TURNS_AT_ONCE]
        failed = yield from _embed_portions(embedding, start, portions, document)
        if failed is not None:
            return embedding.missing(failed).problems
    left_out = notice("code_vectors_left_out", n=missing.left_out, who=embedding.embedder.name)
    return (left_out,) if missing.left_out else ()


def _embed_portions(
    embedding: CodeEmbedding, start: int, portions: Sequence[str], document: ReadDocument
) -> Effect[StepResult | None]:
    """Embed some portions side by side and store what came; the first result that failed."""
    texts = [CodeTexts.model_validate_json(document(portion)).texts for portion in portions]
    turns = [
        turn
        for number, part in enumerate(texts, start=start + 1)
        for turn in embedding.turns(f"code/{number}", PASSAGES, part)
    ]
    results = yield from together(turns)
    vectors = [vectors_of(result, len(part)) for result, part in zip(results, texts, strict=True)]
    failed = [result for result, known in zip(results, vectors, strict=True) if known is None]
    kept = yield from _keep(embedding, start + 1, zip(portions, vectors, strict=True))
    return next(iter((*failed, *kept)), None)


def _keep(
    embedding: CodeEmbedding, number: int, made: Iterable[tuple[str, tuple[str, ...] | None]]
) -> Effect[tuple[StepResult, ...]]:
    """Store what was made; the result, if that failed."""
    portions = tuple(
        EmbeddedPortion(document=portion, vectors=vectors)
        for portion, vectors in made
        if vectors is not None
    )
    if not portions:
        return ()
    inputs = CodeVectorsInput(portions=portions)
    kept = yield from single(embedding.tool("graph.embedded", CodeEmbedded, lambda: inputs, number))
    return (kept,) if kept.reply is None else ()


def embedding_turns(
    key: str, embedder: Participant, role: str, kind: str, texts: Sequence[str]
) -> Iterator[Turn]:
    """As many texts at once as a turn takes; `kind` is `passages` or `queries`."""
    for number, start in enumerate(range(0, len(texts), MOST_TEXTS), start=1):
        part = list(texts[start : start + MOST_TEXTS])
        yield Turn(
            key=f"{key}/{embedder.name}/{number}",
            participant=embedder,
            role=role,
            round=0,
            reply_model="embeddings",
            prompt=partial(_prompt, part),
            brief=partial(_brief, kind, part),
        )


def vectors_of(result: StepResult, count: int) -> tuple[str, ...] | None:
    """A vector for each of so many texts; None where the turn did not bring them all."""
    if result.reply is None:
        return None
    vectors = EmbeddedTexts.model_validate(result.reply).vectors
    return vectors if len(vectors) == count else None


def space_of(embedder: Participant) -> str:
    """What its vectors can be compared with: those of the same model."""
    return embedder.model or embedder.name


def _prompt(texts: Sequence[str]) -> Prompt:
    """What tells one turn from another; the texts themselves are in the brief."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    return Prompt(user=(PromptPart(text=f"texts {digest}"),))


def _brief(kind: str, texts: Sequence[str]) -> dict[str, JsonValue]:
    return {kind: list(texts)}
