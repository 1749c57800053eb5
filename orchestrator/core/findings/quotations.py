"""Does a quotation occur in the subject, and where? Form is forgiven, substance is not.

Compared without white space and characters that nobody sees, after Unicode's compatibility normalisation (NFKC), with
plain quotation marks, and with plain letters for those that look like them. `...` in a quotation stands for anything
in between, and so does a masked secret, which an external participant was shown in the secret's place.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

from rapidfuzz import fuzz

from orchestrator.core.findings.sameness import plain_path
from shared.models.decoding import decode
from shared.models.deliberation import Question
from shared.models.findings import Place
from shared.models.letters import NOT_COMPARED, plain_letters
from shared.models.placeholders import MASKED
from shared.models.subject import FileChange, Subject
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts
from shared.text.notebooks import cell_at

SHORTEST = 6  # characters that are not white space: less than that occurs by chance
SHORTEST_PART = 2  # of a quotation with gaps
NEAR_LINES = 3
NEARLY = 92.0  # a quotation with a slip, at the place that it names
UNKNOWN_CONTEXT = 20  # lines around a change that a bare diff may name

_GAP = regex(rf"\[?(?:\.{{3,}}|\u2026)\]?|{MASKED.pattern}")
_PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u2032\u2033\u00b4\u0060", "''\"\"'\"''")


def normalised(text: str) -> str:
    """The text as it is compared."""
    if not text.isascii():
        # Before NFKC: it makes other unseen characters of some.
        text = plain_letters(unicodedata.normalize("NFKC", NOT_COMPARED.sub("", text)))
    return "".join(NOT_COMPARED.sub("", text).translate(_PLAIN).split())


@kept_by_texts(16_000_000)  # of a subject, which is compared with what every round quotes
def _compared(text: str) -> str:
    return normalised(text)


def too_short(quote: str) -> bool:
    """True for a quotation that would occur in any text: even with gaps, one piece has to be long enough."""
    return max(map(len, _parts(quote)), default=0) < SHORTEST


def quoted_in(quote: str, texts: Iterable[str]) -> bool:
    """True when one of these texts holds the quotation, and it is long enough to be one. Prose ignores case."""
    if too_short(quote):
        return False
    parts = [part.casefold() for part in _parts(quote)]
    whole = normalised(quote).strip("'\"").casefold()
    return any(_found(whole, parts, _as_prose(text)) for text in texts)


@lru_cache(maxsize=32)  # every quotation of a round is looked up in the same texts
def _as_prose(text: str) -> str:
    return normalised(text).casefold()


@dataclass(frozen=True)
class GivenTexts:
    """What a panel was given to talk about: texts at hand, and files that are read only when those do not do.

    `document` gives a stored text by its hash.
    """

    texts: tuple[str, ...]
    files: tuple[str, ...]
    document: Callable[[str], str] = field(compare=False, repr=False)

    @classmethod
    def of(cls, question: Question, document: Callable[[str], str], *more: str) -> GivenTexts:
        """A question with its files, and texts besides."""
        files = tuple(context.document for context in question.contexts)
        return cls((question.text, *more), files, document)

    def hold(self, quote: str) -> bool:
        """True when the quotation occurs and is long enough to be one."""
        return quoted_in(quote, self.texts) or quoted_in(quote, map(self.document, self.files))


class SubjectTexts:
    """A subject's texts, read when they are first asked for: files in both states, and the diff."""

    def __init__(self, subject: Subject, document: Callable[[str], bytes]) -> None:
        """`document` gives the bytes of a stored document by its sha256."""
        self._subject = subject
        self._document = document
        self._files = {plain_path(file.path): file for file in subject.files}
        self._python = {file.after for file in subject.files if file.is_python}
        self._texts: dict[str, str] = {}

    def cell_at(self, place: Place) -> str | None:
        """The place as the reader of a notebook counts; None in any other file, and outside of the cells."""
        file = self._files.get(plain_path(place.path))
        if file is None or not file.cells or file.after is None:
            return None
        cell = cell_at(self._text(file.after), place.line)
        return None if cell is None else f"cell {cell.cell}, line {cell.line}"

    # ---- quotations

    def holds(self, quote: str) -> bool:
        """True when the quotation occurs and is long enough to be one."""
        return not too_short(quote) and any(_occurs(quote, text) for text in self._plains())

    def near(self, quote: str, place: Place | None) -> bool:
        """True when the quotation is at its place, give or take a few lines; there a slip is forgiven."""
        lines = None if place is None else self._lines(place.path)
        if lines is None or place is None:
            return False
        first = max(place.line - 1 - NEAR_LINES, 0)
        last = place.last_line + NEAR_LINES
        around = normalised("\n".join(lines[first:last]))
        if _occurs(quote, around):
            return True
        wanted = normalised(quote)
        return (
            len(around) >= len(wanted) >= 2 * SHORTEST
            and fuzz.partial_ratio(wanted, around) >= NEARLY
        )

    def locate(self, quote: str, stated: Place) -> Place | None:
        """Where the quotation is in the reviewed files: in the named one, else in the first that holds it."""
        named = self._files.get(plain_path(stated.path))
        for file in sorted(self._subject.files, key=lambda file: file is not named):
            if file.after is not None and (line := self._line_of(quote, file.after)) is not None:
                return Place(path=file.path, line=line)
        return None

    # ---- places

    def has_place(self, place: Place) -> bool:
        """True for a line that exists in a file of the change whose content was shown."""
        file = self._files.get(plain_path(place.path))
        if file is None or file.skipped is not None:
            return False
        lines = self._lines(place.path)
        if lines is not None:
            return place.line <= len(lines)
        return not file.changed or self.is_changed(
            place.path, place.line - UNKNOWN_CONTEXT, place.line + UNKNOWN_CONTEXT
        )

    def leaves_out(self, place: Place) -> bool:
        """True for a file that nobody was shown: its first line stands for it, and those where a secret was seen."""
        file = self._files.get(plain_path(place.path))
        if file is None or file.skipped is None:
            return False
        return place.line == 1 or any(place.line == secret.line for secret in file.secrets)

    def is_changed(self, path: str, first: int, last: int) -> bool:
        """True when the change added or edited one of these lines; of a file that was left out nothing is known."""
        file = self._files.get(plain_path(path))
        if file is not None and file.skipped is not None and self._subject.counts_unread:
            return True
        return file is not None and any(
            lines.first <= last and first <= lines.last for lines in file.changed
        )

    def line(self, place: Place) -> str | None:
        """The source line of a place; None when it is not known."""
        lines = self._lines(place.path)
        return lines[place.line - 1] if lines and place.line <= len(lines) else None

    # ---- reading

    def reviewed_files(self) -> dict[str, str]:
        """The reviewed text of every file of the change that was shown, by path."""
        return {
            file.path: self._text(file.after)
            for file in self._subject.files
            if file.after is not None and file.skipped is None and file.status != "deleted"
        }

    def _plains(self) -> Iterator[str]:
        """Every text that may be quoted, as it is compared, the likeliest first."""
        new, old = self._sides
        yield new
        for file in self._subject.files:
            if file.after is not None:
                yield self._plain(file.after)
        yield old
        yield self._plain(self._subject.diff)
        yield normalised(self._subject.title)

    @cached_property
    def _sides(self) -> tuple[str, str]:
        """The diff's new and old lines without their signs, as they are compared."""
        new: list[str] = []
        old: list[str] = []
        for line in self._text(self._subject.diff).split("\n"):
            if line[:1] in ("+", " "):
                new.append(line[1:])
            if line[:1] in ("-", " "):
                old.append(line[1:])
        return _compared("\n".join(new)), _compared("\n".join(old))

    def _lines(self, path: str) -> list[str] | None:
        """The reviewed state of a file, of a deleted one the former state; None when it is not known."""
        file = self._files.get(plain_path(path))
        name = None if file is None else _shown(file)
        return None if name is None else self._text(name).split("\n")

    def _line_of(self, quote: str, name: str) -> int | None:
        parts = [part for part in (normalised(quote).strip("'\""), *_parts(quote)) if part]
        plain = self._plain(name)
        at = next((place for part in parts[:2] if (place := plain.find(part)) >= 0), None)
        if at is None or not _occurs(quote, plain):
            return None
        lengths = accumulate(len(normalised(line)) for line in self._text(name).split("\n"))
        return bisect_right(list(lengths), at) + 1

    def _plain(self, name: str) -> str:
        return _compared(self._text(name))

    def _text(self, name: str) -> str:
        text = self._texts.get(name)
        if text is None:
            text = self._texts[name] = self._read(name)
        return text

    def _read(self, name: str) -> str:
        """A file as its language decodes it, which is how an analyser quotes it; else as prompts show it."""
        data = self._document(name)
        text = None if name == self._subject.diff else decode(data, python=name in self._python)
        return data.decode("utf-8", "replace") if text is None else text


def _shown(file: FileChange) -> str | None:
    return file.before if file.status == "deleted" else file.after


def _parts(quote: str) -> list[str]:
    """The pieces between gaps, as they are compared; slivers are left out."""
    pieces = [normalised(piece) for piece in _GAP.split(quote)]
    return [piece for piece in pieces if len(piece) >= SHORTEST_PART]


def _occurs(quote: str, plain: str) -> bool:
    """True when the quotation, or its pieces one after the other, occur in the compared text."""
    # A quotation may come in quotation marks of its own.
    return _found(normalised(quote).strip("'\""), _parts(quote), plain)


def _found(whole: str, parts: list[str], plain: str) -> bool:
    if not whole:
        return False
    if whole in plain:
        return True
    at = 0
    for part in parts:
        at = plain.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return bool(parts)
