"""What a page that is open is told: that its run has changed, what is being written, and that all is over."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from orchestrator.application.watched_runs import SeenRun
from orchestrator.web.watching import OpenRuns
from shared.delivery.live import Live
from shared.models.outcomes import RunStatus
from shared.store.runs import cancel_run
from shared.store.views import RunHeartbeat
from shared.text.unfinished import SoFar
from tests.fixtures.web import OWN_TOKEN, Listen, ListeningService
from tests.orchestrator.web.test_streaming import events_in
from tests.support.runs import new_run, take

pytestmark = pytest.mark.component

Told = Iterator[dict[str, str]]


def watch(stack: ExitStack, service: ListeningService, run: str) -> Told:
    url = f"http://127.0.0.1:{service.port}/runs/{run}/events"
    headers = {"Authorization": f"Bearer {OWN_TOKEN}"}
    answer = stack.enter_context(httpx.stream("GET", url, headers=headers, timeout=60))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    return events_in(answer.iter_lines())


def until(told: Told, kind: str) -> dict[str, Any]:
    """The first event of that kind from now on."""
    content: dict[str, Any] = json.loads(
        next(each for each in told if each["event"] == kind)["data"]
    )
    return content


@pytest.fixture
def open_pages() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def change_of(service: ListeningService, run: str) -> Callable[[], object]:
    """Somebody takes the run's turn."""
    return lambda: take(service.service.backend.database, run, "a", "w", "nonce")


def test_a_page_is_told_at_once_and_whenever_its_run_changes(
    listening: Listen, open_pages: ExitStack
) -> None:
    service = listening()
    run = new_run(service.service.backend.database, "a")
    told = watch(open_pages, service, run)

    assert until(told, "changed") == {"status": "running"}
    change_of(service, run)()
    assert until(told, "changed") == {"status": "running"}


def test_another_runs_change_is_none(listening: Listen, open_pages: ExitStack) -> None:
    service = listening()
    database = service.service.backend.database
    run, other = new_run(database, "a"), new_run(database, "a")
    told = watch(open_pages, service, run)
    until(told, "changed")
    change_of(service, other)()
    database.run(lambda c: cancel_run(c, run, "ada"), atomic=True)

    assert [each["event"] for each in told] == ["changed"]


def test_the_stream_ends_with_its_run(listening: Listen, open_pages: ExitStack) -> None:
    service = listening()
    run = new_run(service.service.backend.database, "a")
    told = watch(open_pages, service, run)
    until(told, "changed")
    service.service.backend.write(lambda c: cancel_run(c, run, "ada"))

    assert [json.loads(each["data"]) for each in told] == [{"status": "cancelled"}]


def test_what_is_being_written_is_told_as_it_grows(
    listening: Listen, open_pages: ExitStack
) -> None:
    service = listening()
    run = new_run(service.service.backend.database, "a")
    told = watch(open_pages, service, run)
    until(told, "changed")
    live = Live(service.service.backend.settings.endpoints.redis_url)
    said = {}
    for text in ("I looked", "I looked at <b>both</b>"):
        while not live.report(run, "a", SoFar(len(text), text)):
            pass  # nobody listens yet
        said = until(told, "written")
        while said != {"a": text}:
            said = until(told, "written")
    live.close()

    assert said == {"a": "I looked at <b>both</b>"}


def test_many_pages_of_one_run_share_one_look(listening: Listen, open_pages: ExitStack) -> None:
    service = listening()
    run = new_run(service.service.backend.database, "a")
    pages = [watch(open_pages, service, run) for _ in range(40)]
    for told in pages:
        until(told, "changed")
    threads = threading.active_count()
    change_of(service, run)()
    for told in pages:
        until(told, "changed")

    assert threads < 40


def test_events_of_pages_need_a_session_and_a_run(listening: Listen) -> None:
    service = listening()
    url = f"http://127.0.0.1:{service.port}/runs/nobody/events"

    assert httpx.get(url).status_code in (303, 401)
    assert httpx.get(url, headers={"Authorization": f"Bearer {OWN_TOKEN}"}).status_code == 404


class AwayForAWhile:
    """Looks that fail, see nothing, and then see the run; as while a database is away and comes back."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.looks = 0
        self.closed = False

    def look(self, runs: Collection[str]) -> dict[str, SeenRun]:
        self.looks += 1
        if self.looks == 1:
            raise RuntimeError("a bug")
        assert list(runs) == [self.run]
        return {} if self.looks < 4 else {self.run: SeenRun(BEAT)}

    def close(self) -> None:
        self.closed = True


BEAT = RunHeartbeat(RunStatus.RUNNING, "Reviewing", 1, 1, 0, 0, None, 0, 0.0)


def test_a_page_waits_through_looks_that_fail_and_nobody_looks_when_it_is_closed() -> None:
    away = AwayForAWhile("r1")

    async def first() -> SeenRun | None:
        opened = OpenRuns(away, every_s=0.001)  # type: ignore[arg-type]  # a stand-in
        changes = opened.changes("r1")
        seen = await anext(changes)
        await changes.aclose()
        while not away.closed:
            await asyncio.sleep(0.001)
        return seen

    assert asyncio.run(first()) == SeenRun(BEAT)
    assert away.looks >= 4
