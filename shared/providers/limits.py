"""Limits of a provider account, and its state in Redis as operators see it: breakers, pauses, calls in flight.

An account is what a provider counts against: provider, host, and which key (by the name of the place that holds it;
the key itself is never read here). Everything lies under `quorate:`:

    quorate:account:<account>         hash: counters of the last minute, cooldown, breaker (written by workers/limits)
    quorate:account:<account>:slots   sorted set: calls in flight by the moment their lease ends
    quorate:account:<account>:calls   hash: how many calls ended how
    quorate:accounts                  set of the accounts that were used
    quorate:paused                    hash: participant, provider or account that an operator paused -> since, why
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from shared.delivery.redis_text import READING, whole_number
from shared.errors import ConfigurationError, EnvironmentFault
from shared.models.panel import Participant
from shared.models.pauses import PAUSED_KEY, Pause
from shared.models.wire import Wire
from shared.providers.options import HEADER_OPTIONS, KEY_OPTIONS, AccountLimits

ACCOUNTS_KEY = "quorate:accounts"
OPTIONS = ("rpm", "tpm", "parallel", "account")
"""The participant options that are ours: no service sees them."""
_LOGIN_OPTIONS = ("agent", "program", "command", "site", "profile")


class BreakerState(StrEnum):
    """`half-open`: the next call, and only one, tries whether the provider is back."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True)
class Breaker:
    """An account as `quorate participants list` shows it. `why` is a failure kind, `said` its line."""

    account: str
    state: BreakerState
    failures: int
    why: str
    said: str
    opens_in_s: float
    cooldown_s: float
    in_flight: int


def limits_of(participant: Participant) -> AccountLimits:
    """The limits that a participant's options state. Raises ConfigurationError for a bad one."""
    stated = {name: participant.options.get(name) for name in AccountLimits.model_fields}
    try:
        return AccountLimits.model_validate(stated)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ConfigurationError(
            "The option '{option}' of {participant}: {why}.",
            option=first["loc"][0],
            participant=participant.name,
            why=first["msg"],
        ) from None


def account_of(participant: Participant) -> str:
    """`provider[@host][#key]`; the option `account` names the last part in words.

    Two participants with the same account share its limits, its cooldowns and its breaker.
    """
    options = participant.options
    host = urlsplit(str(options.get("base_url") or "")).netloc.rpartition("@")[2]
    named = options.get("account")
    source = _places(participant)
    key = str(named) if named else _digest("\n".join(source)) if any(source) else ""
    text = participant.provider + (f"@{host}" if host else "") + (f"#{key}" if key else "")
    return "".join(c if c.isprintable() and not c.isspace() else "_" for c in text)[:200]


def key_of(participant: Participant) -> str:
    """Which key an account is asked with: its places, or whose log-in it is, hashed.

    A refused key says nothing about another key, also where the option `account` makes them share their limits.
    """
    logins = [json.dumps(participant.options.get(name)) for name in _LOGIN_OPTIONS]
    return _digest("\n".join([*_places(participant), *logins]))


def _places(participant: Participant) -> list[str]:
    options = participant.options
    source = [str(options.get(name) or "") for name in KEY_OPTIONS]
    source += [json.dumps(options[n], sort_keys=True) for n in HEADER_OPTIONS if options.get(n)]
    return source


def account_key(account: str) -> str:
    """The hash of an account."""
    return f"quorate:account:{account}"


def slots_key(account: str) -> str:
    """The calls in flight of an account."""
    return f"quorate:account:{account}:slots"


def calls_key(account: str) -> str:
    """How the calls of an account ended."""
    return f"quorate:account:{account}:calls"


def call_counts(redis_url: str) -> dict[tuple[str, str], int]:
    """How many calls of each account used lately ended how: `success`, or the kind of a failure.

    Raises EnvironmentFault when Redis is away.
    """
    counts = {}
    with _connected(redis_url) as client:
        for account in sorted(_texts(client.smembers(ACCOUNTS_KEY))):
            fields: Any = client.hgetall(calls_key(account))
            for outcome, number in sorted(fields.items()):
                counts[account, outcome] = whole_number(number)
    return counts


def breakers(redis_url: str) -> list[Breaker]:
    """Every account that was used lately, by name. Raises EnvironmentFault when Redis is away."""
    with _connected(redis_url) as client:
        accounts = sorted(_texts(client.smembers(ACCOUNTS_KEY)))
        seconds, micros = client.time()
        now_ms = int(seconds) * 1000 + int(micros) // 1000
        states = []
        for account in accounts:
            fields: Any = client.hgetall(account_key(account))
            in_flight = client.zcount(slots_key(account), f"({now_ms}", "+inf")
            if fields:
                states.append(_breaker(account, fields, int(in_flight), now_ms))
            else:
                client.srem(ACCOUNTS_KEY, account)
    return states


def _breaker(account: str, fields: Mapping[str, str], in_flight: int, now_ms: int) -> Breaker:
    open_until = whole_number(fields.get("open"))
    state = BreakerState.CLOSED
    if open_until:
        state = BreakerState.OPEN if now_ms < open_until else BreakerState.HALF_OPEN
    return Breaker(
        account=account,
        state=state,
        failures=whole_number(fields.get("fails")),
        why=fields.get("why", ""),
        said=fields.get("said", ""),
        opens_in_s=max(open_until - now_ms, 0) / 1000,
        cooldown_s=max(whole_number(fields.get("block")) - now_ms, 0) / 1000,
        in_flight=in_flight,
    )


def pause(redis_url: str, name: str, reason: str = "", for_s: float | None = None) -> None:
    """Hand back the turns of a participant, a provider or an account until `resume`, or for so long.

    Raises EnvironmentFault when Redis is away.
    """
    with _connected(redis_url) as client:
        now = _now(client)
        note = {"since": now, "reason": reason, "until": None if for_s is None else now + for_s}
        client.hset(PAUSED_KEY, name, json.dumps(note, ensure_ascii=False))


def _now(client: Any) -> float:
    """Redis' clock, on which pauses end."""
    seconds, microseconds = client.time()
    return float(seconds + microseconds / 1e6)


def resume(redis_url: str, name: str) -> bool:
    """End a pause, and close the breaker of an account of that name; False when there was neither.

    Raises EnvironmentFault when Redis is away.
    """
    with _connected(redis_url) as client:
        unpaused = client.hdel(PAUSED_KEY, name)
        closed = client.hdel(
            account_key(name), "open", "fails", "opens", "probe", "why", "said", "key"
        )
    return bool(unpaused or closed)


def paused(redis_url: str) -> list[Pause]:
    """What is paused, by name. Raises EnvironmentFault when Redis is away."""
    with _connected(redis_url) as client:
        notes: Any = client.hgetall(PAUSED_KEY)
        now = _now(client)
    pauses = []
    for name, note in sorted(notes.items()):
        try:
            fields = _Note.model_validate_json(note)
        except ValidationError:
            fields = _Note()  # it pauses all the same
        if fields.until is None or fields.until > now:
            pauses.append(Pause(name, fields.since, fields.reason, fields.until))
    return pauses


class _Note(Wire):
    since: float = Field(default=0.0, ge=0, lt=1e11)
    reason: str = ""
    until: float | None = Field(default=None, ge=0, lt=1e11)


@contextmanager
def _connected(redis_url: str) -> Iterator[Any]:
    import redis  # who only wants an account's name does without

    client = redis.Redis.from_url(redis_url, socket_timeout=5, socket_connect_timeout=2, **READING)
    try:
        yield client
    except redis.RedisError as error:
        raise EnvironmentFault(
            "Redis does not answer ({why}). Check it with `quorate doctor`.",
            why=type(error).__name__,
        ) from error
    finally:
        client.close()


def _texts(items: Any) -> set[str]:
    return {str(item) for item in items}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
