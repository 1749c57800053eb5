"""Vectors of texts, by `/embeddings` as OpenAI, Ollama, llama.cpp, vLLM and others speak it. It does not converse."""

from __future__ import annotations

from pydantic import BaseModel, JsonValue, ValidationError

from shared.errors import ProviderError
from shared.models.embeddings import EmbeddedTexts
from shared.models.outcomes import FailureKind
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.embedding_options import EmbeddingOptions
from shared.text.vectors import packed
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.payload import Payload, count, items, part, text, unreadable
from workers.providers.options import model_of

ROW = CATALOGUE["embeddings"]


class EmbeddingBrief(BaseModel):
    """The texts of a turn."""

    passages: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


def _brief(call: ProviderCall) -> EmbeddingBrief:
    try:
        brief = EmbeddingBrief.model_validate(dict(call.brief))
    except ValidationError:
        brief = EmbeddingBrief()
    if not (brief.passages or brief.queries):
        raise ProviderError(
            FailureKind.BAD_REQUEST,
            f"{call.participant.name} makes vectors of texts: it cannot speak.",
            charged=False,
        )
    return brief


def _body(call: ProviderCall, options: EmbeddingOptions, quirks: Quirks) -> Payload:
    del quirks
    brief = _brief(call)
    texts: list[JsonValue] = [
        *(options.passage_prefix + passage for passage in brief.passages),
        *(options.query_prefix + query for query in brief.queries),
    ]
    return {"model": model_of(call), "input": texts, "encoding_format": "float"}


def read(payload: Payload, call: ProviderCall) -> Completion:
    """A vector for each text. Raises ProviderError where one is missing, or is of another length than the others."""
    brief = _brief(call)
    rows = {count(part(row, "index")): part(row, "embedding") for row in items(payload.get("data"))}
    wanted = len(brief.passages) + len(brief.queries)
    vectors = [_numbers(rows.get(place)) for place in range(wanted)]
    if len({len(vector) for vector in vectors}) != 1:
        raise unreadable(call.participant.name, "has no vector of the same length for each text")
    try:
        reply = EmbeddedTexts(vectors=tuple(map(packed, vectors)), model=text(payload.get("model")))
    except ValueError:
        raise unreadable(call.participant.name, "has a vector without a direction") from None
    usage = Usage(input_tokens=count(part(payload, "usage", "prompt_tokens")), output_tokens=0)
    return completion_of(ROW, call, reply.model_dump_json(), Finish.STOP, reply.model, usage)


def _numbers(row: JsonValue) -> list[float]:
    numbers = [number for number in items(row) if isinstance(number, int | float)]
    return list(map(float, numbers))


DIALECT: Dialect[EmbeddingOptions] = Dialect(
    row=ROW,
    options=EmbeddingOptions,
    path=lambda _: "/embeddings",
    endings=("/embeddings",),
    body=_body,
    read=read,
)
complete, structured = DIALECT.complete, DIALECT.structured
