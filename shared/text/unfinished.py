"""The readable part of a reply that is still being written: people who watch see sentences grow, not JSON.

Pure, tolerant and linear in the text: whatever is no JSON object is shown as it is, whatever breaks off is shown as far
as it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shared.patterns import regex

# The fields of the reply models that hold words; ids, quotations, places and patches are left out.
READABLE = frozenset(
    {
        *("answer", "speech", "conclusion", "open_points", "summary", "plan", "revised_plan"),
        *("action", "speaker", "verdict", "position", "argument", "claim", "evidence", "choice"),
        *(
            "reason",
            "reasoning",
            "changed_because",
            "feedback",
            "open_questions",
            "title",
            "detail",
        ),
        *("suggestion", "explanation", "alternative", "description", "assumptions", "consensus"),
        *("resolved_issues", "remaining_concerns", "conceded_points", "consensus_points"),
        *("dissenting_opinions", "points_of_agreement", "edge_cases", "opportunities"),
    }
)

# A piece of its own that says: what came before was another answer (it was objected to, or only led to this one).
ANEW = "\x1e"

_THOUGHTS = regex(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = regex(r"\A\s*(?:```\w*\s*)?")
_TOKEN = regex(r'[{}\[\]:,]|"')
_STRING = regex(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|u[0-9a-fA-F]{0,3}\Z|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}


@dataclass(frozen=True)
class SoFar:
    """A streaming turn: how many characters have come, and the end of what a person would read of them."""

    characters: int
    text: str = ""


def readable(text: str) -> str:
    """What a person would read of a reply's text so far; empty while there is nothing."""
    words, body = _parts(text)
    if not body.startswith("{"):
        return words.strip()
    texts = [_unescaped(raw) for key, raw in _strings(body) if key in READABLE]
    return "\n".join(text for text in texts if text.strip())


def plain_words(text: str) -> str | None:
    """The words of a text that is read as it is, however it goes on; None for JSON and where none have begun."""
    words, body = _parts(text)
    return words if body and not body.startswith("{") else None


def _parts(text: str) -> tuple[str, str]:
    """The text without its thoughts, and that without the fence that it begins with."""
    words = _THOUGHTS.sub("", text, count=1)
    opening = _FENCE.match(words)
    return words, words[opening.end() :] if opening else words


@dataclass
class _Level:
    """An object (its key now, and whether a key comes next) or an array (under its owner's key)."""

    is_object: bool
    key: str | None
    wants_key: bool


def _strings(body: str) -> Iterator[tuple[str | None, str]]:
    """(key, text between the quotation marks) of each string that is a value; the last may be unfinished."""
    levels: list[_Level] = []
    at = 0
    while (token := _TOKEN.search(body, at)) is not None:
        at = token.end()
        if token[0] == '"':
            string = _STRING.match(body, at)
            raw = string[0] if string else ""
            at += len(raw) + 1
            if not levels:
                continue
            if levels[-1].wants_key:
                levels[-1].key = raw
            else:
                yield levels[-1].key, raw
        else:
            _step(levels, token[0])
            if not levels:
                return


def _step(levels: list[_Level], sign: str) -> None:
    """Follow the structure; signs that do not fit are passed over."""
    key = levels[-1].key if levels else None
    match sign:
        case "{":
            levels.append(_Level(is_object=True, key=key, wants_key=True))
        case "[":
            levels.append(_Level(is_object=False, key=key, wants_key=False))
        case "}" | "]" if levels:
            levels.pop()
        case ":" if levels:
            levels[-1].wants_key = False
        case "," if levels:
            levels[-1].wants_key = levels[-1].is_object


def _unescaped(raw: str) -> str:
    """The string's text; an escape that is not whole yet is left out."""
    text = _ESCAPE.sub(_meaning, raw)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _meaning(escape: re.Match[str]) -> str:
    if escape[1] is not None:
        return chr(int(escape[1], 16))
    if escape[2] is not None:
        return _SHORT.get(escape[2], escape[2])
    return ""
