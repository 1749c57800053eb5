"""Paid answers: committed before they are looked at, adopted instead of paid again, kept while Postgres is away."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.delivery.contracts import Receipt
from shared.delivery.presence import Presence
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.store.database import Database
from shared.store.ends import StoredResponse, store_response
from tests.support.bad_servers import read_request, reply, server
from tests.support.model_process import ModelServer
from tests.support.notices import column_words
from tests.support.runs import execute, fetch, step_row, take
from tests.support.turns import calls, openai, turn, until, work
from workers.providers.calls import Completion
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker

pytestmark = pytest.mark.component


def test_a_paid_answer_is_committed_before_anybody_looks_at_it(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    run = turn(database, openai(model_server, "steps-garbage--fault=garbage"))

    assert work(worker, run).status == "failed"

    rows = fetch(
        database,
        "SELECT count(*) AS kept FROM usage u JOIN documents d ON d.sha256 = u.response",
    )
    assert rows.kept == 2
    assert len(model_server.calls("steps-garbage--fault=garbage")) == 2


def test_the_answer_of_a_worker_that_died_is_adopted_and_not_paid_again(
    worker: StepWorker, database: Database, model_server: ModelServer
) -> None:
    model = "steps-adopted"
    run = turn(database, openai(model_server, model))
    dead = take(database, run, "a", "dead")
    answer = Completion(
        text='{"verdict": "APPROVED", "summary": "paid"}',
        usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
        model=model,
    )
    stored = StoredResponse(
        run=run,
        step="a",
        token=dead.token,
        worker="dead",
        participant="critic",
        provider="openai",
        model=model,
        request_sha="r",
        content=answer.packed(),
        usage=answer.usage,
        attempt="1:1",
    )
    database.run(lambda c: store_response(c, stored))
    execute(database, "UPDATE steps SET status = 'pending', owner = NULL")

    assert work(worker, run).status == "done"

    row = step_row(database, run, "a")
    assert (row.reply["summary"], column_words(row.note)) == ("paid", "adopted")
    assert (row.tokens, row.cost_usd) == (7, 0.5)
    assert model_server.calls(model) == []
    assert calls(database) == 1


def test_a_paid_answer_waits_on_the_disk_while_the_database_is_away(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """The way to the socket is taken away in the middle of the call and given back afterwards."""
    asked, is_shut = [], threading.Event()
    message = {"content": '{"verdict": "APPROVED", "summary": "paid"}'}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}

    def answer_behind_the_door(connection: socket.socket) -> None:
        asked.append(read_request(connection))
        is_shut.wait(60)
        connection.sendall(reply(json.dumps(body).encode()))

    door = Door(database_url)
    shut_away = Database(door.url, pool_size=4, patience_s=60)
    spool = tmp_path / "spool"
    worker = StepWorker(TurnWorker(shut_away), Presence(shut_away, "turns"), Spool(spool))

    with server(answer_behind_the_door) as url, ThreadPoolExecutor(1) as pool:
        options: dict[str, JsonValue] = {"base_url": url}
        who = Participant(name="critic", provider="openai", model="spooled", options=options)
        run = turn(database, who)
        receipt = pool.submit(work, worker, run)
        until(lambda: len(asked) == 1)
        door.shut(database)
        is_shut.set()
        until(lambda: bool(list(spool.glob("*.json"))))
        assert not receipt.done()
        door.open()

        assert receipt.result(60) == Receipt(step="a", status="done", ready=True)

    assert list(spool.iterdir()) == []
    assert calls(database) == 1
    assert len(asked) == 1
    shut_away.close()
    door.close()


class Door:
    """A database's socket folder under another name that can be taken away."""

    def __init__(self, url: str) -> None:
        from tempfile import mkdtemp
        from urllib.parse import parse_qs, quote, urlsplit

        self._folder = parse_qs(urlsplit(url).query)["host"][0]
        self._link = Path(mkdtemp(prefix="door-", dir="/tmp")) / "pg"
        self.open()
        self.url = url.replace(quote(self._folder, safe=""), quote(str(self._link), safe=""))
        assert self.url != url

    def open(self) -> None:
        self._link.symlink_to(self._folder)

    def shut(self, still_inside: Database) -> None:
        """Nobody gets in any more, and who is in is thrown out."""
        self._link.unlink()
        execute(
            still_inside,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )

    def close(self) -> None:
        self._link.unlink(missing_ok=True)
        self._link.parent.rmdir()


def test_without_a_database_a_message_is_dropped_and_nothing_is_raised(tmp_path: Path) -> None:
    nowhere = Database(f"postgresql+psycopg://postgres@/db?host={tmp_path}", patience_s=0.1)
    worker = StepWorker(TurnWorker(nowhere), Presence(nowhere, "turns"), Spool(tmp_path / "spool"))

    assert work(worker, "r1") == Receipt(step="a", status="abandoned", failure="abandoned")
    nowhere.close()
