"""A terminal's screen: rows, a cursor, and the few control sequences that the live picture uses."""

from __future__ import annotations

import re

from rich.cells import cell_len

_TOKEN = re.compile(r"\x1b\[([0-?]*)([@-~])|[\r\n]|[^\x1b\r\n]")


class Screen:
    """Rows of cells with everything that scrolled away above them. It joins no emoji: each sign has its own cells."""

    def __init__(self, columns: int, rows: int) -> None:
        """An empty screen, the cursor in its first row."""
        self.columns, self.rows = columns, rows
        self.lines = [""]
        self.modes = {"?25": True, "?7": True}
        self._row = 0
        self._column = 0

    @property
    def shown(self) -> list[str]:
        """All rows that were written, without blanks at their ends."""
        return [one.rstrip() for one in self.lines]

    def write(self, text: str) -> None:
        """Take what a program writes."""
        at = 0
        while found := _TOKEN.match(text, at):
            at = found.end()
            if found[2] is not None:
                self._control(found[1], found[2])
            elif found[0] == "\r":
                self._column = 0
            elif found[0] == "\n":
                self._next_row()
            else:
                self._put(found[0])
        assert at == len(text), f"not understood: {text[at : at + 20]!r}"

    def _control(self, number: str, letter: str) -> None:
        if letter == "A":
            top = max(len(self.lines) - self.rows, 0)
            self._row = max(self._row - int(number or 1), top)
        elif letter == "K":
            assert number == "2"
            self.lines[self._row] = ""
        elif letter == "J":
            self.lines[self._row] = self._before()
            del self.lines[self._row + 1 :]
        elif letter in "hl":
            self.modes[number] = letter == "h"
        else:
            assert letter == "m"

    def _before(self) -> str:
        """The row up to the cursor, filled up with blanks; a cell of a wide sign counts as a sign here."""
        return self.lines[self._row][: self._column].ljust(self._column)

    def _put(self, sign: str) -> None:
        width = cell_len(sign)
        if self._column + width > self.columns:
            if self.modes["?7"]:
                self._column = 0
                self._next_row()
            else:
                self._column = self.columns - width
        cells = sign + "\0" * (width - 1)
        before = self._before()
        self.lines[self._row] = before + cells + self.lines[self._row][len(before) + len(cells) :]
        self._column += width

    def _next_row(self) -> None:
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append("")
