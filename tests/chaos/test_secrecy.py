"""I12: no text of the diff, the prompts, the answers and no key is ever in Redis, in a message or in a log."""

from __future__ import annotations

import base64
import re
import threading
from contextlib import suppress

import pytest
import redis

from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.workload import CANARIES, REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]


class Wiretap:
    """Every command that reaches Redis, as it reaches it (MONITOR)."""

    def __init__(self, client: redis.Redis) -> None:
        """Listens from now on."""
        self.heard: list[str] = []
        self._monitor = client.monitor()  # type: ignore[no-untyped-call]
        self._monitor.__enter__()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._monitor.connection.disconnect()
        self._thread.join(5)

    def _listen(self) -> None:
        with suppress(redis.RedisError, OSError, ValueError, AttributeError):
            for command in self._monitor.listen():
                self.heard.append(str(command["command"]))


def _unwrapped(text: str) -> str:
    """The text with everything in it that is base64 (kombu's bodies) decoded behind it."""
    found = [text]
    for piece in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        with suppress(ValueError):
            found.append(base64.b64decode(piece + "=" * (-len(piece) % 4)).decode(errors="replace"))
    return "\n".join(found)


def _canaries(text: str) -> list[str]:
    return [name for name, canary in CANARIES.items() if canary in _unwrapped(text)]


def test_the_search_finds_what_is_wrapped_as_celery_wraps_it() -> None:
    body = base64.b64encode(f'[[], {{"text": "{CANARIES["diff"]}"}}]'.encode()).decode()
    assert _canaries(f'{{"body": "{body}"}}') == ["diff"]


def test_nothing_but_ids_is_in_redis_in_messages_and_in_logs(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    broker_url = cluster.endpoints.redis_url.replace("?db=2", "?db=0")
    client = redis.Redis.from_url(broker_url, decode_responses=True)
    tap = Wiretap(client)
    cluster.tell({"*": {"latency": "0.1"}, "bob": {"fault": "garbage", "times": 1}})
    runs = cluster.submit(2)
    cluster.wait_for_steps(runs, "critique/1", "done")
    cluster.kill("turns")  # the paths of recovery say nothing either
    settled = cluster.settle(runs, 150)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    tap.close()
    client.close()
    heard = _unwrapped("\n".join(tap.heard))
    assert all(run in heard for run in runs), "the tap heard no messages: it can find nothing"
    assert _canaries("\n".join(tap.heard)) == []
    logs = list(cluster.folder.glob("*.log"))
    logs += list(cluster.instance.log_dir.glob("*.log"))
    for log in logs:
        assert _canaries(log.read_text(errors="replace")) == [], f"in {log.name}"
    prompts = cluster.ask("SELECT content FROM documents")
    stored = b"\n".join(bytes(row.content) for row in prompts).decode(errors="replace")
    assert CANARIES["diff"] in stored, "the canary was nowhere at all"
    assert CANARIES["key"] not in stored
    measured.update(figures.told(), commands=len(tap.heard))
