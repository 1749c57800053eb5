"""Whom a use case tells what a person should know while it works; the words are the caller's business."""

from __future__ import annotations

from typing import Protocol

from shared.models.notices import Notice


class NoticeListener(Protocol):
    """Takes notices while a use case works."""

    def inform(self, notice: Notice) -> None:
        """Something on the way, which whoever wants quiet may leave out."""

    def warn(self, notice: Notice) -> None:
        """Something that must not be overlooked."""


class WarningKeeper:
    """Passes everything on, and keeps what must not be overlooked for readers who do not hear it."""

    def __init__(self, listener: NoticeListener) -> None:
        """Nothing was told yet."""
        self._listener = listener
        self.warned: list[Notice] = []

    def inform(self, notice: Notice) -> None:
        """Pass it on."""
        self._listener.inform(notice)

    def warn(self, notice: Notice) -> None:
        """Pass it on, and keep it."""
        self.warned.append(notice)
        self._listener.warn(notice)


class NoticeList:
    """A listener that keeps everything, for callers who tell it later or never."""

    def __init__(self) -> None:
        """Nothing was told yet."""
        self.informed: list[Notice] = []
        self.warned: list[Notice] = []

    def inform(self, notice: Notice) -> None:
        """Keep it."""
        self.informed.append(notice)

    def warn(self, notice: Notice) -> None:
        """Keep it."""
        self.warned.append(notice)
