"""Server-sent events of a run on a real socket: in order, nothing lost over a reconnect, no thread while it waits."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from shared.store.events import append_events, list_events
from shared.store.runs import cancel_run
from tests.fixtures.web import OWN_TOKEN, Listen, ListeningService
from tests.support.runs import new_run

pytestmark = pytest.mark.component

STREAM = {"Accept": "text/event-stream", "Authorization": f"Bearer {OWN_TOKEN}"}


def append(service: ListeningService, run: str, *kinds: str) -> None:
    """Something happens in a run."""
    service.service.backend.write(
        lambda connection: append_events(connection, run, [(kind, {}) for kind in kinds])
    )


def events_in(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """The events of a stream, each as its fields."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in fields:
                yield fields
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


def stream(service: ListeningService, run: str, last: int | None = None):
    """A request for the events of a run."""
    headers = STREAM if last is None else {**STREAM, "Last-Event-ID": str(last)}
    url = f"http://127.0.0.1:{service.port}/api/v1/runs/{run}/events"
    return httpx.stream("GET", url, headers=headers, timeout=60)


def test_events_come_as_they_happen_and_a_reconnect_misses_none(listening: Listen):
    service = listening()
    run = new_run(service.service.backend.database, "critique/1/ada")
    with stream(service, run) as response:
        events = events_in(response.iter_lines())
        first = next(events)
        append(service, run, "told.one")
        seen = [first]
        while seen[-1]["event"] != "told.one":
            seen.append(next(events))
    append(service, run, "told.two", "told.three")
    with stream(service, run, int(seen[-1]["id"])) as response:
        events = events_in(response.iter_lines())
        seen += [next(events), next(events)]
        service.service.backend.write(lambda connection: cancel_run(connection, run, "ada"))
        seen += [*events]
    stored = service.service.backend.read(lambda connection: list_events(connection, run))
    assert seen[-1]["event"] == "end"
    assert [int(event["id"]) for event in seen[:-1]] == [seq for seq, _, _ in stored]
    assert [event["event"] for event in seen[:-1]] == [kind for _, kind, _ in stored]
    assert json.loads(seen[0]["data"])["seq"] == 1


def test_a_run_that_has_ended_is_told_to_its_end_and_the_stream_ends(listening: Listen):
    service = listening()
    run = new_run(service.service.backend.database, "critique/1/ada")
    service.service.backend.write(lambda connection: cancel_run(connection, run, "ada"))
    with stream(service, run) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert [event["event"] for event in events_in(response.iter_lines())][-1] == "end"


def test_many_who_wait_cost_no_thread_each(listening: Listen):
    service = listening()
    run = new_run(service.service.backend.database, "critique/1/ada")
    with ExitStack() as stack:
        waiting = []
        for _ in range(60):
            response = stack.enter_context(stream(service, run))
            events = events_in(response.iter_lines())
            next(events)
            waiting.append(events)
        threads = threading.active_count()
        append(service, run, "told.one")
        for events in waiting:
            while next(events)["event"] != "told.one":
                pass
        assert threads < 60


def test_events_need_a_token_and_a_run(listening: Listen):
    service = listening()
    url = f"http://127.0.0.1:{service.port}/api/v1/runs/nothing/events"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers=STREAM).status_code == 404
