"""How far an answer has come, and its words so far, for people who watch a run.

Streaming costs many times the processor time of a plain call, so a turn streams only while somebody watches its run, or
is expected to: watched runs are listed in Redis with the moment until which they are, by the server's clock, and the
watcher renews it. A process reads that list for all its turns together: one reading serves every step that was asked
for before it, a second long at most. A provider that streams at no cost (a command's output) always has a listener.

What a turn has said so far is published only while somebody listens, and never stored, neither in Redis' memory nor in
its files. While nobody does, a process asks once a second at most which runs are listened to, for all its turns
together; so who comes later sees what was said before at the next piece, and every report holds all of it. Losing any
of it changes nothing but the picture. The words are as they come: unchecked, possibly never heard
(docs/design/privacy.md).
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Annotated

import redis
from pydantic import Field, TypeAdapter, ValidationError

from shared.delivery.redis_text import READING
from shared.text.unfinished import ANEW, SoFar, plain_words, readable

WATCHED_S = 10
# Who lets go of a run at a terminal, or does not wait for it, may come back to it.
EXPECTED_S = 600
REPORT_EVERY_S = 0.3
LOOK_EVERY_S = 1.0
# A Redis that is away is left in peace: its time-outs would hold up the answers.
AWAY_S = 10.0
LONGEST_TAIL = 4_000
LONGEST_READ = 200_000
MOST_STEPS = 1_000
RENEW_EVERY_S = 2.0
MOST_WATCHED = 10_000
WATCHED_RUNS = "quorate:watched"
_STEADY = 1_000
# Anybody may publish: a step, how many characters it has, and their end.
_REPORT = TypeAdapter(
    tuple[
        Annotated[str, Field(max_length=1_000)],
        Annotated[int, Field(ge=0, lt=1 << 53)],
        Annotated[str, Field(max_length=2 * LONGEST_TAIL)],
    ]
)


def _client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=1, **READING)


class Live:
    """The speaking end: whether somebody watches, and how far turns are. Shared by a process' threads."""

    def __init__(self, redis_url: str, look_every_s: float = LOOK_EVERY_S) -> None:
        """Connects on first use."""
        self._redis = _client(redis_url)
        self._look_every_s = look_every_s
        self._listening: frozenset[str] = frozenset()
        self._look_at = 0.0
        self._watched: frozenset[str] = frozenset()
        self._watched_at = -math.inf
        self._lock = threading.Lock()

    def announce(self, run: str, life_s: int = WATCHED_S) -> None:
        """Somebody is going to watch a run, so the turns that begin within `life_s` stream."""
        with contextlib.suppress(redis.RedisError):
            _announce(self._redis, run, life_s)

    def listener(
        self, run: str, step: str, *, age_s: float = 0.0, always: bool = False
    ) -> Callable[[str], None] | None:
        """What a provider hands its pieces to; None when nobody watches the run, unless it is `always` wanted.

        `age_s` is how long ago the step was asked for.
        """
        if always:
            return Listener(self, run, step)
        watched = self._is_watched(run, age_s)
        return Listener(self, run, step, heard=True) if watched else None

    def _is_watched(self, run: str, age_s: float) -> bool:
        with self._lock:
            now = time.monotonic()
            if self._watched_at < now - min(age_s, self._look_every_s):
                try:
                    self._watched, self._watched_at = _watched_runs(self._redis), now
                except redis.RedisError:
                    self._watched, self._watched_at = frozenset(), now + AWAY_S
            return run in self._watched

    def has_listeners(self, run: str) -> bool:
        """True when somebody listened to the run at the last check, a second ago at most."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + self._look_every_s
            try:
                names = self._redis.pubsub_channels(_channel("*"))
                self._listening = frozenset(str(name) for name in names)
            except redis.RedisError:
                self._listening, self._look_at = frozenset(), now + AWAY_S
        return _channel(run) in self._listening

    def report(self, run: str, step: str, so_far: SoFar) -> bool:
        """Say how far a turn is, to whoever listens now; False when nobody does."""
        message = json.dumps([step, so_far.characters, so_far.text], ensure_ascii=False)
        try:
            # A piece may end in the middle of a character (JSON's \ud83d): that is no error.
            sent = self._redis.publish(_channel(run), message.encode("utf-8", "replace"))
            return int(sent) > 0
        except redis.RedisError:
            self._listening, self._look_at = frozenset(), time.monotonic() + AWAY_S
            return False

    def close(self) -> None:
        """Drop the connections."""
        self._redis.close()


class Listener:
    """Gathers one answer and reports it a few times a second, while somebody listens."""

    def __init__(self, live: Live, run: str, step: str, *, heard: bool = False) -> None:
        """Nothing has come yet. `heard`: somebody is thought to listen."""
        self._live = live
        self._run = run
        self._step = step
        self._heard = heard
        self._pieces: list[str] = []
        self._held = 0
        self._dropped = 0
        self._characters = 0
        self._reported = 0
        self._due = 0.0

    def __call__(self, piece: str) -> None:
        """Take the next piece of the answer; ANEW begins another one, an empty piece says that time has passed."""
        if piece == ANEW:
            self._pieces, self._held, self._dropped = [], 0, 0
            self._characters = self._reported = 0
        elif piece:
            self._characters += len(piece)
            if self._held < LONGEST_READ:
                self._pieces.append(piece)
                self._held += len(piece)
                if self._held >= LONGEST_READ:
                    self._shorten()
        now = time.monotonic()
        if now >= self._due and self._characters:
            self._due = now + self._report()

    def _report(self) -> float:
        """Report if somebody listens; seconds until the next time."""
        if not self._heard and not self._live.has_listeners(self._run):
            return REPORT_EVERY_S
        has_news, self._reported = self._characters > self._reported, self._characters
        self._heard = self._live.report(self._run, self._step, self._so_far())
        return REPORT_EVERY_S if has_news else LOOK_EVERY_S

    def _shorten(self) -> None:
        """Drop the beginning of plain words, which nobody will be shown; of JSON no more is read."""
        text = "".join(self._pieces)
        words = text if self._dropped else plain_words(text)
        if words is not None:
            kept = words[-2 * LONGEST_TAIL :]
            self._dropped += self._held - len(kept)
            self._pieces, self._held = [kept], len(kept)

    def _so_far(self) -> SoFar:
        text = "".join(self._pieces)
        self._pieces = [text]
        words = text if self._dropped else readable(text)
        return SoFar(self._characters, _end(words, self._dropped))


def _end(text: str, before: int) -> str:
    """The text's last LONGEST_TAIL characters at most. Where it begins changes seldom, so lines that are made of it
    stand still; `before` characters are missing already."""
    latest = before + len(text) - LONGEST_TAIL
    if latest <= 0:
        return text
    return text[max(-(-latest // _STEADY) * _STEADY - before, 0) :]


class Watcher:
    """The listening end of one run."""

    def __init__(self, redis_url: str, run: str) -> None:
        """Connects on first use."""
        self._redis = _client(redis_url)
        self._run = run
        self._heard: dict[str, SoFar] = {}
        self._renew_at = 0.0
        self._subscription: redis.client.PubSub | None = None

    def look(self) -> Mapping[str, SoFar]:
        """Go on watching; what the run's turns have said so far, by step. Stands still while Redis is away."""
        try:
            if (now := time.monotonic()) >= self._renew_at:
                _announce(self._redis, self._run, WATCHED_S)
                self._renew_at = now + RENEW_EVERY_S
            self._receive()
        except redis.RedisError:
            self._unsubscribe()
        return dict(self._heard)

    def close(self) -> None:
        """Watch no more."""
        self._unsubscribe()
        self._redis.close()

    def _unsubscribe(self) -> None:
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            with contextlib.suppress(redis.RedisError, OSError):
                subscription.close()

    def _receive(self) -> None:
        """Everything that has arrived since the last poll."""
        if self._subscription is None:
            self._subscription = self._redis.pubsub(  # type: ignore[no-untyped-call]
                ignore_subscribe_messages=True
            )
            self._subscription.subscribe(_channel(self._run))
        while (message := self._subscription.get_message()) is not None:
            step, so_far = _read(str(message["data"]))
            if step and (step in self._heard or len(self._heard) < MOST_STEPS):
                self._heard[step] = so_far


def _announce(client: redis.Redis, run: str, life_s: int) -> None:
    now, _ = client.time()
    with client.pipeline() as pipe:
        pipe.zadd(WATCHED_RUNS, {run: now + life_s})
        pipe.zremrangebyscore(WATCHED_RUNS, "-inf", now)
        pipe.expire(WATCHED_RUNS, EXPECTED_S)
        pipe.execute()


def _watched_runs(client: redis.Redis) -> frozenset[str]:
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        pipe.zrevrange(WATCHED_RUNS, 0, MOST_WATCHED, withscores=True)
        (now, _), listed = pipe.execute()
    return frozenset(run for run, until in listed if until > now)


def _channel(run: str) -> str:
    return f"quorate:live:{run}"


def _read(message: str) -> tuple[str, SoFar]:
    try:
        step, characters, text = _REPORT.validate_json(message)
    except ValidationError:
        return "", SoFar(0)
    return step, SoFar(characters, text)
