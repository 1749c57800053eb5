"""How long something took, in words."""

from __future__ import annotations

from orchestrator.presentation.locale.translator import Translator


def duration(seconds: float, words: Translator) -> str:
    """`3.2 s`, `14 min 3 s` or `3 h 20 min`."""
    if seconds < 60:
        return words.message("seconds", s=seconds)
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return words.message("minutes", m=minutes, s=rest)
    return words.message("hours", h=minutes // 60, m=minutes % 60)
