"""Styled lines that are safe to show.

The terminal decides about colour. What models, files and people wrote cannot steer a terminal: every span is cleaned
when it is made, so nothing can forget it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.models.letters import UNSEEN, spelled, spelled_out
from shared.patterns import regex

# ECMA-48 control sequences, strings (OSC, DCS, ...) and two-character escapes, in their 7-bit form.
_ESCAPES = regex(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]", re.DOTALL
)


class Style(StrEnum):
    """What a span is; the terminal knows a colour for each."""

    PLAIN = "plain"
    STRONG = "strong"
    DIM = "dim"
    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    PLACE = "place"
    COMMAND = "command"
    ADDED = "added"
    REMOVED = "removed"
    VOICE_1 = "voice_1"
    VOICE_2 = "voice_2"
    VOICE_3 = "voice_3"
    VOICE_4 = "voice_4"
    VOICE_5 = "voice_5"


VOICES = (Style.VOICE_1, Style.VOICE_2, Style.VOICE_3, Style.VOICE_4, Style.VOICE_5)


def voice(name: str, everybody: Sequence[str]) -> Style:
    """The style of a participant's name, the same everywhere; one outside the panel has none of its own."""
    return VOICES[everybody.index(name) % len(VOICES)] if name in everybody else Style.STRONG


@dataclass(frozen=True)
class Span:
    """A piece of one line in one style."""

    text: str
    style: Style = Style.PLAIN

    def __post_init__(self) -> None:
        """Whatever the text was, it is now one line without control characters."""
        object.__setattr__(self, "text", clean(self.text))


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of plain texts and spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def block(text: str, *, indent: str = "", style: Style = Style.PLAIN) -> list[Line]:
    """A text of several lines."""
    return [line(indent, Span(row, style)) for row in _split(drop_unseen(text))]


def exact(text: str) -> list[Line]:
    """A patch as it is: nothing is dropped, what would not be seen is spelled out, `+` and `-` are coloured."""
    return [line(Span(row, _patch_style(row))) for row in patch_rows(text)]


def patch_rows(text: str) -> list[str]:
    """The rows of a patch, what would not be seen spelled out.

    An empty line of the context is a blank alone, which is the patch's own.
    """
    return [row if row != spelled(" ") else " " for row in _split(spelled_out(text))]


def plain(lines: Iterable[Line]) -> str:
    """The lines without styles, each ended by a newline."""
    return "".join("".join(span.text for span in shown) + "\n" for shown in lines)


def clean(text: str) -> str:
    """One line: escape sequences and unseen characters are gone, newlines and tabs are blanks."""
    return drop_unseen(text).replace("\n", " ").replace("\t", "    ")


def drop_unseen(text: str) -> str:
    """The text without escape sequences and unseen characters; newlines and tabs stay. Idempotent."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    while (seen := UNSEEN.sub("", text)) != text:  # what one leaves out brings others together
        text = seen
    return text


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _patch_style(text: str) -> Style:
    if text.startswith(("+++", "---", "diff --git", "index ")):
        return Style.STRONG
    if text.startswith("@@"):
        return Style.DIM
    return {"+": Style.ADDED, "-": Style.REMOVED}.get(text[:1], Style.PLAIN)
