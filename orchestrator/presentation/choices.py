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


def chosen(typed: str, keys: Mapping[str, str], words: Translator) -> str | None:
    """The option that was typed, by its key, its name or the name's beginning; nothing means later.

    None is what nobody offered: `abort` is not `apply`.
    """
    word = typed.strip().lower()
    if not word:
        return LATER
    if word in keys:
        return keys[word]
    names = {option: (option, _label(option, words).lower()) for option in keys.values()}
    fitting = [o for o, known in names.items() if any(name.startswith(word) for name in known)]
    return fitting[0] if len(fitting) == 1 else None


def not_offered(keys: Mapping[str, str], words: Translator) -> str:
    """What may be typed, for somebody who typed something else."""
    named = ", ".join(f"{key} ({_label(option, words)})" for key, option in keys.items())
    return words.message("not_offered", keys=named)


def _label(option: str, words: Translator) -> str:
    return words.word(f"option_{option}", option)


def _named(key: str, option: str, words: Translator) -> str:
    label = _label(option, words)
    return f"[{key}]{label[len(key) :]}" if label.startswith(key) else f"[{key}] {label}"
