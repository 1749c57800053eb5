"""Logs of the services: one JSON object a line on stderr, ids only."""

from __future__ import annotations

import logging
import sys

import structlog

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure(level: str) -> None:
    """Send our own events at `level` and the libraries' from WARNING to stderr, as JSON lines."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS.get(level, 20)),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(
        level=logging.WARNING,
        stream=sys.stderr,
        force=True,
        format='{"event": "library", "logger": "%(name)s", "level": "%(levelname)s", "message": "%(message).500s"}',
    )
