"""Our own sentences by code and language; `Translator` has them."""

from __future__ import annotations

from functools import cache

from orchestrator.presentation.locale.translator import Translator
from shared.models.notices import of_column, read_notice

_translator = cache(Translator)


def say(word: str, language: str, **values: object) -> str:
    """The sentence `word` in `language` (English where a language is unknown)."""
    return _translator(language).message(word, **values)


def knows(word: str) -> bool:
    """True when there is a sentence of that name."""
    return _translator("en").knows(word)


def role_word(role: str, language: str) -> str:
    """What somebody does in a role; the role's own name where there is no word for it."""
    word = f"role_{role}"
    return say(word, language) if knows(word) else role


def field_word(name: str, language: str) -> str:
    """What a reply's field is called; one that nobody named keeps its name."""
    word = f"field_{name}"
    return say(word, language) if knows(word) else name.replace("_", " ").capitalize()


def count(word: str, language: str, n: int) -> str:
    """The sentence `word` for a number of things."""
    return say(word, language, n=n)


def column(stored: str | None, language: str) -> str:
    """What a column of text holds, as a sentence."""
    noted = of_column(stored)
    return "" if noted is None else _translator(language).translate(noted)


def told(stored: object, language: str) -> str:
    """A notice, or what was stored as one, as a sentence; nothing for nothing."""
    return _translator(language).translate(read_notice(stored))
