"""Where the result and the talk go: stdout is the result, stderr is talk; colour and questions on terminals only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from orchestrator.core.lines import Line, Style, plain

_COLOURS = {
    Style.STRONG: "1",
    Style.DIM: "2",
    Style.GOOD: "32",
    Style.BAD: "1;31",
    Style.WARNING: "33",
    Style.PLACE: "36",
    Style.ADDED: "32",
    Style.REMOVED: "31",
    Style.VOICE_1: "1;36",
    Style.VOICE_2: "1;35",
    Style.VOICE_3: "1;32",
    Style.VOICE_4: "1;34",
    Style.VOICE_5: "1;33",
}


@dataclass(frozen=True)
class Terminal:
    """What the two streams can do. `can_ask`: a person sits there and may be asked."""

    colour_out: bool
    colour_err: bool
    live: bool
    can_ask: bool
    quiet: bool = False

    @classmethod
    def of(cls, environ: Mapping[str, str], *, quiet: bool = False) -> Terminal:
        """The terminal of this process. NO_COLOR, CLICOLOR_FORCE, TERM=dumb, CI and QUORATE_NO_INPUT count."""
        dumb = environ.get("TERM") in ("dumb", "unknown")
        in_ci = bool(environ.get("CI"))
        err = sys.stderr.isatty()
        person = err and sys.stdin is not None and sys.stdin.isatty()
        return cls(
            colour_out=_coloured(environ, dumb=dumb, tty=sys.stdout.isatty()),
            colour_err=_coloured(environ, dumb=dumb, tty=err),
            live=err and not (dumb or quiet or in_ci),
            can_ask=person and not (in_ci or environ.get("QUORATE_NO_INPUT")),
            quiet=quiet,
        )

    @property
    def columns(self) -> int | None:
        """How wide a line of the result may be."""
        return columns_of(sys.stdout)

    def result(self, lines: Iterable[Line] | str) -> None:
        """Write the result."""
        _write(sys.stdout, lines, self.colour_out)

    def talk(self, lines: Iterable[Line]) -> None:
        """Say something on the way; nothing when quiet."""
        if not self.quiet:
            _write(sys.stderr, self._fitted(lines), self.colour_err)

    def warn(self, lines: Iterable[Line]) -> None:
        """Say something that quiet does not silence."""
        _write(sys.stderr, self._fitted(lines), self.colour_err)

    def _fitted(self, lines: Iterable[Line]) -> Iterable[Line]:
        """Talk at a terminal, wrapped between words."""
        if not self.live:
            return lines
        from orchestrator.presentation.wrapping import folded  # loads the table of widths

        return folded(lines, size_of(sys.stderr)[0])


def _coloured(environ: Mapping[str, str], *, dumb: bool, tty: bool) -> bool:
    forced = environ.get("CLICOLOR_FORCE", "0") not in ("", "0")
    return not environ.get("NO_COLOR") and not dumb and (forced or tty)


def size_of(stream: TextIO) -> tuple[int, int]:
    """The columns and rows of a stream's terminal now; 80 and 24 where it does not say."""
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except OSError:
        columns, rows = 0, 0
    return columns or 80, rows or 24


def columns_of(stream: TextIO) -> int | None:
    """How wide a line may be; None where nothing is a terminal, and lines are as long as they are."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def _write(stream: TextIO, lines: Iterable[Line] | str, colour: bool) -> None:
    if isinstance(lines, str):
        text = lines if lines.endswith("\n") else lines + "\n"
    else:
        text = "".join(f"{coloured(shown)}\n" for shown in lines) if colour else plain(lines)
    stream.write(text)
    stream.flush()


def coloured(shown: Line) -> str:
    """The line with its colours. Spans are clean already, so the only escapes are ours."""
    return "".join(
        f"\x1b[{code}m{span.text}\x1b[0m" if (code := _COLOURS.get(span.style)) else span.text
        for span in shown
    )
