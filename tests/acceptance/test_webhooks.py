"""Webhooks with real processes: what a run does reaches a receiver, signed, and the command line shows it."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.webhooks.signing import sign
from tests.fixtures.instance import CommandLine
from tests.support.webhook_receiver import WebhookReceiver, always, receiver

pytestmark = pytest.mark.acceptance


@pytest.fixture
def listening(live: CommandLine) -> Iterator[WebhookReceiver]:
    with receiver() as opened:
        yield opened
        live("webhooks", "rm", "hook")


def ok(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_review_does_arrives_signed(
    live: CommandLine, listening: WebhookReceiver, changed_repository: Path
) -> None:
    secret = ok(live("webhooks", "add", listening.url, "--name", "hook")).strip()
    assert "was taken" in ok(live("webhooks", "test", "hook"))

    reviewed = live("review", "--participants", "ruff", "--decide", "skip", cwd=changed_repository)
    assert reviewed.returncode in (0, 1), reviewed.stderr

    deadline = time.monotonic() + 60
    kinds: list[str] = []
    while "run.finished" not in kinds and time.monotonic() < deadline:
        kinds = [json.loads(each.body)["type"] for each in list(listening.received)]
        time.sleep(0.1)
    assert kinds[0] == "webhook.test"
    assert "run.finished" in kinds
    for message in listening.received:
        moment = int(message.headers["webhook-timestamp"])
        body = message.body.decode()
        assert message.headers["webhook-signature"] == sign(secret, message.id, moment, body)

    listed = json.loads(ok(live("webhooks", "list", "--json")))
    [webhook] = listed["webhooks"]
    assert "secret" not in webhook
    assert secret not in json.dumps(listed)


def test_a_receiver_that_refuses_is_said_with_exit_code_5(
    live: CommandLine, listening: WebhookReceiver
) -> None:
    listening.answer = always(500)
    ok(live("webhooks", "add", listening.url, "--name", "hook"))

    tried = live("webhooks", "test", "hook")

    assert tried.returncode == 5
    assert "answered 500" in tried.stdout
    [dead] = json.loads(ok(live("webhooks", "deliveries", "hook", "--json")))["deliveries"]
    assert dead["state"] == "dead"
    listening.answer = always(200)
    assert "1 messages" in ok(live("webhooks", "redeliver", dead["id"]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "https://169.254.169.254/latest"), "not a public address"),
        (("add", "ftp://example.com"), "must begin with https://"),
        (("rm", "nobody"), "there is no webhook nobody"),
        (("test", "nobody"), "there is no webhook nobody"),
        (("redeliver", "msg_none"), "there is no delivery msg_none"),
        (("redeliver",), "name messages"),
    ],
)
def test_wrong_input_is_refused_with_exit_code_2(
    live: CommandLine, arguments: tuple[str, ...], words: str
) -> None:
    refused = live("webhooks", *arguments)

    assert refused.returncode == 2
    assert words in refused.stderr
