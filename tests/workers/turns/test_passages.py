"""Passages are found and ranked alike in Postgres and in memory."""

import random
import time
from collections.abc import Callable

import pytest

from shared.models.embeddings import PassageVector
from shared.models.passages import CutPassage, FoundPassage, QueryPart
from shared.store.database import Database
from shared.store.documents import address, put_documents
from shared.store.passage_vectors import has_vector_extension
from shared.text.search_terms import search_terms
from shared.text.vectors import packed, unpacked
from workers.tools.passages import MemoryPassages, Passages, PassageStore, nearest_first
from workers.turns.passages import StoredPassages

pytestmark = pytest.mark.component

SENTENCES = (
    "Chest pain for three days.",
    "The pain is worse on exertion; no fever.",
    "Started aspirin 81 mg.",
    "고혈압이 있으며 아스피린을 복용하였다.",
    "혈압은 120/80이다.",
)
Keep = Callable[[Passages, str, tuple[str, ...]], str]


@pytest.fixture
def keep(database: Database) -> Keep:
    """Stores a text of sentences and its passages; its hash."""

    def keep(passages: Passages, name: str, sentences: tuple[str, ...]) -> str:
        content = (name + "\n".join(sentences)).encode()
        document = address(content)
        database.run(lambda connection: put_documents(connection, {document: content}))
        cuts, start = [], 0
        for sentence in sentences:
            cuts.append(CutPassage(start, start + len(sentence), tuple(search_terms(sentence))))
            start += len(sentence) + 1
        passages.keep(document, cuts)
        return document

    return keep


@pytest.fixture(params=["memory", "postgres"])
def passages(request: pytest.FixtureRequest, database: Database) -> PassageStore:
    return MemoryPassages() if request.param == "memory" else StoredPassages(database)


def words(text: str) -> list[QueryPart]:
    return [QueryPart(((term,),)) for term in dict.fromkeys(search_terms(text))]


def places(passages: Passages, documents: list[str], text: str) -> list[int]:
    return [passage.start for passage in passages.search(documents, words(text), 10)]


def test_what_has_more_and_rarer_words_of_the_query_comes_first(
    passages: Passages, keep: Keep
) -> None:
    document = keep(passages, "a", SENTENCES)

    rows = passages.search([document], words("exertional pain, fever, cough"), 10)

    assert [row.start for row in rows] == [len(SENTENCES[0]) + 1, 0]
    assert 0 < rows[1].relevance < rows[0].relevance < 1


def test_a_passage_that_has_all_words_is_fully_relevant(passages: Passages, keep: Keep) -> None:
    document = keep(passages, "a", SENTENCES)

    [row] = passages.search([document], words("aspirin 81"), 1)

    assert (row.document, row.relevance) == (document, 1.0)


def test_korean_queries_find_korean_passages(passages: Passages, keep: Keep) -> None:
    document = keep(passages, "a", SENTENCES)

    assert places(passages, [document], "아스피린 복용")[0] == sum(map(len, SENTENCES[:3])) + 3
    assert len(places(passages, [document], "혈압")) == 2


def test_any_alternative_fulfils_a_part_and_an_alternative_needs_all_its_terms(
    passages: Passages, keep: Keep
) -> None:
    document = keep(passages, "a", ("Heart failure.", "CHF since May.", "Renal failure."))
    part = QueryPart((("chf",), ("heart", "failur")))

    rows = passages.search([document], [part], 10)

    assert [(row.start, row.relevance) for row in rows] == [(0, 1.0), (15, 1.0)]


def test_only_documents_that_are_named_are_searched(passages: Passages, keep: Keep) -> None:
    first, second = keep(passages, "a", SENTENCES), keep(passages, "b", SENTENCES)

    rows = passages.search([second], words("pain"), 10)

    assert {row.document for row in rows} == {second}
    assert len(passages.search([first, second, second], words("pain"), 10)) == 4


def test_what_is_cut_is_not_missing_and_stays_as_it_is(passages: Passages, keep: Keep) -> None:
    document = keep(passages, "a", SENTENCES)
    passages.keep(document, [CutPassage(0, 1, ("other",))])

    assert passages.missing([document, "0" * 64]) == ["0" * 64]
    assert places(passages, [document], "aspirin") != []
    assert places(passages, [document], "other") == []


def test_nothing_is_found_for_nothing(passages: Passages, keep: Keep) -> None:
    document = keep(passages, "a", SENTENCES)

    assert passages.search([document], [], 10) == []
    assert passages.search([], words("pain"), 10) == []


def test_both_rank_random_passages_alike(database: Database, keep: Keep) -> None:
    memory, stored = MemoryPassages(), StoredPassages(database)
    chance = random.Random(5)
    vocabulary = [f"w{n}" for n in range(40)]
    texts = [
        tuple(" ".join(chance.choices(vocabulary, k=chance.randint(1, 9))) for _ in range(30))
        for _ in range(5)
    ]
    names = [keep(memory, str(n), text) for n, text in enumerate(texts)]
    assert names == [keep(stored, str(n), text) for n, text in enumerate(texts)]

    for _ in range(40):
        query = words(" ".join(chance.sample(vocabulary, k=chance.randint(1, 6))))
        assert memory.search(names, query, 12) == stored.search(names, query, 12)


def test_ten_thousand_passages_are_searched_while_nobody_notices(
    database: Database, keep: Keep
) -> None:
    stored = StoredPassages(database)
    chance = random.Random(7)
    vocabulary = [f"w{n}" for n in range(3000)]
    names = [
        keep(stored, str(n), tuple(" ".join(chance.choices(vocabulary, k=20)) for _ in range(500)))
        for n in range(20)
    ]
    query = words(" ".join(chance.sample(vocabulary, k=8)))
    stored.search(names, query, 5)

    begun = time.perf_counter()
    rows = stored.search(names, query, 5)

    assert len(rows) == 5
    assert time.perf_counter() - begun < 1.0


VECTORS = ((1.0, 0.0, 0.2), (0.9, 0.1, 0.1), (0.0, 1.0, 0.0), (0.1, 0.9, 0.4), (-1.0, 0.0, 0.0))


def test_passages_are_found_by_their_vectors_the_nearest_first(
    passages: PassageStore, keep: Keep
) -> None:
    document = keep(passages, "a", SENTENCES)
    missing = passages.unembedded([document], "m")
    assert [place.start for place in missing] == sorted(place.start for place in missing)
    assert len(missing) == len(SENTENCES)

    known = [
        PassageVector(**place.model_dump(), vector=packed(vector))
        for place, vector in zip(missing, VECTORS, strict=True)
    ]
    passages.keep_vectors("m", known[:4])
    passages.keep_vectors("m", known)
    asked = unpacked(packed((1.0, 0.05, 0.1)))
    near = passages.near([document], "m", asked)

    assert [missing.index(place) for row in near for place in missing if place.start == row.start] == [
        1, 0, 3, 2, 4,
    ]  # fmt: skip
    assert near[0].relevance > 0.99
    assert near[2].relevance < 0.9
    assert passages.unembedded([document], "m") == []
    assert len(passages.unembedded([document], "another model")) == len(SENTENCES)
    assert passages.near([document], "another model", asked) == []
    assert passages.near([document], "m", asked[:2]) == []
    with pytest.raises(ValueError, match="vector"):
        passages.keep_vectors("m2", [PassageVector(**missing[0].model_dump(), vector="?")])


def test_pgvector_and_the_worker_compare_alike(database: Database, keep: Keep) -> None:
    passages = StoredPassages(database)
    document = keep(passages, "a", SENTENCES)
    chance = random.Random(7)
    known = [
        PassageVector(
            **place.model_dump(), vector=packed([chance.uniform(-1, 1) for _ in range(384)])
        )
        for place in passages.unembedded([document], "m")
    ]
    passages.keep_vectors("m", known)
    asked = unpacked(known[2].vector)
    if not database.run(has_vector_extension):
        pytest.fail("the embedded Postgres has pgvector, and migration 0021 installs it")

    def by(way: Callable[..., list[FoundPassage]]) -> list[tuple[int, float]]:
        rows = nearest_first(way([document], "m", asked), [document])
        return [(row.start, round(row.relevance, 3)) for row in rows]

    assert by(passages.near_by_postgres) == by(passages.near_by_worker)
    assert by(passages.near)[0] == (known[2].start, 1.0)
