"""The live picture on a terminal: told lines scroll away above it, what is going on is drawn anew below them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from orchestrator.cli.terminal import Terminal
from orchestrator.views.frames import Size, frame, opening
from orchestrator.views.happenings import Manner
from orchestrator.views.lines import Line
from orchestrator.views.progress import Look
from orchestrator.views.wrapping import folded

UPDATES_A_SECOND = 10


class Picture:
    """The same lines, and the picture of what is going on below them. The picture goes when the watching ends."""

    manner = Manner.LIVE

    def __init__(self, terminal: Terminal, language: str) -> None:
        """Nothing is drawn yet."""
        self._console = Console(stderr=True, no_color=not terminal.colour_err, highlight=False)
        self._live = Live(console=self._console, transient=True, auto_refresh=False)
        self._language = language
        self._refreshed = 0.0
        self._opened = False

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

    def begin(self, look: Look) -> None:
        """Say once what is being watched."""
        if not self._opened:
            self._opened = True
            self.tell(opening(look, self._console.width, self._language))

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them above the picture, as texts and never as markup."""
        for one in folded(lines, self._console.width):
            self._live.console.print(_text(one), soft_wrap=True)

    def refresh(self, look: Look) -> None:
        """Draw the picture anew, ten times a second at most."""
        now = time.monotonic()
        if now - self._refreshed < 1 / UPDATES_A_SECOND:
            return
        self._refreshed = now
        size = Size(self._console.width, self._console.height)
        drawn = [_text(one) for one in frame(look, size, self._language)]
        self._live.update(Text("\n").join(drawn), refresh=True)


def _text(one: Line) -> Text:
    """A line with rich's styles; nothing in it is markup."""
    text = Text(no_wrap=False)
    for span in one:
        text.append(span.text, style=_RICH.get(span.style.value, ""))
    return text


_RICH = {
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "place": "cyan",
    "added": "green",
    "removed": "red",
    "voice_1": "bold cyan",
    "voice_2": "bold magenta",
    "voice_3": "bold green",
    "voice_4": "bold blue",
    "voice_5": "bold yellow",
}
