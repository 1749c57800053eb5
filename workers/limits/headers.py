"""What rate-limit headers of a good answer say about the next one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

LONGEST_S = 300.0
_EPOCH_FROM = 1_000_000_000
_EPOCH_MS_FROM = 100_000_000_000
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_LONGEST_TEXT = 64
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def cooldown_s(headers: Mapping[str, str], now: datetime) -> float:
    """How long nobody should call: until the reset of every kind of which nothing remains; 0 for none.

    `headers` have lower-case names: OpenAI's `x-ratelimit-remaining-requests`, Anthropic's
    `anthropic-ratelimit-requests-remaining`, the draft's `ratelimit-remaining`, each with its `reset` twin. `now` has
    a time zone.
    """
    waits = [
        seconds_until(headers.get(name.replace("remaining", "reset"), ""), now)
        for name, text in headers.items()
        if "remaining" in name and _is_none_left(text)
    ]
    return min(max([wait for wait in waits if wait is not None], default=0.0), LONGEST_S)


def _is_none_left(text: str) -> bool:
    try:
        return float(text) <= 0
    except ValueError:
        return False


def seconds_until(text: str, now: datetime) -> float | None:
    """`6m0s`, `120ms`, `30`, a Unix time or an RFC 3339 moment as seconds from now; None for anything else.

    A Unix time may be in milliseconds, as OpenRouter's is.
    """
    text = text.strip()
    if (
        len(text) > _LONGEST_TEXT
    ):  # the pattern is quadratic, and a header may have 100,000 characters
        return None
    parts = _PART.findall(text)
    if parts and _PART.sub("", text) == "":
        return sum(float(amount) * _UNITS[unit] for amount, unit in parts)
    try:
        number = float(text)
    except ValueError:
        return _until_moment(text, now)
    if math.isnan(number):
        return None
    if number >= _EPOCH_MS_FROM:
        number /= 1000
    return max(number - now.timestamp(), 0.0) if number >= _EPOCH_FROM else max(number, 0.0)


def _until_moment(text: str, now: datetime) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
