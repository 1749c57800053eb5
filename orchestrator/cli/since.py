"""`--since`: how far back something is listed, as a duration."""

from __future__ import annotations

import click
from pydantic import TypeAdapter, ValidationError

from orchestrator.cli.options import Decorator
from shared.configuration import LONGEST_S, Duration
from shared.errors import UserError


def since_option(help_text: str = "Only the last 12h, 7d, 4w, ...") -> Decorator:
    """`--since`, in seconds."""
    return click.option("--since", metavar="DURATION", callback=_seconds, help=help_text)


def _seconds(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> float | None:
    return None if typed is None else seconds_of("--since", typed)


def seconds_of(option: str, typed: str, *, longest_s: float = LONGEST_S) -> float:
    """A duration that was typed, in seconds, at most `longest_s`. Raises UserError."""
    try:
        return min(TypeAdapter[float](Duration).validate_python(typed), longest_s)
    except ValidationError:
        raise UserError(
            "{option} {typed}: expected a duration like 90s, 12h, 7d or 4w",
            option=option,
            typed=typed,
        ) from None
