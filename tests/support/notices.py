"""What notices say in English, for tests that name a warning by its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from orchestrator.presentation.locale.translator import Translator
from shared.models.notices import Notice, of_column, read_notice

_ENGLISH = Translator()


def words(told: Notice | Mapping[str, Any] | str | None) -> str:
    """A notice, or what is stored of one, in English; nothing for nothing."""
    return _ENGLISH.translate(read_notice(told))


def all_words(told: Iterable[Notice | Mapping[str, Any] | str]) -> tuple[str, ...]:
    """Several notices in English."""
    return tuple(map(words, told))


def column_words(stored: str | None) -> str:
    """What a column of text holds, in English."""
    told = of_column(stored)
    return "" if told is None else words(told)
