"""Code in colours: classes of the style sheet, no style of its own. What is too long or unknown stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from html import escape
from pathlib import PurePosixPath

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

MOST_LETTERS = 100_000
LONGEST_ROW = 2_000
"""Beyond these a text is shown without colours: a lexer's expressions were not written for hostile text."""

Piece = tuple[str, str]
"""A class of the style sheet (empty: none), and text."""

_KNOWN = frozenset(
    "bash c cpp csharp css diff docker go html ini java javascript json kotlin lua make markdown php powershell "
    "properties python ruby rust scala sql swift toml typescript tsx jsx xml yaml".split()
)


def coloured(text: str, language: str = "", *, file_name: str = "") -> str:
    """The code as escaped markup, with a class for each kind of token where the language is known."""
    return "\n".join(map(markup, pieces(text.split("\n"), language, file_name=file_name)))


def pieces(rows: Sequence[str], language: str = "", *, file_name: str = "") -> list[list[Piece]]:
    """The rows of a code by tokens; a token over several rows is one in each."""
    lexer = _lexer_of(language, file_name)
    shown: list[list[Piece]] = [[]]
    if lexer is None or _is_too_long(rows):
        return _plain(rows)
    for kind, value in lex("\n".join(rows), lexer):
        first, *more = value.split("\n")
        shown[-1].append((_class_of(kind), first))
        shown += [[(_class_of(kind), row)] for row in more]
    whole = ["".join(text for _, text in row) for row in shown]
    return shown if whole == list(rows) else _plain(rows)


def _plain(rows: Sequence[str]) -> list[list[Piece]]:
    return [[("", row)] for row in rows]


def _is_too_long(rows: Sequence[str]) -> bool:
    return sum(map(len, rows)) > MOST_LETTERS or max(map(len, rows)) > LONGEST_ROW


def markup(row: Iterable[Piece]) -> str:
    """A row as escaped markup."""
    return "".join(
        f'<span class="{name}">{escape(text)}</span>' if name else escape(text)
        for name, text in row
        if text
    )


def emphasised(row: Iterable[Piece], start: int, end: int) -> str:
    """The same, with its letters from `start` to `end` marked."""
    parts: list[str] = []
    at = 0
    for name, text in row:
        cuts = [min(max(place - at, 0), len(text)) for place in (start, end)]
        before, within, after = text[: cuts[0]], text[cuts[0] : cuts[1]], text[cuts[1] :]
        parts.append(markup([(name, before)]))
        parts.append(f"<mark>{markup([(name, within)])}</mark>" if within else "")
        parts.append(markup([(name, after)]))
        at += len(text)
    return "".join(parts)


def is_file_of_code(path: str) -> bool:
    """Whether a file is of a language that is shown in colours."""
    return _lexer_of("", path) is not None


@cache
def _class_of(kind: _TokenType) -> str:
    while kind not in STANDARD_TYPES:
        kind = kind.parent
    name = STANDARD_TYPES[kind]
    return "" if name in ("", "w") else f"hl-{name}"


@lru_cache(maxsize=256)
def _lexer_of(language: str, file_name: str) -> Lexer | None:
    """The lexer; None where nobody knows the language."""
    try:
        if file_name:
            found = find_lexer_class_for_filename(PurePosixPath(file_name).name)
            lexer = None if found is None else found(stripnl=False, ensurenl=False)
        elif language:
            lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        else:
            return None
    except ClassNotFound:
        return None
    return lexer if lexer is not None and _KNOWN.intersection(lexer.aliases) else None
