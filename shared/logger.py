"""Loggers of code that commands load, too, and in which these hardly ever say anything."""

from __future__ import annotations

from typing import Any


class LazyLogger:
    """structlog's logger of a module, loaded when it says something: it brings rich and Pygments, for colours."""

    def __init__(self, module: str) -> None:
        """Of the module of that name."""
        self._module = module

    def __getattr__(self, level: str) -> Any:
        """The method that says something at a level."""
        import structlog  # noqa: PLC0415 - loads 80 modules

        return getattr(structlog.get_logger(self._module), level)
