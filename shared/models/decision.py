"""Questions to a person and their answers."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue

from shared.models.wire import Wire


class DecisionState(StrEnum):
    """Where a decision stands; the row's compare-and-set leaves `open` exactly once."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class DecisionQuestion(Wire):
    """What a person is asked: `shown` is exactly what they decide on, and its hash binds the answer.

    `selectable` are ids (findings) that the answer may pick from. `timeout_s` counts on the database's clock;
    None waits for ever. At the deadline `on_timeout` (one of `options`) is taken.
    """

    kind: str
    prompt: str
    options: tuple[str, ...] = Field(min_length=1)
    shown: dict[str, JsonValue]
    selectable: tuple[str, ...] = ()
    timeout_s: float | None = None
    on_timeout: str | None = None


class DecisionAnswer(Wire):
    """What was decided: by whom (`actor`), through what (`channel`: cli, web, api, deadline)."""

    choice: str
    actor: str
    channel: str
    message: str = ""
    only: tuple[str, ...] | None = None
