"""Documents go with the last run that refers to them, and no earlier; what runs cost stays known."""

from __future__ import annotations

from functools import partial

import pytest

from shared.models.retention import Purged
from shared.store.code_graph import find_graph, put_facts, put_graph
from shared.store.daily_spending import sum_up
from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents
from shared.store.ends import finish, store_response
from shared.store.forking import Fork, create_fork
from shared.store.spending import Grouping, spending
from tests.support.ended_runs import aged, end, ended, purged, runs, stored
from tests.support.review_panel import submission
from tests.support.runs import execute, fetch, new_run, response, take

pytestmark = pytest.mark.component


def test_documents_go_with_the_last_run_that_refers_to_them(database: Database) -> None:
    ended(database, texts=b"shared")
    young = ended(database, texts=b"shared", days=10)
    ended(database, texts=b"alone")
    aged(database)

    assert purged(database) == Purged(runs=2, documents=1)
    assert stored(database, b"shared", b"alone") == [True, False]

    end(database, young)
    assert purged(database) == Purged(runs=1, documents=1)
    assert stored(database, b"shared") == [False]


def test_documents_of_runs_that_have_not_ended_stay(database: Database) -> None:
    run = ended(database, texts=b"asked")
    execute(database, "UPDATE runs SET status = 'running' WHERE id = %s", run)
    aged(database)

    assert purged(database) == Purged()
    assert stored(database, b"asked") == [True]


def test_a_document_that_another_one_names_stays_with_it(database: Database) -> None:
    inner = b"the chart"
    outer = b'{"chart": "%s"}' % address(inner).encode()
    ended(database, texts=outer, days=10)
    database.run(partial(put_documents, documents={address(inner): inner}))
    aged(database)

    assert purged(database) == Purged()
    assert stored(database, inner, outer) == [True, True]


def test_what_was_stored_again_a_moment_ago_stays_although_nobody_refers_to_it_yet(
    database: Database,
) -> None:
    text = b"about to be referred to"
    database.run(partial(put_documents, documents={address(text): text}))
    aged(database)
    database.run(partial(put_documents, documents={address(text): text}))

    assert purged(database) == Purged()
    assert stored(database, text) == [True]

    aged(database)
    assert purged(database) == Purged(documents=1)


def test_an_answer_that_is_stored_again_is_young_too(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    database.run(lambda c: put_documents(c, {address(b"paid"): b"paid"}))
    aged(database)

    database.run(lambda c: store_response(c, response(claimed, b"paid")))

    age = fetch(database, "SELECT created_at > now() - interval '1 hour' AS young FROM documents")
    assert age.young


def test_a_fork_keeps_what_it_copied(database: Database) -> None:
    run = new_run(database, "critique/1/a")
    claimed = take(database, run, "critique/1/a")
    text = b"what was said"
    reply = f'{{"text": "{address(text)}"}}'
    database.run(lambda c: put_documents(c, {address(text): text}))
    database.run(lambda c: finish(c, claimed, reply=reply, failure=None))
    end(database, run)
    fork = Fork("fork1", run, "round:2", "fork", submission().spec, "root", ("critique/1/a",))
    database.run(lambda c: create_fork(c, fork, {}), atomic=True)
    aged(database)

    assert purged(database) == Purged(runs=1)

    assert runs(database) == {"fork1"}
    assert database.run(partial(get_documents, names=[address(text)]))


def test_what_a_purged_run_cost_stays_in_the_sums(database: Database) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    database.run(lambda c: store_response(c, response(claimed)))
    database.run(lambda c: finish(c, claimed, reply="{}", failure=None))
    end(database, run)

    assert purged(database).runs == 1

    [total] = database.run(lambda c: spending(c, Grouping.TOTAL))
    assert (total.calls, total.cost_usd) == (1, 0.5)
    assert not database.run(partial(sum_up, enough=1))


def test_graphs_of_code_stay_for_a_month_and_facts_are_forgotten(database: Database) -> None:
    graph = b"a graph"
    database.run(partial(put_documents, documents={address(graph): graph}))
    database.run(partial(put_graph, key="tree", document=address(graph)))
    database.run(partial(put_facts, facts={"file": b"facts"}))
    execute(database, "UPDATE documents SET created_at = now() - interval '20 days'")
    execute(database, "UPDATE code_facts SET created_at = now() - interval '20 days'")
    assert purged(database) == Purged()

    aged(database)
    assert database.run(partial(find_graph, key="tree")) == address(graph)
    assert purged(database) == Purged()

    aged(database)
    execute(database, "UPDATE code_facts SET created_at = now() - interval '50 days'")
    assert purged(database) == Purged(documents=1)
    assert database.run(partial(find_graph, key="tree")) is None
    assert fetch(database, "SELECT count(*) AS n FROM code_facts").n == 0
