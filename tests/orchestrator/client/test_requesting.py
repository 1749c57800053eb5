"""A service that is away, hostile, slow or somebody else's: a sentence and an exit code, and the token stays ours."""

from __future__ import annotations

import gzip
import subprocess
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx
import pytest

from orchestrator.client.client import Client
from orchestrator.client.remote_installation import RemoteInstallation
from orchestrator.client.requesting import TRIES
from shared.build import BUILD_HEADER, this_build
from shared.errors import EnvironmentFault, QuorateError, UnknownRun, UserError
from tests.support.odd_service import Answer, odd_service, send

TOKEN = "a-token-of-the-test"
NO_RUN = b'{"code": "not-found", "detail": "there is no run x"}'


def asked(url: str, **limits: float) -> QuorateError:
    """What a request for a run comes to."""
    with Client(url, TOKEN) as client:
        for name, value in limits.items():
            setattr(client.requests, name, value)
        with pytest.raises(QuorateError) as raised:
            RemoteInstallation(client).report("x")
    return raised.value


def told(answer: Answer, **limits: float) -> QuorateError:
    with odd_service(answer) as service:
        return asked(service.url, **limits)


def test_a_redirect_is_told_and_the_token_goes_to_nobody_else():
    with odd_service(lambda handler: send(handler, 200, b"{}")) as other:
        target = f"{other.url}/secret/path"
        with odd_service(lambda handler: send(handler, 302, Location=target)) as service:
            fault = asked(service.url)
            assert service.tokens == [f"Bearer {TOKEN}"]
        assert other.tokens == []
        assert f"redirects to {other.url}: name" in str(fault)
    assert "secret" not in str(fault)
    assert fault.exit_code == 5


def test_an_answer_that_never_ends_is_cut_off_by_its_size():
    def pour(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65_536)

    fault = told(pour, most_bytes=1024 * 1024)
    assert isinstance(fault, EnvironmentFault)
    assert "sends more than 1,024 KiB" in str(fault)


def test_an_answer_that_unpacks_without_end_is_cut_off_too():
    bomb = gzip.compress(b"x" * 30_000_000)
    fault = told(
        lambda handler: send(handler, 200, bomb, Content_Encoding="gzip"), most_bytes=1024 * 1024
    )
    assert "sends more than" in str(fault)


def test_an_answer_that_is_not_what_its_encoding_says_is_told():
    fault = told(lambda handler: send(handler, 200, b"no gzip", Content_Encoding="gzip"))
    assert isinstance(fault, EnvironmentFault)
    assert "cannot be read" in str(fault)


def test_an_answer_that_drips_is_cut_off_by_its_time():
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    began = time.monotonic()
    fault = told(drip, longest_s=0.5)
    assert time.monotonic() - began < 20
    assert "has not answered in full within 0.5 s" in str(fault)


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"<html>", b"[" * 100_000, b'{"run": {}}', b"\xff\xfe", b'{"a": NaN}'],
    ids=["nothing", "null", "html", "nested", "other rows", "no text", "no json"],
)
def test_what_cannot_be_read_is_told_as_another_version(body: bytes):
    fault = told(lambda handler: send(handler, 200, body))
    assert isinstance(fault, EnvironmentFault)
    assert "another version of Quorate" in str(fault)
    assert len(str(fault)) < 1000


@pytest.mark.parametrize("body", [b"", b"<h1>", b"[]", b'{"detail": 1, "code": []}', b"[" * 9999])
def test_an_error_that_is_none_of_ours_is_told(body: bytes):
    fault = told(lambda handler: send(handler, 500, body))
    assert isinstance(fault, EnvironmentFault)
    assert "answers 500, and not as Quorate does" in str(fault)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_service_behind_a_proxy_that_waits_for_it_is_asked_again(status: int):
    with odd_service(lambda handler: send(handler, status)) as service:
        fault = asked(service.url)
        assert len(service.paths) == TRIES
    assert fault.exit_code == 5


def test_a_service_of_an_earlier_version_that_knows_no_such_address_is_told_as_one():
    fault = told(lambda handler: send(handler, 404, NO_RUN))
    assert isinstance(fault, EnvironmentFault)
    assert "another version" in str(fault)


def test_a_service_of_another_release_is_named():
    other = {BUILD_HEADER.replace("-", "_"): "0.0.1+1.abcdef"}
    fault = told(lambda handler: send(handler, 404, NO_RUN, **other))
    assert f"of version 0.0.1 of Quorate, and this command of {this_build().release}" in str(fault)
    assert fault.exit_code == 5


def test_what_a_service_of_our_version_does_not_know_is_not_there():
    own = {BUILD_HEADER.replace("-", "_"): str(this_build())}
    assert isinstance(told(lambda handler: send(handler, 404, NO_RUN, **own)), UnknownRun)


def test_a_certificate_that_nobody_vouches_for_ends_the_command_and_is_not_tried_again(
    tmp_path: Path,
):
    pem = tmp_path / "own.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(pem), "-out", str(tmp_path / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    pem.write_text(pem.read_text() + (tmp_path / "cert.pem").read_text())
    began = time.monotonic()
    with odd_service(lambda handler: send(handler, 200, b"{}"), pem) as service:
        fault = asked(service.url)
        assert service.tokens == []
    assert "certificate is not trusted: self-signed certificate" in str(fault)
    assert (fault.exit_code, time.monotonic() - began < 3) == (5, True)


def test_plain_http_where_tls_is_expected_is_told(tmp_path: Path):
    with odd_service(lambda handler: send(handler, 200, b"{}")) as service:
        fault = asked(service.url.replace("http://", "https://"))
    assert "does not speak TLS as expected" in str(fault)
    assert fault.exit_code == 5


def test_nobody_who_listens_is_told_after_a_few_tries():
    fault = asked("http://127.0.0.1:1")
    assert "the service does not answer" in str(fault)
    assert fault.exit_code == 5


def test_what_was_removed_before_the_connection_broke_is_removed():
    tries: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        tries.append(request.method)
        if len(tries) == 1:
            raise httpx.ReadError("cut off", request=request)
        return httpx.Response(404, json={"code": "not-found", "detail": "there is no schedule"})

    with Client("http://127.0.0.1:1", TOKEN, transport=httpx.MockTransport(answer)) as client:
        client.delete("/schedules/nightly")
        assert tries == ["DELETE", "DELETE"]
        with pytest.raises(UserError, match="no schedule"):
            client.delete("/schedules/nightly")
