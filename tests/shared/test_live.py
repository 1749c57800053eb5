"""How far an answer has come: numbers only, and only while somebody watches."""

from __future__ import annotations

import redis

from shared.embedded.instance import Endpoints
from shared.live import Live


def test_a_turn_streams_only_while_its_run_is_watched(servers: Endpoints) -> None:
    live = Live(servers.redis_url)
    assert live.listener("r-unwatched", "critique/1/a") is None
    live.watch("r-watched")
    assert live.listener("r-watched", "critique/1/a") is not None
    live.close()


def test_the_watcher_sees_counts_and_redis_never_a_text(servers: Endpoints) -> None:
    live = Live(servers.redis_url)
    assert live.watch("r1") == {}
    listener = live.listener("r1", "critique/1/a")
    assert listener is not None
    listener("a secret sentence")
    assert live.watch("r1") == {"critique/1/a": len("a secret sentence")}
    with redis.Redis.from_url(servers.redis_url) as client:
        stored = [client.hgetall("quorate:live:r1"), client.get("quorate:watched:r1")]
    assert b"secret" not in repr(stored).encode()
    live.close()


def test_a_redis_that_is_away_only_spoils_the_picture() -> None:
    live = Live("redis://127.0.0.1:1/0")
    assert live.watch("r1") == {}
    assert live.listener("r1", "critique/1/a") is None
    live.report("r1", "critique/1/a", 3)
    live.close()
