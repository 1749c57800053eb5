"""How far an answer has come, and its words so far, for people who watch a run.

Streaming costs many times the processor time of a plain call, so a turn streams only while somebody watches its run.
Watching is a key with a short life that the watcher renews. What a watched turn has said so far is published and never
stored, neither in Redis' memory nor in its files: who does not listen just then has missed it, and the next report
holds it again. Losing any of it changes nothing but the picture. The words are as they come: unchecked, possibly never
heard (docs/design/privacy.md).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

import redis

from shared.unfinished import SoFar, readable

WATCHED_S = 10
REPORT_EVERY_S = 0.3
LONGEST_TAIL = 4_000
LONGEST_READ = 200_000


def _client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(
        redis_url, socket_timeout=2, socket_connect_timeout=1, decode_responses=True
    )


class Live:
    """The speaking end: whether somebody watches, and how far turns are."""

    def __init__(self, redis_url: str) -> None:
        """Connects on first use."""
        self._redis = _client(redis_url)

    def announce(self, run: str) -> None:
        """Somebody is going to watch a run, so its turns stream from the first one on."""
        try:
            self._redis.set(_watched(run), "1", ex=WATCHED_S)
        except redis.RedisError:
            return

    def listener(self, run: str, step: str) -> Callable[[str], None] | None:
        """What a provider hands its pieces to, or None when nobody watches the run."""
        try:
            watched = bool(self._redis.exists(_watched(run)))
        except redis.RedisError:
            return None
        return Listener(self, run, step) if watched else None

    def report(self, run: str, step: str, so_far: SoFar) -> None:
        """Say how far a turn is, to whoever listens now."""
        message = json.dumps([step, so_far.characters, so_far.text], ensure_ascii=False)
        try:
            self._redis.publish(_channel(run), message)
        except redis.RedisError:
            return

    def close(self) -> None:
        """Drop the connections."""
        self._redis.close()


class Listener:
    """Gathers one answer and reports it a few times a second."""

    def __init__(self, live: Live, run: str, step: str) -> None:
        """Nothing has come yet."""
        self._live = live
        self._run = run
        self._step = step
        self._pieces: list[str] = []
        self._characters = 0
        self._reported_at = 0.0

    def __call__(self, piece: str) -> None:
        """Take the next piece of the answer."""
        if self._characters < LONGEST_READ:
            self._pieces.append(piece)
        self._characters += len(piece)
        now = time.monotonic()
        if now - self._reported_at >= REPORT_EVERY_S:
            self._reported_at = now
            self._pieces = ["".join(self._pieces)]
            text = readable(self._pieces[0])[-LONGEST_TAIL:]
            self._live.report(self._run, self._step, SoFar(self._characters, text))


class Watcher:
    """The listening end of one run."""

    def __init__(self, redis_url: str, run: str) -> None:
        """Connects on first use."""
        self._redis = _client(redis_url)
        self._run = run
        self._heard: dict[str, SoFar] = {}
        self._ear: redis.client.PubSub | None = None

    def look(self) -> Mapping[str, SoFar]:
        """Go on watching; what the run's turns have said so far, by step. Stands still while Redis is away."""
        try:
            self._redis.set(_watched(self._run), "1", ex=WATCHED_S)
            self._hear()
        except redis.RedisError:
            self._ear = None
        return dict(self._heard)

    def close(self) -> None:
        """Watch no more."""
        if self._ear is not None:
            self._ear.close()
        self._redis.close()

    def _hear(self) -> None:
        """Everything that was said since the last look."""
        if self._ear is None:
            self._ear = self._redis.pubsub(  # type: ignore[no-untyped-call]
                ignore_subscribe_messages=True
            )
            self._ear.subscribe(_channel(self._run))
        while (message := self._ear.get_message()) is not None:
            step, so_far = _read(str(message["data"]))
            if step:
                self._heard[step] = so_far


def _watched(run: str) -> str:
    return f"quorate:watched:{run}"


def _channel(run: str) -> str:
    return f"quorate:live:{run}"


def _read(message: str) -> tuple[str, SoFar]:
    try:
        step, characters, text = json.loads(message)
        return str(step), SoFar(int(characters), str(text))
    except (ValueError, TypeError, OverflowError):
        return "", SoFar(0)
