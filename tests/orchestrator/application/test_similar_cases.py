"""Stored cases are found by their text, the most similar first, and never the case itself."""

import json
from collections.abc import Sequence

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.similar_cases import stored_neighbours
from shared.models.case import Case
from shared.models.passages import CutPassage
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.documents import address, put_documents
from shared.text.search_terms import search_terms
from workers.tools.clinical.cutting import cut_passages
from workers.turns.passages import StoredPassages

pytestmark = pytest.mark.component

CHEST = "A man with crushing chest pain and sweating. Troponin is high. Aspirin was given."
HEART = "A woman with chest pain on exertion. Troponin is normal. Aspirin was continued."
KNEE = "A girl with a swollen knee and pain after a fall. The x-ray shows no fracture."
KOREAN = "흉통과 식은땀을 호소하는 남자 환자. 아스피린을 투여하였다."


@pytest.fixture
def backend(database: Database) -> Backend:
    urls = {"QUORATE_DATABASE_URL": database.url, "QUORATE_REDIS_URL": "redis://localhost:1/0"}
    return Backend(ServiceSettings.from_environment({"HOME": "/nonexistent", **urls}), database)


def store(database: Database, texts: Sequence[str], *, workflow: str = "case") -> list[str]:
    """A run about each text, with its passages, the oldest first; their ids."""
    runs = []
    for text in texts:
        chart = address(text.encode())
        case = Case(title=f"about {text[:9]}", chart=chart).model_dump_json().encode()
        documents = {chart: text.encode(), address(case): case}
        database.run(lambda connection, documents=documents: put_documents(connection, documents))
        cuts = [CutPassage(a, b, tuple(search_terms(text[a:b]))) for a, b in cut_passages(text)]
        StoredPassages(database).keep(chart, cuts)
        with database.connection() as connection:
            run = f"{workflow}-{connection.execute('SELECT count(*) AS n FROM runs').fetchone().n}"
            connection.execute(
                "INSERT INTO runs (id, workflow, title, status, root_task) VALUES (%s, %s, 't', 'completed', 'x')",
                (run, workflow),
            )
            connection.execute(
                "INSERT INTO specs (run_id, spec) VALUES (%s, %s)",
                (run, json.dumps({"subject": address(case)})),
            )
        runs.append(run)
    return runs


def test_the_most_similar_stored_cases_come_first(backend: Backend) -> None:
    runs = store(backend.database, [KNEE, HEART])

    rows = stored_neighbours(backend, CHEST, 5)

    assert [row.run for row in rows] == [runs[1], runs[0]]
    assert rows[0].text == HEART
    assert rows[0].title == "about A woman w"
    assert 1 > rows[0].similarity > rows[1].similarity > 0


def test_only_as_many_are_taken_as_asked_for(backend: Backend) -> None:
    store(backend.database, [KNEE, HEART])

    assert [row.text for row in stored_neighbours(backend, CHEST, 1)] == [HEART]


def test_a_case_is_no_neighbour_of_itself_whatever_its_blanks(backend: Backend) -> None:
    store(backend.database, [CHEST, CHEST.replace(" ", "\n"), HEART])

    assert [row.text for row in stored_neighbours(backend, CHEST, 5)] == [HEART]


def test_a_case_of_two_runs_is_found_once_with_the_newer_run(backend: Backend) -> None:
    runs = store(backend.database, [HEART, KNEE, HEART])

    assert [row.run for row in stored_neighbours(backend, CHEST, 5)] == [runs[2], runs[1]]


def test_a_korean_case_is_found_by_a_korean_one(backend: Backend) -> None:
    store(backend.database, [KNEE, KOREAN])

    [row] = stored_neighbours(backend, "식은땀과 흉통이 있는 여자 환자", 5)

    assert row.text == KOREAN


def test_nothing_of_other_workflows_is_taken(backend: Backend) -> None:
    store(backend.database, [HEART], workflow="ask")

    assert stored_neighbours(backend, CHEST, 5) == []


def test_a_subject_that_is_no_case_is_passed_over(backend: Backend) -> None:
    [run] = store(backend.database, [HEART])
    store(backend.database, [KNEE])
    other = b"not json"
    with backend.database.connection() as connection:
        put_documents(connection, {address(other): other})
        connection.execute(
            "UPDATE specs SET spec = %s WHERE run_id = %s",
            (json.dumps({"subject": address(other)}), run),
        )

    assert [row.text for row in stored_neighbours(backend, CHEST, 5)] == [KNEE]
