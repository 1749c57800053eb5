"""The page's code for receivers takes what we send, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrator.webhooks.signing import new_secret, signed_headers
from tests.support.doc_blocks import ROOT, blocks_of

SECRET = new_secret()
BODY = '{"type": "run.finished", "data": {"run": "r1", "title": "가"}}'


@pytest.fixture(scope="module")
def verify() -> Callable[..., str]:
    [block] = [each for each in blocks_of(ROOT / "docs/webhooks.md") if each.language == "python"]
    names: dict[str, Any] = {}
    exec(compile(block.body, block.where, "exec"), names)
    function: Callable[..., str] = names["verify"]
    return function


def headers(now: datetime | None = None, secret: str = SECRET) -> dict[str, str]:
    return signed_headers(secret, "msg_1", BODY, now or datetime.now(UTC))


def test_a_message_of_ours_is_taken(verify: Callable[..., str]) -> None:
    assert verify(SECRET, headers(), BODY.encode()) == "msg_1"


def test_one_of_several_signatures_is_enough(verify: Callable[..., str]) -> None:
    sent = headers()
    signatures = "v1a,xxx v1,AAAA " + sent["webhook-signature"]

    assert verify(SECRET, {**sent, "webhook-signature": signatures}, BODY.encode()) == "msg_1"


@pytest.mark.parametrize(
    ("changed", "body"),
    [
        ({"webhook-id": "msg_2"}, BODY),
        ({"webhook-signature": ""}, BODY),
        ({"webhook-signature": "v2,abc"}, BODY),
        (headers(secret=new_secret()), BODY),
        (headers(datetime.now(UTC) - timedelta(days=1)), BODY),
        (headers(datetime.now(UTC) + timedelta(days=1)), BODY),
        ({}, BODY.replace("r1", "r2")),
    ],
)
def test_anything_else_is_refused(
    verify: Callable[..., str], changed: Mapping[str, str], body: str
) -> None:
    with pytest.raises(ValueError, match=r"signature|timestamp"):
        verify(SECRET, {**headers(), **changed}, body.encode())
