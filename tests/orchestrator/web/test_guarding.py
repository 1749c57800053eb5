"""What reaches a handler and what does not: heads, bodies, other sites."""

import asyncio
import json

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from orchestrator.web.guarding import (
    MOST_BYTES,
    STRANGERS_BYTES,
    RequestGuard,
    check_head,
    check_path,
)
from orchestrator.web.identity import Identity
from orchestrator.web.problems import MEDIA_TYPE, RequestRefused, as_json
from orchestrator.web.sites import ServedSite
from shared.models.roles import Role
from tests.fixtures.web import OWN_TOKEN, PORT, WebService

pytestmark = pytest.mark.component

HERE = f"127.0.0.1:{PORT}"


def status_of_head(headers: list[tuple[str, str]]) -> int:
    """What a head with these headers comes to; 200 for one that is let through."""
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    try:
        check_head({"headers": raw, "raw_path": b"/healthz"}, ServedSite.of("127.0.0.1", PORT))
    except RequestRefused as refusal:
        return refusal.kind.status
    return 200


@pytest.mark.parametrize("target", ["/healthz", "/readyz", "/healthz?probe=1"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_health_check_needs_no_token(web: WebService, target: str, method: str):
    answer = web.client(None).request(method, target)
    assert answer.status_code == (503 if "ready" in target else 200)
    assert bool(answer.content) == (method == "GET")


@pytest.mark.parametrize(
    "path",
    [
        b"//api/v1/runs",
        b"/./api/v1/runs",
        b"/%2e/api/v1/runs",
        b"/x/../api/v1/runs",
        b"/healthz/%2e%2e/api/v1/runs",
        b"/healthz%00",
        b"/healthz%0a",
        b"/api/v1/runs/%c0%af",
        b"/api/v1/runs/%ff",
        b"/api/v1/runs/%zz",
        b"/api\\v1",
        b"*",
        b"",
        b"healthz",
        b"http://127.0.0.1/healthz",
        b"file:///healthz",
    ],
)
def test_a_path_that_can_be_read_in_two_ways_is_refused(path: bytes):
    with pytest.raises(RequestRefused, match="path"):
        check_path(path)


@pytest.mark.parametrize("path", [b"/", b"/api/v1/runs/%EA%B0%80", b"/a%2fb", b"/static/a.css"])
def test_an_ordinary_path_is_let_through(path: bytes):
    check_path(path)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("Host", "evil.example")], 421),
        ([("Host", "127.0.0.1")], 421),
        ([("Host", "127.0.0.1:1")], 421),
        ([("Host", f"{HERE}.evil.example")], 421),
        ([("Host", f"evil.example@{HERE}")], 421),
        ([("Host", f"evil.example, {HERE}")], 421),
        ([("Host", HERE), ("Host", "evil.example")], 400),
        ([("Host", HERE), ("Host", HERE)], 400),
        ([], 421),
        ([("Host", "")], 421),
        ([("X-Forwarded-Host", HERE)], 421),
        ([("Host", HERE), ("Origin", "http://evil.example")], 403),
        ([("Host", HERE), ("Origin", "null")], 403),
        ([("Host", HERE), ("Origin", "")], 403),
        ([("Host", HERE), ("Origin", "http://[")], 403),
        ([("Host", HERE), ("Origin", f"https://{HERE}")], 403),
        ([("Host", HERE), ("Origin", "http://127.0.0.1")], 403),
        ([("Host", HERE), ("Origin", f"http://{HERE}.evil.example")], 403),
        ([("Host", HERE), ("Origin", f"http://{HERE}"), ("Origin", "null")], 403),
        ([("Host", HERE), ("Origin", f"http://{HERE}")], 200),
        ([("Host", f"LOCALHOST:{PORT}"), ("Origin", f"http://localhost:{PORT}")], 200),
    ],
)
def test_a_head_of_or_for_another_site_is_refused(headers: list[tuple[str, str]], status: int):
    assert status_of_head(headers) == status


@pytest.mark.parametrize(
    "headers",
    [
        *(
            [("Content-Length", value)]
            for value in ("\xb2", "+5", "-1", "5.0", "0x5", "5_0", "5, 5", "")
        ),
        [("Content-Length", "9" * 5000)],
        [("Content-Length", "5"), ("Content-Length", "5")],
        [("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
        [("Authorization", "Bearer a"), ("Authorization", "Bearer b")],
        [("Content-Type", "application/json"), ("Content-Type", "text/plain")],
        [("Idempotency-Key", "a"), ("Idempotency-Key", "b")],
    ],
)
def test_a_head_that_can_be_read_in_two_ways_is_refused(headers: list[tuple[str, str]]):
    assert status_of_head([("Host", HERE), *headers]) == 400


@pytest.mark.parametrize("target", ["/healthz", "/api/v1/runs"])
def test_another_site_is_refused_everywhere(web: WebService, target: str):
    client = web.client()
    assert client.get(target, headers={"Host": "evil.example"}).status_code == 421
    assert client.get(target, headers={"Origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", ""),
        ("Authorization", "Bearer"),
        ("Authorization", "Bearer wrong"),
        ("Authorization", f"Bearer {OWN_TOKEN[:-1]}"),
        ("Authorization", f"Bearer {OWN_TOKEN}x"),
        ("Authorization", f"Bearer {OWN_TOKEN.upper()}"),
        ("Authorization", f"Basic {OWN_TOKEN}"),
        ("Authorization", OWN_TOKEN),
        ("X-Authorization", f"Bearer {OWN_TOKEN}"),
        ("Cookie", f"token={OWN_TOKEN}"),
    ],
)
def test_only_the_token_itself_lets_in(web: WebService, header: tuple[str, str]):
    answer = web.client(None).get(
        "/api/v1/runs", params={"token": OWN_TOKEN}, headers=dict([header])
    )
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert answer.json()["code"] == "unauthenticated"


def test_who_guesses_tokens_is_slowed_down_and_nobody_else(web: WebService):
    client = web.client(None)
    guesses = [
        client.get("/api/v1/runs", headers={"Authorization": f"Bearer {number}"})
        for number in range(70)
    ]
    assert {answer.status_code for answer in guesses} == {401, 429}
    assert int(guesses[-1].headers["retry-after"]) >= 1
    good = client.get("/api/v1/runs", headers={"Authorization": f"Bearer {OWN_TOKEN}"})
    assert good.status_code == 200


@pytest.mark.parametrize("token", [None, OWN_TOKEN])
def test_a_large_body_is_refused_before_it_is_read(web: WebService, token: str | None):
    limit = STRANGERS_BYTES if token is None else MOST_BYTES
    answer = web.client(token).post("/api/v1/runs/last/decisions/x", content=b"x" * (limit + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")


def test_a_large_body_without_a_declared_length_is_refused_too(web: WebService):
    pieces = (b"x" * 1024 for _ in range(STRANGERS_BYTES // 1024 + 1))
    answer = web.client(None).post("/api/v1/runs/last/decisions/x", content=pieces)
    assert answer.status_code == 413


def test_every_response_forbids_what_a_browser_need_not_do(web: WebService):
    for path in ("/healthz", "/api/v1/runs", "/nothing"):
        headers = web.client().get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] in ("no-store", "private, no-cache")
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers


def test_a_bug_is_answered_and_stays_here(web: WebService):
    client = web.client()

    def broken(request: Request) -> JSONResponse:
        raise ZeroDivisionError(f"a secret of the traceback of {request.url}")

    client.app.router.add_route("/broken", broken)  # type: ignore[attr-defined]  # Starlette's application
    answer = client.get("/broken")
    assert (answer.status_code, answer.json()["code"]) == (500, "bug")
    assert "secret" not in answer.text
    assert [type(bug) for bug in web.bugs] == [ZeroDivisionError]
    web.bugs.clear()


def test_what_is_not_there_and_other_methods_are_problems_too(web: WebService):
    client = web.client_as(Role.VIEWER)
    for method, path, status in (
        ("GET", "/etc/passwd", 404),
        ("GET", "/api/v1/nothing", 404),
        ("PATCH", "/api/v1/runs", 405),
        ("BREW", "/healthz", 405),
    ):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, MEDIA_TYPE)
        assert json.loads(answer.content)["status"] == status


def test_a_browser_is_told_in_a_page(web: WebService):
    answer = web.client().get("/nothing<b>", headers={"Accept": "text/html,*/*"})
    assert answer.status_code in (400, 404)
    assert answer.headers["content-type"].startswith("text/html")
    assert "<b>" not in answer.text


async def _dripping() -> Message:
    await asyncio.sleep(0)
    return {"type": "http.request", "body": b"", "more_body": True}


async def _broken_off() -> Message:
    return {"type": "http.disconnect"}


@pytest.mark.parametrize(
    ("receive", "code"), [(_dripping, "request-timeout"), (_broken_off, "malformed-request")]
)
def test_a_body_that_does_not_end_is_refused(web: WebService, receive: Receive, code: str):
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError("it must not get here")

    guard = RequestGuard(
        app,
        web.context,
        identify=lambda _: Identity("ada", Role.OPERATOR),
        refuse=lambda _, refusal: as_json(refusal),
        body_s=0.05,
    )
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/runs",
        "raw_path": b"/api/v1/runs",
        "query_string": b"",
        "headers": [(b"host", HERE.encode()), (b"content-length", b"50"), (b"expect", b"x")],
    }
    asyncio.run(guard(scope, receive, send))
    assert json.loads(sent[1]["body"])["code"] == code
