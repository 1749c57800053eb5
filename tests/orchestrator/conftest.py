"""The real application on the session's Redis, with nobody consuming from it."""

from collections.abc import Iterator

import pytest
import redis
from celery import Celery

from shared.delivery.broker import make_app
from shared.instance import Endpoints


@pytest.fixture
def app(broker_url: str) -> Iterator[Celery]:
    """An application whose published messages stay in their queues."""
    made = make_app(broker_url, slots=4)
    yield made
    made.close()


@pytest.fixture
def client(servers: Endpoints, broker_url: str) -> Iterator[redis.Redis]:
    """A client of the Redis that is broker and stream of signals."""
    with redis.Redis.from_url(servers.redis_url, decode_responses=True) as connected:
        yield connected
