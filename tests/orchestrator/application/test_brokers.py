"""What waits in the embedded Redis is counted without Celery, and as Celery counts it."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from orchestrator.application.brokers import broker_counts
from orchestrator.embedded.servers import ensure, stop
from shared.delivery.broker import make_app
from shared.delivery.contracts import QUEUE_TOOLS, QUEUE_TURNS, QUEUES
from shared.delivery.queues import REFUSED_KEY
from shared.models.priority import PRIORITIES
from shared.settings import ServiceSettings

pytestmark = pytest.mark.component


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[ServiceSettings]:
    """Those of an embedded instance whose servers run."""
    environ = {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_STATE_HOME": str(tmp_path / "s")}
    made = ServiceSettings.from_environment(environ)
    ensure(made.instance, durable=False)
    yield made
    stop(made.instance, immediate=True)


def test_messages_of_every_priority_are_counted_as_celery_counts_them(
    settings: ServiceSettings,
) -> None:
    app = make_app(settings.endpoints.broker_url)
    for priority in PRIORITIES:
        app.send_task("quorate.turn", (), queue=QUEUE_TURNS, priority=priority, ignore_result=True)
    with redis.Redis.from_url(settings.endpoints.redis_url) as client:
        client.hset(REFUSED_KEY, mapping={QUEUE_TOOLS: "2", QUEUE_TURNS: "not a number"})

    waiting, refused = broker_counts(settings)

    assert waiting == app.depths() == {**dict.fromkeys(QUEUES, 0), QUEUE_TURNS: 3}
    assert refused == {QUEUE_TOOLS: 2}
    app.close()


def test_asking_servers_of_ones_own_again_and_again_keeps_nothing(
    settings: ServiceSettings,
) -> None:
    url = settings.endpoints
    environ = {
        "QUORATE_DATABASE_URL": url.database_url,
        "QUORATE_REDIS_URL": url.redis_url,
        "QUORATE_BROKER_URL": url.broker_url,
    }
    external = ServiceSettings.from_environment(environ)
    broker_counts(external)
    before = _objects_of_kombu()
    for _ in range(5):
        assert broker_counts(external) == broker_counts(settings)
    assert _objects_of_kombu() == before


def _objects_of_kombu() -> dict[str, int]:
    gc.collect()
    kinds = Counter(type(one) for one in gc.get_objects())
    return {
        kind.__qualname__: n
        for kind, n in kinds.items()
        if str(kind.__module__).startswith("kombu")
    }


def test_servers_that_are_down_are_not_taken_for_empty_ones(settings: ServiceSettings) -> None:
    stop(settings.instance, immediate=True)

    assert broker_counts(settings) == (None, None)
