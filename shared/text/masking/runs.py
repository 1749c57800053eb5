"""The long runs of a text's characters that tokens are made of: a small part of it, where most secrets stand."""

from __future__ import annotations

import re
from bisect import bisect_right

from shared.patterns import regex

SHORTEST = 16
IN_RUN = r"[\w+/=-]"
_RUN = regex(rf"{IN_RUN}{{{SHORTEST},}}+", re.ASCII)


class Runs:
    """The runs one below the other, in small letters, with where each began."""

    def __init__(self, text: str, lowered: str) -> None:
        self.spans = [run.span() for run in _RUN.finditer(text)]
        self._lowered = "\n".join(lowered[start:end] for start, end in self.spans)
        self._starts: list[int] = []
        length = 0
        for start, end in self.spans:
            self._starts.append(length)
            length += end - start + 1

    def find(self, word: str, at: int) -> int:
        """Where in the text the word stands next in a run, from that place on; -1 when nowhere."""
        number = bisect_right(self.spans, (at, len(self._lowered) + at)) - 1
        first = 0
        if number >= 0:
            start, end = self.spans[number]
            first = self._starts[number] + min(at, end) - start
        place = self._lowered.find(word, first)
        if place < 0:
            return -1
        number = bisect_right(self._starts, place) - 1
        return self.spans[number][0] + place - self._starts[number]
