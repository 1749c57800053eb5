"""Server-sent events, read from the lines of a stream (HTML Living Standard, 9.2.6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from shared.errors import EnvironmentFault

LONGEST_DATA = 64 * 1024 * 1024


def server_sent(lines: Iterator[str]) -> Iterator[tuple[str, int | None, Any]]:
    """(type, number, content) of each event; comments tell that somebody is there and are passed over.

    Raises EnvironmentFault for what is no event of ours.
    """
    kind, number, data = "message", None, ""
    for line in lines:
        if not line:
            if data:
                yield kind, number, _content(data)
            kind, number, data = "message", None, ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "id" and value.isascii() and value.isdecimal():
            number = int(value)
        elif name == "data":
            data += value
            if len(data) > LONGEST_DATA:
                raise EnvironmentFault("the service sends an event without an end")


def _content(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise EnvironmentFault(
            "the service sends an event that is no JSON: {data!r}", data=data[:80]
        ) from None
