"""Progress on stderr: plain lines, and below them a live panel when stderr is a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self

from orchestrator.cli.terminal import Terminal
from orchestrator.views.lines import Line
from orchestrator.views.progress import Look
from shared.models.outcomes import StepStatus


class Display(Protocol):
    """Shows what happens while somebody watches; a `live` one shows how far answers have come."""

    live: bool

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""

    def tell(self, lines: Iterable[Line]) -> None:
        """Something has happened."""

    def refresh(self, look: Look) -> None:
        """Time has passed."""


def make_display(terminal: Terminal) -> Display:
    """A live panel on a terminal, lines elsewhere."""
    return LiveDisplay(terminal) if terminal.live else LineDisplay(terminal)


class LineDisplay:
    """One line for each thing that happens."""

    live = False

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

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them."""
        self._terminal.talk(lines)

    def refresh(self, look: Look) -> None:
        """Lines do not change."""


class LiveDisplay:
    """The same lines, and who works on what just now below them. The panel goes when the watching ends."""

    live = True

    def __init__(self, terminal: Terminal) -> None:
        """Loads rich; nobody else does."""
        from rich.console import Console
        from rich.live import Live

        self._console = Console(stderr=True, no_color=not terminal.colour_err, highlight=False)
        self._live = Live(console=self._console, transient=True, auto_refresh=False)
        self._terminal = terminal
        self._refreshed = 0.0

    def __enter__(self) -> Self:
        """Take the last lines of the terminal."""
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give them back."""
        self._live.stop()

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them above the panel, as texts and never as markup."""
        from rich.text import Text

        for one in lines:
            text = Text(no_wrap=False)
            for span in one:
                text.append(span.text, style=_RICH.get(span.style.value, ""))
            self._live.console.print(text)

    def refresh(self, look: Look) -> None:
        """Draw the panel anew, ten times a second at most."""
        from rich.table import Table
        from rich.text import Text

        now = time.monotonic()
        if now - self._refreshed < 0.1:
            return
        self._refreshed = now
        panel = Table.grid(padding=(0, 2))
        for step in look.open_steps:
            status = StepStatus(step.status)
            waited = look.elapsed_s - (step.leased_at_s or step.queued_at_s)
            panel.add_row(
                Text(_GLYPHS.get(status, " ")),
                Text(step.participant),
                Text(step.role, style="dim"),
                Text(f"{max(waited, 0.0):.1f} s", style="dim"),
                Text(_so_far(look.characters.get(step.key)), style="dim"),
            )
        panel.add_row(Text("⏳"), Text(look.phase, style="bold"), Text(), Text(), Text())
        self._live.update(panel, refresh=True)


def _so_far(characters: int | None) -> str:
    return "" if characters is None else f"{characters:,} characters"


_GLYPHS = {StepStatus.PENDING: "💤", StepStatus.LEASED: "🎤"}
_RICH = {
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "place": "cyan",
    "added": "green",
    "removed": "red",
}
