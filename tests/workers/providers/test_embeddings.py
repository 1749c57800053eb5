"""Vectors of texts: what is asked for, and which answers are none."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from shared.errors import ProviderError
from shared.models.embeddings import EmbeddedTexts
from shared.models.outcomes import FailureKind
from shared.text.vectors import cosine, packed, unpacked
from tests.workers.providers.calls import call_of
from workers.providers import embeddings
from workers.providers.calls import ProviderCall
from workers.providers.http.converse import read_body

BRIEF: dict[str, Any] = {"passages": ["No fever."], "queries": ["fever", "chills"]}


def call(brief: dict[str, Any] = BRIEF, **options: Any) -> ProviderCall:
    plain = call_of("embeddings", options={"base_url": "http://127.0.0.1:9/v1", **options})
    return dataclasses.replace(plain, brief=brief)


def answer(*rows: Any) -> bytes:
    return json.dumps({"data": rows, "model": "m", "usage": {"prompt_tokens": 7}}).encode()


def row(index: int, *numbers: Any) -> dict[str, Any]:
    return {"index": index, "embedding": list(numbers)}


def test_passages_and_queries_are_asked_for_with_their_prefixes() -> None:
    request = embeddings.DIALECT.build(
        call(passage_prefix="search_document: ", query_prefix="search_query: "), frozenset()
    )
    assert request.url == "http://127.0.0.1:9/v1/embeddings"
    assert json.loads(request.body)["input"] == [
        "search_document: No fever.",
        "search_query: fever",
        "search_query: chills",
    ]


def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_answer() -> None:
    body = answer(row(2, 0, 0, 5), row(0, 3, 0, 0), row(1, 0.0, -2.5, 0))
    completion = read_body(embeddings.DIALECT, call(), body, {})
    reply = EmbeddedTexts.model_validate_json(completion.text)
    assert [unpacked(vector) for vector in reply.vectors] == [(1, 0, 0), (0, -1, 0), (0, 0, 1)]
    assert (completion.usage.input_tokens, completion.usage.cost_usd) == (7, 0)


@pytest.mark.parametrize(
    "rows",
    [
        (row(0, 1, 0), row(1, 0, 1)),
        (row(0, 1, 0), row(1, 0, 1), row(2, 1)),
        (row(0, 1, 0), row(1, 0, 1), row(2, 0, 0)),
        (row(0, 1, 0), row(1, 0, 1), row(2, "a", "b")),
        (row(0, 1, 0), row(1, 0, 1), {"index": 2, "embedding": "AAAA"}),
        (),
    ],
    ids=["one missing", "a shorter one", "without a direction", "words", "base64", "none"],
)
def test_an_answer_without_a_vector_for_each_text_is_none(rows: tuple[Any, ...]) -> None:
    with pytest.raises(ProviderError) as raised:
        read_body(embeddings.DIALECT, call(), answer(*rows), {})
    assert raised.value.kind is FailureKind.UNPARSEABLE


def test_it_cannot_speak() -> None:
    with pytest.raises(ProviderError, match="cannot speak") as raised:
        embeddings.DIALECT.build(call({}), frozenset())
    assert (raised.value.kind, raised.value.charged) == (FailureKind.BAD_REQUEST, False)


def test_a_byte_a_number_keeps_the_cosine() -> None:
    first = [0.11 * number * (-1) ** number for number in range(1, 200)]
    second = [0.09 * number * (-1) ** (number // 3) for number in range(1, 200)]
    norms = [sum(x * x for x in vector) ** 0.5 for vector in (first, second)]
    exact = sum(a * b for a, b in zip(first, second, strict=True)) / (norms[0] * norms[1])
    assert cosine(unpacked(packed(first)), unpacked(packed(second))) == pytest.approx(
        exact, abs=0.01
    )
    for nothing in ([], [0.0, 0.0], [float("nan")], [float("inf")]):
        with pytest.raises(ValueError, match="direction"):
            packed(nothing)
    for text in ("?", "", packed([1.0])[:2]):
        with pytest.raises(ValueError, match="vector"):
            unpacked(text)
