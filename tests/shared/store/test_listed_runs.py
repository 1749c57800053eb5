"""Long lists of runs: what is found, in which order, and that pages of it follow one another without a gap."""

from dataclasses import replace

import pytest

from shared.models.outcomes import RunStatus
from shared.models.rows import ListedRun
from shared.store.database import Database
from shared.store.listed_runs import page_of_runs
from shared.store.run_filter import ALL_RUNS, RunFilter, beginnings_of
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

TITLES = {
    "Split the billing module": "plan",
    "src/billing/app.py": "review",
    "main...feature/split-it": "review",
    "이 서비스 아키텍처 어떻게 구성할까?": "forum",
    "It's 100% \\ 'quoted' & odd | (:* !": "ask",
}


@pytest.fixture
def runs(database: Database) -> dict[str, str]:
    """The runs' ids by their titles."""
    ids = {}
    for title, workflow in TITLES.items():
        ids[title] = new_run(database, "a")
        execute(
            database,
            "UPDATE runs SET title = %s, workflow = %s WHERE id = %s",
            title,
            workflow,
            ids[title],
        )
    return ids


def listed(database: Database, wanted: RunFilter = ALL_RUNS, limit: int = 50) -> list[ListedRun]:
    return database.run(lambda c: page_of_runs(c, limit=limit, wanted=wanted))


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("billing", {"Split the billing module", "src/billing/app.py"}),
        ("SPLIT", {"Split the billing module", "main...feature/split-it"}),
        ("split bill", {"Split the billing module"}),
        ("app.py", {"src/billing/app.py"}),
        ("feature/split", {"main...feature/split-it"}),
        ("아키텍", {"이 서비스 아키텍처 어떻게 구성할까?"}),
        ("illing", set()),
        ("quoted & odd", {"It's 100% \\ 'quoted' & odd | (:* !"}),
        ("'); DROP TABLE runs; --", set()),
        (":* & | ! ( <->", set()),
        ("%", set()),
    ],
)
def test_titles_are_found_by_how_their_words_begin(
    database: Database, runs: dict[str, str], words: str, titles: set[str]
) -> None:
    assert {run.title for run in listed(database, RunFilter(words=words))} == titles


def test_a_run_is_found_by_how_its_id_begins(database: Database, runs: dict[str, str]) -> None:
    run = runs["src/billing/app.py"]

    assert [found.id for found in listed(database, RunFilter(words=run[:8]))] == [run]


def test_pages_follow_one_another_without_a_gap_also_within_one_moment(
    database: Database, runs: dict[str, str]
) -> None:
    execute(database, "UPDATE runs SET created_at = '2026-11-21' WHERE workflow <> 'ask'")
    whole = [run.id for run in listed(database)]
    wanted, pages = ALL_RUNS, []
    while page := listed(database, wanted, limit=2):
        pages += [run.id for run in page]
        wanted = replace(wanted, before_at=page[-1].created_at, before_id=page[-1].id)

    assert pages == whole
    assert len(whole) == len(TITLES)


def test_filters_are_combined(database: Database, runs: dict[str, str]) -> None:
    execute(database, "UPDATE runs SET verdict = 'APPROVED' WHERE title LIKE 'src%%'")
    labels = '{"labels": {"repository": "shop", "batch": "nightly"}}'
    execute(database, "UPDATE specs SET spec = spec || %s::jsonb", labels)

    wanted = RunFilter(repository="shop", batch="nightly", workflow="review", verdict="APPROVED")
    [run] = listed(database, wanted)

    assert (run.title, run.repository, run.batch) == ("src/billing/app.py", "shop", "nightly")
    assert run.status is RunStatus.RUNNING
    assert run.cost_usd is None
    assert listed(database, replace(wanted, repository="other")) == []


def test_a_query_has_no_more_words_than_anybody_reads() -> None:
    assert beginnings_of(" ".join(map(str, range(1000)))).count("&") == 9
