"""Our own keys in the session's Redis, empty at the start of every test."""

from collections.abc import Iterator

import pytest
import redis

from shared.instance import Endpoints
from workers.limits.shared_state import SharedState


@pytest.fixture
def redis_url(servers: Endpoints) -> str:
    with redis.Redis.from_url(servers.redis_url) as client:
        client.flushdb()
    return servers.redis_url


@pytest.fixture
def states(redis_url: str) -> Iterator[tuple[SharedState, SharedState]]:
    """Two workers' views of the same Redis; a breaker opens after 3 failures, for longer than a test takes."""
    pair = tuple(SharedState(redis_url, breaker_after=3, breaker_s=100) for _ in "ab")
    yield pair[0], pair[1]
    for state in pair:
        state.close()


@pytest.fixture
def hasty(redis_url: str) -> Iterator[SharedState]:
    """A third worker's view: its leases last 0.4 s, and a breaker that it opens is tried again after 0.3 s."""
    state = SharedState(redis_url, lease_s=0.4, breaker_after=3, breaker_s=0.3)
    yield state
    state.close()
