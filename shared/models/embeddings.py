"""Vectors of texts, as an embedding model gives them and as tools are given them."""

from __future__ import annotations

from shared.models.wire import ForeignWire, Wire

MOST_TEXTS = 128
"""Texts of one turn."""


class EmbeddedTexts(ForeignWire):
    """A vector for each text, in their order: passages first, then queries (`shared.text.vectors.packed`)."""

    vectors: tuple[str, ...] = ()
    model: str = ""


class TextPlace(ForeignWire):
    """A passage: characters `start` to `stop` of a stored text."""

    document: str
    start: int
    stop: int


class UnembeddedPassages(ForeignWire):
    """Passages of a case without a vector of that space; `left_out` are more than are asked for."""

    places: tuple[TextPlace, ...] = ()
    left_out: int = 0


class PassageVector(TextPlace):
    """The passage's vector."""

    vector: str


class QueryVector(ForeignWire):
    """A query's vector."""

    text: str
    vector: str


class SearchVector(Wire):
    """What is searched for, as a vector of a `space`: the model that made it, and those that it is compared with."""

    space: str
    vector: str


class KnownVectors(ForeignWire):
    """What a retrieval may use besides words: vectors of one `space`, which is the model that made them."""

    space: str = ""
    passages: tuple[PassageVector, ...] = ()
    queries: tuple[QueryVector, ...] = ()


EMBEDDING_REPLIES: dict[str, type[ForeignWire]] = {
    "embeddings": EmbeddedTexts,
    "embeddings.missing": UnembeddedPassages,
}
