"""Settings: external servers by their URLs, in redis-py's and in kombu's spelling."""

from __future__ import annotations

import pytest

from shared.errors import ConfigurationError
from shared.settings import ServiceSettings

DATABASE = "postgresql://quorate@db/quorate"


def broker_of(redis_url: str, **more: str) -> str:
    environ = {"HOME": "/nonexistent", "QUORATE_REDIS_URL": redis_url}
    settings = ServiceSettings.from_environment(
        {**environ, "QUORATE_DATABASE_URL": DATABASE, **more}
    )
    return settings.endpoints.broker_url


@pytest.mark.parametrize(
    ("redis_url", "broker_url"),
    [
        ("redis://cache:6379/0", "redis://cache:6379/0"),
        ("rediss://:secret@cache:6380/1", "rediss://:secret@cache:6380/1"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock"),
        ("unix:///run/redis.sock?db=2", "redis+socket:///run/redis.sock?virtual_host=2"),
    ],
)
def test_redis_is_the_broker_in_kombus_spelling(redis_url: str, broker_url: str) -> None:
    assert broker_of(redis_url) == broker_url


def test_another_broker_takes_its_place() -> None:
    url = "amqp://guest:guest@rabbit//"

    assert broker_of("redis://cache", QUORATE_BROKER_URL=url) == url


def test_a_broker_that_nobody_speaks_to_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="begins with 'kafka'"):
        broker_of("redis://cache", QUORATE_BROKER_URL="kafka://somewhere")


def test_one_of_two_servers_is_not_enough() -> None:
    with pytest.raises(ConfigurationError, match="QUORATE_DATABASE_URL is missing"):
        ServiceSettings.from_environment(
            {"HOME": "/nonexistent", "QUORATE_REDIS_URL": "redis://cache"}
        )
