"""Contradictions of values that code plants into notes: words, units and repetitions that a value denies."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_FEVER = 38.3
_SLOW = 88
_FAST = 112


def word_against_value(text: str, chance: Random) -> str | None:
    """A word beside a vital sign that says the opposite of it."""
    return _change(
        text,
        chance,
        (
            (r"[Tt]emperature is ((?:3[6-9]|4[01])(?:\.\d)?) ?°? ?C\b", _afebrile),
            (r"[Pp]ulse is (\d{2,3})/min", _rate),
            (
                r"[Bb]lood pressure is (1[3-9]\d)/(?:[89]\d|1\d\d)",
                lambda m: f"patient is hypotensive; {m[0]}",
            ),
            (
                r"[Hh]emoglobin (?:concentration )?(?:of|is) [4-9](?:\.\d)? g/dL",
                lambda m: f"normal {m[0]}",
            ),
        ),
    )


def value_restated(text: str, chance: Random) -> str | None:
    """The same temperature in Fahrenheit, four degrees off."""
    pattern = r"(\d\d(?:\.\d)? ?°? ?C) \((\d{2,3}(?:\.\d)?)( ?°? ?F)\)"
    return _change(text, chance, ((pattern, lambda m: f"{m[1]} ({float(m[2]) + 4:.1f}{m[3]})"),))


def wrong_unit(text: str, chance: Random) -> str | None:
    """A unit that cannot measure what is measured."""
    return _change(
        text,
        chance,
        (
            (r"([Hh]emoglobin (?:is |of )?\d{1,2}(?:\.\d)?) g/dL", lambda m: f"{m[1]} mm Hg"),
            (r"([Cc]reatinine (?:is |of )?\d\.\d) mg/dL", lambda m: f"{m[1]} mm Hg"),
            (r"([Pp]ulse is \d{2,3})/min", lambda m: f"{m[1]} mg/dL"),
        ),
    )


def _afebrile(match: re.Match[str]) -> str | None:
    word = "afebrile" if float(match[1]) >= _FEVER else "febrile"
    clear = float(match[1]) >= _FEVER or float(match[1]) < _FEVER - 1
    return f"patient is {word}; {match[0]}" if clear else None


def _rate(match: re.Match[str]) -> str | None:
    rate = int(match[1])
    if _SLOW < rate < _FAST:
        return None
    return f"patient is {'tachycardic' if rate <= _SLOW else 'bradycardic'}; {match[0]}"


def _change(
    text: str, chance: Random, rows: tuple[tuple[str, Callable[[re.Match[str]], str | None]], ...]
) -> str | None:
    places = [
        (match, changed)
        for pattern, change in rows
        if (match := re.search(pattern, text)) and (changed := change(match))
    ]
    if not places:
        return None
    match, changed = chance.choice(places)
    return text[: match.start()] + changed + text[match.end() :]
