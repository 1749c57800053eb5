"""Warnings as lines: what happened in several rounds is told once."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import Translator
from shared.models.notices import Notice


def warned(warnings: Iterable[Notice], words: Translator) -> list[Line]:
    """The texts as loud lines; what happened in several rounds is one line."""
    return [line(Span(f"⚠ {text}", Style.WARNING)) for text in gathered(warnings, words)]


def gathered(warnings: Iterable[Notice], words: Translator) -> list[str]:
    """Warnings in the reader's language; those that differ in the number of their round only are one."""
    alike: dict[str, list[Notice]] = {}
    for warning in warnings:
        alike.setdefault(_without_round(warning).model_dump_json(), []).append(warning)
    return [
        words.translate(first) + (_also(more, words) if more else "")
        for first, *more in alike.values()
    ]


def _also(warnings: Iterable[Notice], words: Translator) -> str:
    numbers = [str(number) for warning in warnings if (number := _round(warning)) is not None]
    if not numbers:
        return ""
    return words.message("also_in_rounds", n=len(numbers), rounds=", ".join(numbers))


def _round(warning: Notice) -> int | None:
    """The number of the round that a notice, or one within it, tells of."""
    for name, value in warning.params.items():
        number = _round(value) if isinstance(value, Notice) else value if name == "round" else None
        if isinstance(number, int):
            return number
    return None


def _without_round(warning: Notice) -> Notice:
    params = {
        name: _without_round(value) if isinstance(value, Notice) else value
        for name, value in warning.params.items()
        if name != "round"
    }
    return Notice(code=warning.code, params=params)
