"""The live picture on a terminal: reported lines scroll away above it, what is going on is redrawn below them.

Drawn by hand and not by a library, for three reasons. Only lines that have changed are written, so nothing flickers and
little crosses a slow connection. Each change is one synchronised update (private mode 2026, which terminals that do not
know it pass over). And lines never wrap while the picture is drawn: terminals do not agree on the width of every emoji,
and one line that takes two rows would leave a line of rubbish behind at each update.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from types import FrameType, TracebackType
from typing import Protocol, Self

from orchestrator.core.lines import Line, plain
from orchestrator.core.views.live import OutputMode
from orchestrator.presentation.live.live_layout import Size, frame, opening
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal, coloured, size_of
from orchestrator.presentation.wrapping import folded, width_of

UPDATES_A_SECOND = 10

_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_BEGIN, _END = "\x1b[?2026h\x1b[?7l", "\x1b[?7h\x1b[?2026l"
_WRAPPING, _NOT_WRAPPING = "\x1b[?7h", "\x1b[?7l"
_ERASE_LINE, _ERASE_BELOW = "\x1b[2K", "\x1b[J"


class Display(Protocol):
    """Shows what happens while somebody watches; a LIVE one shows answers while they come."""

    mode: OutputMode

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""

    def begin(self, snapshot: RunSnapshot) -> None:
        """The first snapshot of a run."""

    def tell(self, lines: Iterable[Line]) -> None:
        """Something has happened."""

    def refresh(self, snapshot: RunSnapshot) -> None:
        """Time has passed."""


class LineDisplay:
    """One line for each thing that happens."""

    mode = OutputMode.LINES

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

    def begin(self, snapshot: RunSnapshot) -> None:
        """Whoever submitted the run has said what it is."""

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them."""
        self._terminal.talk(lines)

    def refresh(self, snapshot: RunSnapshot) -> None:
        """Lines do not change."""


class LiveRegion:
    """The picture's lines as they are at the end of a terminal, and what must be written to change them.

    The cursor rests at the beginning of the last line.
    """

    def __init__(self, *, colour: bool) -> None:
        """Nothing is drawn yet."""
        self._colour = colour
        self._drawn: list[str] = []
        self._widths: list[int] = []

    def change(self, lines: Sequence[Line], columns: int) -> str:
        """What turns the picture into these lines; empty when nothing has changed."""
        texts = list(map(self._text, lines))
        if texts == self._drawn:
            return ""
        # Lines that a narrower window wrapped are no longer where they were.
        kept = [] if any(width > columns for width in self._widths) else self._drawn
        parts = [
            self._to_the_top(columns),
            "" if kept and texts else _ERASE_BELOW,
            "\r\n".join(map(_rewritten, texts, [*kept, *[None] * len(texts)])),
            f"\r\n{_ERASE_BELOW}\x1b[A" if 0 < len(texts) < len(kept) else "",
        ]
        self._drawn, self._widths = texts, list(map(width_of, lines))
        return f"{_BEGIN}{''.join(parts)}{_END}"

    def above(self, lines: Iterable[Line], columns: int) -> str:
        """What writes these lines above the picture."""
        text = "".join(f"{self._text(shown)}\r\n" for shown in lines)
        picture = "\r\n".join(self._drawn)
        top = self._to_the_top(columns)
        self._widths = [min(width, columns) for width in self._widths]
        return f"{_BEGIN}{top}{_ERASE_BELOW}{_WRAPPING}{text}{_NOT_WRAPPING}{picture}\r{_END}"

    def erased(self, columns: int) -> str:
        """What takes the picture away."""
        top = self._to_the_top(columns) if self._drawn else "\r"
        self._drawn, self._widths = [], []
        return f"{top}{_ERASE_BELOW}"

    def _text(self, shown: Line) -> str:
        return coloured(shown) if self._colour else plain([shown])[:-1]

    def _to_the_top(self, columns: int) -> str:
        """Terminals wrap their content when they become narrower, so a line may take several rows."""
        rows = sum(max(1, -(-width // columns)) for width in self._widths[:-1])
        return f"\r\x1b[{rows}A" if rows else "\r"


def _rewritten(text: str, stands: str | None) -> str:
    """What turns the line on the screen into this one; nothing where it is the same."""
    return "" if text == stands else f"{_ERASE_LINE}{text}\r"


class LiveDisplay:
    """The same lines, and the picture of what is going on below them. The picture goes when the watching ends."""

    mode = OutputMode.LIVE

    def __init__(self, terminal: Terminal, words: Translator) -> None:
        """Nothing is drawn yet."""
        self._region = LiveRegion(colour=terminal.colour_err)
        self._words = words
        self._refreshed = 0.0
        self._opened = False
        self._stops = False

    def __enter__(self) -> Self:
        """Take the last lines of the terminal."""
        _write(_HIDE_CURSOR)
        self._stops = signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
        if self._stops:  # a shell that knows no jobs has it ignored
            signal.signal(signal.SIGTSTP, self._suspend)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give them back, also when an update was interrupted in the middle."""
        try:
            self._take_away()
        finally:
            if self._stops:
                signal.signal(signal.SIGTSTP, signal.SIG_DFL)

    def begin(self, snapshot: RunSnapshot) -> None:
        """Say once what is being watched."""
        if not self._opened:
            self._opened = True
            self.tell(opening(snapshot, _size().columns, self._words))

    def tell(self, lines: Iterable[Line]) -> None:
        """Write them above the picture."""
        columns = _size().columns
        if fitting := folded(lines, columns):
            _write(self._region.above(fitting, columns))

    def refresh(self, snapshot: RunSnapshot) -> None:
        """Redraw the picture, at most ten times a second."""
        now = time.monotonic()
        if now - self._refreshed < 1 / UPDATES_A_SECOND:
            return
        self._refreshed = now
        size = _size()
        _write(self._region.change(frame(snapshot, size, self._words), size.columns))

    def _take_away(self) -> None:
        _write(f"{_END}{self._region.erased(_size().columns)}{_SHOW_CURSOR}")

    def _suspend(self, number: int, _frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets the terminal as it was, and the picture is redrawn when it is ours again."""
        self._take_away()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspend)
        _write(_HIDE_CURSOR)


def make_display(terminal: Terminal, words: Translator) -> Display:
    """A live picture on a terminal, lines elsewhere."""
    return LiveDisplay(terminal, words) if terminal.live else LineDisplay(terminal)


def _size() -> Size:
    return Size(*size_of(sys.stderr))


def _write(text: str) -> None:
    """Past Python's buffers: they may not be entered again by a signal's handler. Raises BrokenPipeError."""
    left = memoryview(text.encode(sys.stderr.encoding or "utf-8", "backslashreplace"))
    while left:
        try:
            left = left[os.write(sys.stderr.fileno(), left) :]
        except BlockingIOError:  # who shares the terminal has made it so
            select.select([], [sys.stderr], [], 1.0)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # The terminal was closed, and its end (SIGHUP) is ignored: a reader that has gone.
            raise BrokenPipeError(errno.EPIPE, "the terminal was closed") from error
