"""Progress on stderr: plain lines, and below them a live picture when stderr is a terminal (cli/picture.py)."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self

from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line
from orchestrator.core.views.live import OutputMode
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.locale.translator import Translator


class Display(Protocol):
    """Shows what happens while somebody watches; a LIVE one shows answers while they come."""

    manner: OutputMode

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""

    def begin(self, look: RunSnapshot) -> None:
        """The first look at a run."""

    def tell(self, lines: Iterable[Line]) -> None:
        """Something has happened."""

    def refresh(self, look: RunSnapshot) -> None:
        """Time has passed."""


def make_display(terminal: Terminal, words: Translator) -> Display:
    """A live picture on a terminal, lines elsewhere."""
    if not terminal.live:
        return LineDisplay(terminal)
    from orchestrator.cli.picture import LiveDisplay

    return LiveDisplay(terminal, words)


class LineDisplay:
    """One line for each thing that happens."""

    manner = OutputMode.LINES

    def __init__(self, terminal: Terminal) -> None:
        """Writes to `terminal`'s stderr."""
        self._terminal = terminal

    def __enter__(self) -> Self:
        """Nothing to begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to end."""

    def begin(self, look: RunSnapshot) -> None:
        """Whoever submitted the run has said what it is."""

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them."""
        self._terminal.talk(lines)

    def refresh(self, look: RunSnapshot) -> None:
        """Lines do not change."""
