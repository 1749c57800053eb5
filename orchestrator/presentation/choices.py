"""An open decision as it is put to a person at a terminal: its sentence, and a key for exactly the options it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.presentation.locale.translator import Translator
from orchestrator.workflows.registry import decision_choices
from shared.models.rows import DecisionRow

LATER = "later"


def options_of(decision: DecisionRow) -> tuple[str, ...]:
    """What may be answered."""
    return tuple(decision.question.get("options") or ())


def keys_for(options: Sequence[str]) -> dict[str, str]:
    """A key for each option and for `later`: its own, else the first letter that is free, else a number."""
    keys: dict[str, str] = {}
    declared = {word: choice.key for word, choice in decision_choices().items()} | {LATER: "l"}
    for number, option in enumerate((*options, LATER), 1):
        wanted = (declared.get(option, ""), *option, str(number))
        key = next(letter for letter in wanted if letter.isalnum() and letter not in keys)
        keys[key] = option
    return keys


def prompt(keys: Mapping[str, str], words: Translator) -> str:
    """`[r]evise, [a]ccept or [l]ater? `"""
    named = [_named(key, option, words) for key, option in keys.items()]
    return f"{', '.join(named[:-1])}{words.message('or')}{named[-1]}? "


def chosen(typed: str, keys: Mapping[str, str]) -> str | None:
    """The option that was typed, by its key or its name; nothing means later, None what nobody offered."""
    word = typed.strip().lower()
    if not word:
        return LATER
    return word if word in keys.values() else keys.get(word[:1])


def _named(key: str, option: str, words: Translator) -> str:
    label = words.word(f"option_{option}", option)
    return f"[{key}]{label[len(key) :]}" if label.startswith(key) else f"[{key}] {label}"
