"""Any text cut into passages: sentences and lines of lists, of a length that one statement has."""

from __future__ import annotations

from collections.abc import Iterator

from shared.patterns import regex
from workers.tools.clinical.sentences import split_sentences

LONGEST = 500
_SHORT = 40
_SHORT_WORDS = 5
_CONTENT = regex(r"\w")
_BULLETS = "-*•·‣–"


def cut_passages(text: str) -> list[tuple[int, int]]:
    """The passages of `text` as ranges of characters (end excluded), in order, none overlapping another.

    A passage is a sentence, or a line that is not the rest of a wrapped one. A few words that end nowhere (a heading,
    "Plan:") belong to what follows. One of more than `LONGEST` characters is cut between words. Every letter of
    the text is in a passage.
    """
    passages: list[tuple[int, int]] = []
    opened: int | None = None
    for start, end in split_sentences(text):
        if not _CONTENT.search(text, start, end):
            continue
        begin = start if opened is None or end - opened > LONGEST else opened
        if opened is not None and begin != opened:
            passages.append((opened, _trimmed(text, opened, start)[1]))
        if _is_short(text, begin, end):
            opened = begin
            continue
        passages.extend(_pieces(text, begin, end))
        opened = None
    if opened is not None:
        passages.append(_trimmed(text, opened, len(text)))
    return passages


def _is_short(text: str, start: int, end: int) -> bool:
    if end - start > _SHORT or text[end - 1] in ".!?。！？" or text[start] in _BULLETS:
        return False
    return len(text[start:end].split()) <= _SHORT_WORDS


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        blank = max(text.rfind(mark, start + LONGEST // 2, start + LONGEST) for mark in " \n\t")
        stop = blank if blank > 0 else start + LONGEST
        yield _trimmed(text, start, stop)
        start = _trimmed(text, stop, end)[0]
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blanks at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
