"""Facts of code are kept alike in Postgres and in memory: what was stored first stays, and is found by its key."""

from __future__ import annotations

import pytest

from shared.store.database import Database
from shared.store.documents import address, put_documents
from shared.store.migrate import upgrade
from tests.support.migrations import to_revision
from workers.tools.code_facts import CodeFacts, MemoryCodeFacts
from workers.turns.code_facts import StoredCodeFacts

pytestmark = pytest.mark.component


@pytest.fixture(params=["memory", "postgres"])
def facts(request: pytest.FixtureRequest, database: Database) -> CodeFacts:
    return MemoryCodeFacts() if request.param == "memory" else StoredCodeFacts(database)


@pytest.fixture
def graphs(database: Database) -> tuple[str, str]:
    """Two stored documents."""
    contents = (b"one graph", b"another")
    stored = {address(content): content for content in contents}
    database.run(lambda connection: put_documents(connection, stored))
    first, second = stored
    return first, second


def test_facts_are_found_by_their_keys_and_others_are_missing(facts: CodeFacts) -> None:
    facts.keep_facts({"a": b"\0binary\xff", "b": "파일".encode()})

    assert facts.facts(["b", "c", "a"]) == {"a": b"\0binary\xff", "b": "파일".encode()}
    assert facts.facts([]) == {}


def test_what_was_stored_first_stays(facts: CodeFacts) -> None:
    facts.keep_facts({"a": b"first"})
    facts.keep_facts({"a": b"second", "b": b"new"})
    facts.keep_facts({})

    assert facts.facts(["a", "b"]) == {"a": b"first", "b": b"new"}


def test_a_tree_has_the_graph_that_was_stored_first(
    facts: CodeFacts, graphs: tuple[str, str]
) -> None:
    assert facts.graph("tree") is None

    for document in graphs:
        facts.keep_graph("tree", document)

    assert facts.graph("tree") == graphs[0]


def test_a_database_goes_back_to_before_there_were_facts_and_forth_again(empty_url: str) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database)
    stored = StoredCodeFacts(database)
    stored.keep_facts({"a": b"facts"})

    to_revision(database, "0010")
    upgrade(database)

    assert stored.facts(["a"]) == {}
    stored.keep_facts({"a": b"again"})
    assert stored.facts(["a"]) == {"a": b"again"}
    database.close()
