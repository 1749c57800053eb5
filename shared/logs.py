"""Logs of the services: one line an event on stderr, as JSON unless told otherwise; ids, never a text of anybody.

What is done for a step carries its run and step, whoever logs: `bound` binds them to everything that the block logs,
lines of libraries among them. An exception is told by its classes and places. Its words may quote what a model said or
what is reviewed, so only those that cannot are told: at the level `debug` all are.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import structlog

from shared.errors import EnvironmentFault

DEBUG = 10
_LEVELS = {"debug": DEBUG, "info": 20, "warning": 30, "error": 40}
FORMATS = ("json", "text")
LONGEST_MESSAGE = 500
_PLAIN_WORDS = (
    ArithmeticError,
    AttributeError,
    EnvironmentFault,
    ImportError,
    IndexError,
    MemoryError,
    NameError,
    OSError,
    RecursionError,
    TypeError,
)
"""Exceptions whose words name code, places and limits."""

Event = MutableMapping[str, Any]


def configure(level: str, form: str = FORMATS[0]) -> None:
    """Send our own events at `level` and the libraries' from WARNING to stderr."""
    number = _LEVELS.get(level, 20)
    renderer = _text if form == "text" else structlog.processors.JSONRenderer(ensure_ascii=False)
    tell = _exceptions_of(whole=number <= DEBUG)
    shown = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        tell,
        renderer,
    ]
    structlog.configure(
        processors=shown,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OfLibraries(tell, renderer))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def bound(**names: str) -> AbstractContextManager[None]:
    """Everything that is logged in the block, in this thread, carries these."""
    return structlog.contextvars.bound_contextvars(**names)


class _OfLibraries(logging.Formatter):
    """Lines of libraries, in the form of ours."""

    def __init__(self, tell: Any, renderer: Any) -> None:
        super().__init__()
        self._tell = tell
        self._renderer = renderer

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        event: Event = {
            "event": "library",
            "logger": record.name,
            "message": record.getMessage()[:LONGEST_MESSAGE],
            "exc_info": record.exc_info,
            **structlog.contextvars.get_contextvars(),
            "level": record.levelname.lower(),
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
        }
        return str(self._renderer(None, "", self._tell(None, "", event)))


def _exceptions_of(*, whole: bool) -> Any:
    """The processor that replaces an event's exception by what is told of it."""

    def tell(_logger: object, _method: str, event: Event) -> Event:
        given = event.pop("exc_info", None)
        error = sys.exc_info()[1] if given is True else given
        if isinstance(error, tuple):
            error = error[1]
        if isinstance(error, BaseException):
            event["exception"] = (
                "".join(traceback.format_exception(error)) if whole else "\n".join(_causes(error))
            )
        return event

    return tell


def _causes(error: BaseException) -> Iterator[str]:
    """An exception and what it came from, the first cause first: where, which class, and words that quote nobody."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _causes(cause)
    yield from _places(error.__traceback__)
    name = type(error).__qualname__
    yield f"{name}: {error}"[:LONGEST_MESSAGE] if isinstance(error, _PLAIN_WORDS) else name


def _places(trace: TracebackType | None) -> Iterator[str]:
    for frame in traceback.extract_tb(trace):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}"


def _text(_logger: object, _method: str, event: Event) -> str:
    """A line for people: when, how grave, what, and the rest by name."""
    exception = event.pop("exception", "")
    head = f"{event.pop('timestamp')} {event.pop('level'):<8} {event.pop('event')}"
    rest = "".join(f" {name}={_shown(value)}" for name, value in sorted(event.items()))
    return f"{head}{rest}" + (f"\n{exception}" if exception else "")


def _shown(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and " " not in text else json.dumps(text)
