"""Runs that go from one database to another in a file, and what a hostile file does there: nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.run_file import writing
from orchestrator.application.transfer import export_run, import_file
from orchestrator.application.undoing import submit_undo
from orchestrator.embedded.throwaway import clone_database, drop_database
from shared.errors import UserError
from shared.instance import Endpoints
from shared.models.run_file import DocumentLine, RowLine, RunFileHeader
from shared.settings import ServiceSettings
from shared.store.daily_spending import sum_up
from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents
from shared.store.ends import finish, store_response
from shared.store.importing import find_import
from shared.store.journal import load_journal
from shared.store.migrate import HEAD
from shared.store.reuse import find_answer
from shared.store.spending import Grouping, spending
from shared.store.sweeping import due_runs
from shared.store.views import find_run, run_usage
from tests.support.runs import execute, fetch, new_run, response, take

pytestmark = pytest.mark.component

Change = Callable[[list[dict[str, Any]]], None]


def backend_of(database: Database) -> Backend:
    return Backend(ServiceSettings.from_environment({"HOME": "/nonexistent"}), database)


@pytest.fixture
def here(database: Database) -> Backend:
    return backend_of(database)


@pytest.fixture
def there(servers: Endpoints, template: str) -> Iterator[Backend]:
    """Another instance."""
    name = "imported_runs"
    opened = Database(clone_database(servers, template, name), pool_size=2, patience_s=10)
    yield backend_of(opened)
    opened.close()
    drop_database(servers, name)


def made_run(database: Database) -> str:
    """A run with a paid step, a document, and an open step."""
    run = new_run(database, "critique/1/a", "critique/1/b")
    text = b"what the subject is"
    database.run(partial(put_documents, documents={address(text): text}))
    claimed = take(database, run, "critique/1/a")
    database.run(lambda c: store_response(c, response(claimed)))
    reply = json.dumps({"subject": {"document": address(text)}})
    database.run(lambda c: finish(c, claimed, reply=reply, failure=None, cost_usd=0.5))
    return run


def rewritten(path: Path, change: Change) -> Path:
    """The same file with other lines, and a checksum that fits them."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()][:-1]
    change(lines)
    with path.open("wb") as stream, writing(stream) as writer:
        writer.write(RunFileHeader.model_validate(lines[0]))
        for line in lines[1:]:
            if "table" in line:
                writer.write(RowLine.model_validate(line))
            else:
                writer.write(DocumentLine.model_validate(line))
        writer.end()
    return path


def runs_of(backend: Backend) -> int:
    return int(fetch(backend.database, "SELECT count(*) AS n FROM runs").n)


def test_a_run_arrives_whole_as_history(here: Backend, there: Backend, tmp_path: Path) -> None:
    run = made_run(here.database)
    path = export_run(here, run, tmp_path / "a.qrun").path
    assert path.stat().st_mode & 0o077 == 0

    assert not import_file(there, path, "me").known

    found = there.read(partial(find_run, name=run))
    assert (found.status, found.id) == ("cancelled", run)
    stored = there.read(partial(load_journal, run=run))
    assert [(step.key, step.status) for step in stored.steps] == [
        ("critique/1/a", "done"),
        ("critique/1/b", "cancelled"),
    ]
    ours = here.read(partial(load_journal, run=run))
    assert stored.steps[0] == ours.steps[0]
    name = address(b"what the subject is")
    assert there.read(partial(get_documents, names=[name]))
    assert there.read(partial(run_usage, run=run)).cost_usd == 0.5
    origin = there.read(partial(find_import, run=run))
    assert origin is not None
    assert (origin.status, origin.actor, origin.redacted) == ("running", "me", False)


def test_the_same_file_again_changes_nothing(here: Backend, there: Backend, tmp_path: Path) -> None:
    path = export_run(here, made_run(here.database), tmp_path / "a.qrun").path
    import_file(there, path, "me")

    assert import_file(there, path, "me").known
    assert runs_of(there) == 1


def test_a_run_is_not_imported_where_it_is_at_home_or_in_another_state(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    run = made_run(here.database)
    path = export_run(here, run, tmp_path / "a.qrun").path
    with pytest.raises(UserError, match="a run of this instance"):
        import_file(here, path, "me")

    import_file(there, path, "me")
    execute(here.database, "UPDATE runs SET title = 'another' WHERE id = %s", run)
    later = export_run(here, run, tmp_path / "b.qrun").path
    with pytest.raises(UserError, match="another state"):
        import_file(there, later, "me")


def test_nothing_goes_on_and_nothing_is_counted_or_reused(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    run = made_run(here.database)
    path = export_run(here, run, tmp_path / "a.qrun").path
    import_file(there, path, "me")

    execute(there.database, "UPDATE runs SET updated_at = now() - interval '1 hour'")
    assert there.read(partial(due_runs, patience_s=1.0)) == []
    assert there.read(lambda c: spending(c, Grouping.TOTAL)) == []
    there.read(partial(sum_up, enough=1))
    assert there.read(lambda c: spending(c, Grouping.TOTAL)) == []
    assert there.read(partial(find_answer, request_sha="r")) is None
    assert here.read(partial(find_answer, request_sha="r")) == b"paid"
    with pytest.raises(UserError, match="was imported"):
        submit_undo(there, run)
    with pytest.raises(UserError, match="there is no run"):
        there.read(partial(find_run, name="last"))


def test_children_come_along_when_that_is_wanted(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    top, parent, child = (made_run(here.database) for _ in range(3))
    for run, above, depth in ((parent, top, 1), (child, parent, 2)):
        execute(
            here.database,
            "UPDATE runs SET parent_run = %s, parent_step = 's', root_run = %s, depth = %s WHERE id = %s",
            above,
            top,
            depth,
            run,
        )
    alone = export_run(here, child, tmp_path / "a.qrun")
    family = export_run(here, parent, tmp_path / "b.qrun", with_children=True)

    assert alone.header.runs == (child,)
    assert family.header.runs == (parent, child)
    import_file(there, family.path, "me")
    rows = there.read(
        lambda c: c.execute("SELECT id, parent_run, root_run, depth FROM runs ORDER BY depth")
    ).fetchall()
    assert [tuple(row) for row in rows] == [(parent, None, None, 0), (child, parent, parent, 1)]


def table(lines: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [line["row"] for line in lines if line.get("table") == name]


def running(lines: list[dict[str, Any]]) -> None:
    for row in table(lines, "runs"):
        row.update(status="running", open_steps=1, batch="nightly", watched=True)
        row.update(idempotency_key="theirs", deadline_at="2020-01-01T00:00:00Z")
    for row in table(lines, "steps"):
        row.update(status="leased", owner="worker", finished_at=None)
    for row in table(lines, "specs"):
        row["spec"]["labels"] = {"repository": "yours", "batch": "nightly", "of": "r1"}


def test_a_file_that_pretends_to_be_under_way_is_history_all_the_same(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    run = made_run(here.database)
    path = rewritten(export_run(here, run, tmp_path / "a.qrun").path, running)

    import_file(there, path, "me")

    row = fetch(there.database, "SELECT * FROM runs")
    assert (row.status, row.open_steps, row.batch, row.watched) == ("cancelled", 0, None, False)
    assert (row.idempotency_key, row.deadline_at) == (None, None)
    assert fetch(there.database, "SELECT count(*) AS n FROM steps WHERE finished_at IS NULL").n == 0
    labels = fetch(there.database, "SELECT spec->'labels' AS labels FROM specs").labels
    assert labels.keys() == {"origin.repository", "origin.batch", "origin.of"}


def another_run(lines: list[dict[str, Any]]) -> None:
    table(lines, "steps")[0]["run_id"] = "r_other"


def another_table(lines: list[dict[str, Any]]) -> None:
    lines.insert(2, {"table": "webhooks", "row": {"run_id": lines[0]["runs"][0], "name": "evil"}})


def strange_id(lines: list[dict[str, Any]]) -> None:
    lines[0]["runs"] = ["../../etc/passwd"]


def wrong_document(lines: list[dict[str, Any]]) -> None:
    document = next(line for line in lines if "document" in line)
    document["content"] = "ZXZpbA=="


def no_base64(lines: list[dict[str, Any]]) -> None:
    next(line for line in lines if "document" in line)["content"] = "!"


def no_row(lines: list[dict[str, Any]]) -> None:
    lines[:] = [line for line in lines if line.get("table") != "runs"]


def wrong_type(lines: list[dict[str, Any]]) -> None:
    table(lines, "steps")[0]["round"] = "many"


def nul(lines: list[dict[str, Any]]) -> None:
    table(lines, "runs")[0]["title"] = "a\x00b"


def twice(lines: list[dict[str, Any]]) -> None:
    lines += [line for line in lines if line.get("table") == "runs"]


def newer_schema(lines: list[dict[str, Any]]) -> None:
    lines[0]["revision"] = "9999"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (another_run, "a run that it does not name"),
        (another_table, "'webhooks', which no run has"),
        (strange_id, "as none is called"),
        (wrong_document, "is not what its name says"),
        (no_base64, "is not what its name says"),
        (no_row, "cannot be stored|does not hold it"),
        (wrong_type, "cannot be stored"),
        (nul, "cannot be stored"),
        (twice, "cannot be stored"),
        (newer_schema, f"this version of Quorate knows {HEAD}"),
    ],
)
def test_a_forged_file_stores_nothing(
    here: Backend, there: Backend, tmp_path: Path, change: Change, words: str
) -> None:
    path = rewritten(export_run(here, made_run(here.database), tmp_path / "a.qrun").path, change)

    with pytest.raises(UserError, match=words):
        import_file(there, path, "me")

    assert runs_of(there) == 0
    assert fetch(there.database, "SELECT count(*) AS n FROM documents").n == 0


def test_columns_that_no_table_has_are_left_out(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    def strange(lines: list[dict[str, Any]]) -> None:
        table(lines, "runs")[0]['id") SELECT 1; --'] = "x"

    run = made_run(here.database)
    path = rewritten(export_run(here, run, tmp_path / "a.qrun").path, strange)

    import_file(there, path, "me")

    assert runs_of(there) == 1


def test_without_texts_none_of_them_is_in_the_file(
    here: Backend, there: Backend, tmp_path: Path
) -> None:
    run = made_run(here.database)
    execute(here.database, "UPDATE runs SET title = 'my secret plan' WHERE id = %s", run)

    exported = export_run(here, run, tmp_path / "a.qrun", without_texts=True)

    written = gzip.decompress(exported.path.read_bytes())
    assert exported.header.redacted
    assert exported.header.origin == ""
    for word in (b"secret", b"subject is", b"paid"):
        assert word not in written
    import_file(there, exported.path, "me")
    assert there.read(partial(find_run, name=run)).title != "my secret plan"
