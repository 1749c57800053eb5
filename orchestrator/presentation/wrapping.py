"""Text in the cells of a terminal: wrapped, cut and filled up by width, also with Korean and emoji."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len

from orchestrator.core.lines import Line, Span, Style, drop_unseen
from shared.patterns import regex

_ADDRESS = regex(r"\bhttps?://")


def wrapped(text: str, width: int) -> list[str]:
    """The text's lines, none wider than `width` cells; words stay whole where they fit."""
    flat = drop_unseen(text).replace("\t", "    ")
    return [part for row in flat.split("\n") for part in _wrapped_line(row, max(width, 2))]


def tail(text: str, width: int, height: int) -> list[str]:
    """The last `height` lines of the wrapped text: what somebody is writing just now.

    Where lines break does not change while the text grows, so what can be read stands still.
    """
    if height <= 0:
        return []
    kept = text.rstrip("\n")
    return wrapped(kept[_steady_start(kept, width * (height + 1)) :].lstrip("\n"), width)[-height:]


def _steady_start(text: str, enough: int) -> int:
    """Where to begin so that at least `enough` characters follow; the same place for many longer texts."""
    latest = len(text) - enough
    if latest <= 0:
        return 0
    line = text.rfind("\n", max(latest - 2 * enough, 0), latest) + 1
    if line:
        return line
    step = latest - latest % enough
    blank = text.rfind(" ", max(step - enough, 0), step) + 1
    return blank or step


def head(text: str, width: int, height: int) -> list[str]:
    """The first `height` lines of the wrapped text; the last of them says that there is more."""
    if height <= 0:
        return []
    lines = wrapped(text.strip("\n")[: width * (height + 1)], width)
    if len(lines) <= height:
        return lines
    return [*lines[: height - 1], filled(lines[height - 1], width - 1).rstrip() + "…"]


def filled(text: str, width: int) -> str:
    """The text in exactly `width` cells."""
    fitting = cropped(text, width)
    while (missing := width - cell_len(fitting)) > 0:  # a joiner at its end swallows a blank
        fitting += " " * missing
    return fitting


def cropped(text: str, width: int) -> str:
    """The longest beginning of the text in at most `width` cells.

    rich's own `set_cell_size` (15.0) raises IndexError for some texts that end in signs without a width.
    """
    if cell_len(text) <= width:
        return text
    end = bisect_right(range(1, len(text) + 1), width, key=lambda most: cell_len(text[:most]))
    # A joiner makes a longer text narrower, so the search may overshoot.
    while cell_len(text[:end]) > width:
        end -= 1
    return text[:end]


def pieces(word: str, width: int) -> list[str]:
    """The word in pieces of at most `width` cells; at least one piece, and a single wider sign stands alone."""
    parts: list[str] = []
    # Far enough for signs without a width, near enough for a word of a megabyte.
    at, reach = 0, 8 * width + 8
    while at + reach < len(word) or cell_len(word[at:]) > width:
        piece = cropped(word[at : at + reach], width) or word[at]
        parts.append(piece)
        at += len(piece)
    return [*parts, word[at:]]


def cut(line: Line, width: int) -> Line:
    """The line in at most `width` cells."""
    if width_of(line) <= width:
        return line
    spans: list[Span] = []
    left = len(cropped("".join(span.text for span in line), width))
    for span in line:
        if len(span.text) >= left:
            spans.append(Span(span.text[:left].rstrip(), span.style))
            break
        spans.append(span)
        left -= len(span.text)
    return tuple(spans)


def folded(lines: Iterable[Line], width: int, hanging: int = 0) -> list[Line]:
    """The lines, wrapped between words to at most `width` cells; what follows stands as far in as its line began.

    What follows a line that began at the margin stands `hanging` cells in. An address that is wider has a line of its
    own, whole: in pieces it could be neither opened nor copied.
    """
    return [part for shown in lines for part in _folded_line(shown, max(width, 8), hanging)]


def _folded_line(shown: Line, width: int, hanging: int) -> Iterator[Line]:
    if width_of(shown) <= width:
        yield shown
        return
    text = "".join(span.text for span in shown)
    styles = [span.style for span in shown for _ in span.text]
    indent = " " * min(len(text) - len(text.lstrip(" ")), width // 2)
    below = indent or " " * min(hanging, width // 2)
    at = 0
    for row in _wrapped_line(text.lstrip(" "), width - len(below), is_whole=_ADDRESS.search):
        at = text.index(row, at)  # only blanks are left out between two rows
        places = range(at, at + len(row.rstrip(" ")))
        pieces_of_row = groupby(places, key=styles.__getitem__)
        yield (Span(indent), *(_piece(text, list(run), style) for style, run in pieces_of_row))
        at += len(row)
        indent = below


def _piece(text: str, places: Sequence[int], style: Style) -> Span:
    return Span(text[places[0] : places[-1] + 1], style)


def width_of(line: Line) -> int:
    """The cells that a line takes; a sign may be made of the end of one span and the beginning of the next."""
    return cell_len("".join(span.text for span in line))


def _wrapped_line(
    text: str, width: int, is_whole: Callable[[str], object] = lambda _: False
) -> Iterator[str]:
    """The rows of a line; words that are to stay `whole` stay so."""
    if cell_len(text) <= width:
        yield text
        return
    current = ""
    for word in text.split(" "):
        joined = f"{current} {word}" if current else word
        if cell_len(joined) <= width:
            current = joined
            continue
        if current.strip():
            yield current
        *whole, current = [word] if is_whole(word) else pieces(word, width)
        yield from whole
    if current:
        yield current
