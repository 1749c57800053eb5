"""What turns are writing, heard from a service; a stream that breaks goes on after the last event that came."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler

import pytest

from orchestrator.client.client import Client
from orchestrator.client.written_so_far import WrittenSoFar
from orchestrator.embedded.processes import wait_until
from shared.delivery.live import Live
from shared.store.runs import cancel_run
from shared.text.unfinished import SoFar
from tests.fixtures.web import OWN_TOKEN, Listen
from tests.support.odd_service import odd_service
from tests.support.runs import new_run


@pytest.mark.component
def test_words_are_heard_while_they_are_written_until_the_run_ends(listening: Listen):
    service = listening()
    backend = service.service.backend
    run = new_run(backend.database, "a")
    live = Live(backend.settings.endpoints.redis_url)
    said = SoFar(8, "I looked")
    with Client(f"http://127.0.0.1:{service.port}", OWN_TOKEN) as client:
        ear = WrittenSoFar(client, run)
        assert wait_until(lambda: live.report(run, "a", said) and ear.look() == {"a": said}, 60)
        assert ear.take_news()
        backend.write(lambda connection: cancel_run(connection, run, "ada"))
        assert wait_until(lambda: not ear.connected, 60)
        assert ear.look() == {"a": said}
        ear.close()
    live.close()


def test_a_stream_that_breaks_is_opened_again_after_the_last_event():
    asked: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.headers.get("Last-Event-ID"))
        number, said = len(asked), {"a": {"characters": len(asked), "text": f"{len(asked)} words"}}
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        events = [
            "retry: 1000",
            ": a comment",
            f"event: written\ndata: {json.dumps(said)}",
            "event: written\ndata: [1, 2]",
            f"id: {number * 10}\nevent: step.done\ndata: {{}}",
        ]
        if number == 3:
            events.append('event: end\ndata: {"run": "r"}')
        handler.wfile.write("".join(f"{event}\n\n" for event in events).encode())
        handler.close_connection = True

    with odd_service(answer) as service, Client(service.url, "t") as client:
        ear = WrittenSoFar(client, "r")
        assert wait_until(lambda: not ear.is_listening, 60)
        assert ear.look() == {"a": SoFar(3, "3 words")}
        assert all("written=true" in path for path in service.paths)
    assert asked == ["0", "10", "20"]


@pytest.mark.parametrize("data", ["no json", "[" * 5000])
def test_a_stream_of_somebody_else_is_left(data: str):
    asked: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(f"event: x\ndata: {data}\n\n".encode())
        handler.close_connection = True

    with odd_service(answer) as service, Client(service.url, "t") as client:
        ear = WrittenSoFar(client, "r")
        assert wait_until(lambda: not ear.is_listening, 60)
        assert (ear.look(), len(asked)) == ({}, 1)
