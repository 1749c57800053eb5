"""All that a provider can do wrong, from the command line: a typed outcome, one clear line, the exit code, in time."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine, make_repository
from tests.support.bad_servers import server
from tests.support.model_process import ModelServer

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(300)]

TURN_S = 6.0
PATIENT_S = 60.0  # some machines' DNS takes its time to know no name
NOT_TLS = b"HTTP/1.1 400 this is no TLS\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True)
class Bad:
    """What the stand-in does (`fault`) or where the call goes (`base_url`); the failure kind and words of its line."""

    kind: str
    said: str
    fault: str = ""
    base_url: str = ""


BAD = {
    "wrong-key": Bad("credentials", "refused the key", "401"),
    "forbidden": Bad("credentials", "does not allow this", "403"),
    "unknown-model": Bad("unknown_model", "does not know the model", "model"),
    "unreachable-host": Bad("unreachable", "cannot be reached", base_url="http://127.0.0.1:1/v1"),
    "unknown-host": Bad("unreachable", "cannot be reached", base_url="http://nowhere.invalid/v1"),
    "no-tls": Bad("unreachable", "TLS failed", base_url="TLS"),
    "400": Bad("bad_request", "refused the request", "400"),
    "404": Bad("bad_request", "check base_url", "404"),
    "408": Bad("timeout", "gave up waiting", "408"),
    "409": Bad("overloaded", "busy", "409"),
    "413": Bad("context_overflow", "cannot hold so long a prompt (HTTP 413)", "413"),
    "429": Bad("rate_limited", "slower calls", "429--retry_after=1"),
    "no-credit": Bad("rate_limited", "no credit", "quota"),
    "500": Bad("overloaded", "fault of its own", "500"),
    "529": Bad("overloaded", "overloaded", "529"),
    "reset": Bad("unreachable", "broke", "reset"),
    "cut-off": Bad("unreachable", "broke its answer off", "cut"),
    "invalid-json": Bad("unparseable", "not a JSON object", "malformed"),
    "no-body": Bad("unparseable", "is empty", "nobody"),
    "empty-reply": Bad("empty", "answered nothing", "empty"),
    "no-reply": Bad("unparseable", "unusable form", "garbage"),
    "refusal": Bad("refusal", "refused to answer", "refusal"),
    "too-long": Bad("truncated", "max_output_tokens", "length"),
    "context-overflow": Bad("context_overflow", "cannot hold so long a prompt", "context"),
    "redirect": Bad("bad_request", "base_url", "redirect"),
    "hanging": Bad("timeout", "did not answer within 6 s", "hang"),
    "dripping": Bad("timeout", "did not answer within 6 s", "drip"),
}


def answer_in_plain(connection: socket.socket) -> None:
    """No TLS: whatever is said, plain HTTP is the answer."""
    connection.recv(65536)
    connection.sendall(NOT_TLS)


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where the calls go: the stand-in, and a port that speaks no TLS."""
    with (
        ModelServer(tmp_path_factory.mktemp("models")) as models,
        server(answer_in_plain) as plain,
    ):
        yield {"": models.base_url, "TLS": plain.replace("http:", "https:")}


def configuration(addresses: dict[str, str], folder: Path) -> str:
    """A participant a fault, each with an account of its own: no breaker ends another's turn."""
    providers = {
        name: {
            "type": "openai",
            "model": f"{name}--fault={bad.fault}" if bad.fault else name,
            "base_url": addresses.get(bad.base_url, bad.base_url),
            "account": f"{name}-{folder.name}",
            "timeout": PATIENT_S if bad.base_url else TURN_S,
        }
        for name, bad in BAD.items()
    }
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({"providers": providers}), encoding="utf-8")
    return str(file)


@dataclass(frozen=True)
class Seen:
    """What a review with all of them showed."""

    report: dict[str, Any]
    talk: str
    code: int
    took_s: float


@pytest.fixture(scope="module")
def seen(
    live: CommandLine, addresses: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    folder = tmp_path_factory.mktemp("bad")
    began = time.monotonic()
    done = live(
        *("review", "--config", configuration(addresses, folder), "--rounds", "1", "--json"),
        *("--panel", f"{','.join(BAD)},ruff,author=rules,chair=rules", "--decide", "skip"),
        cwd=make_repository(folder / "repository"),
        timeout_s=240,
    )
    assert done.stdout, done.stderr
    return Seen(json.loads(done.stdout), done.stderr, done.returncode, time.monotonic() - began)


@pytest.mark.parametrize("name", BAD)
def test_what_went_wrong_is_a_typed_outcome_with_one_clear_line(seen: Seen, name: str) -> None:
    stages = [step for stage in seen.report["rounds"] for step in stage["steps"]]
    (step,) = [one for one in stages if one["key"] == f"critique/1/{name}"]
    failure = step["failure"]
    assert (failure["kind"], step["reply"]) == (BAD[name].kind, None), failure
    assert BAD[name].said in failure["message"]
    assert name in failure["message"]
    assert failure["message"].isprintable()
    ends = [line for line in seen.talk.splitlines() if line.startswith("⚠")]
    lines = [line for line in ends if failure["message"][:40] in line]
    assert len(lines) == 1, seen.talk


def test_nothing_hangs_and_the_run_is_inconclusive(seen: Seen) -> None:
    assert seen.report["run"]["status"] == "completed"
    assert seen.code == 3
    assert "Traceback" not in seen.talk
    # Three attempts with their pauses, and a turn that uses up its time twice over.
    assert seen.took_s < 230


@pytest.mark.parametrize(("name", "code"), [("wrong-key", 4), ("refusal", 3), ("500", 3)])
def test_who_is_asked_alone_gives_the_exit_code(
    live: CommandLine, addresses: dict[str, str], tmp_path: Path, name: str, code: int
) -> None:
    done = live(
        *("review", "--config", configuration(addresses, tmp_path), "--rounds", "1"),
        *("--panel", f"{name},author=rules,chair=rules", "--decide", "skip"),
        cwd=make_repository(tmp_path / "repository"),
        timeout_s=120,
    )
    assert done.returncode == code, done.stderr
    assert BAD[name].said in done.stdout + done.stderr
