"""The sections of a discussion's replies, merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from orchestrator.core.discussion.strategies import Strategy, roles_of
from orchestrator.core.rounds import Contribution
from shared.models.replies import REPLY_MODELS

# Not sections: everybody's verdict, findings and positions are read by code.
_JUDGED = frozenset({"verdict", "summary", "findings", "stances"})


def feedback(
    strategies: Iterable[Strategy], contributions: Sequence[Contribution]
) -> dict[str, Any]:
    """The replies' sections merged (seed 000: ReviewFeedback, DebateFeedback).

    The sections of all strategies are always there, critics' first. Entries stand in the order in which they were
    given, each once; a text as it was given last, or None.
    """
    sections: dict[str, Any] = {}
    for role in sorted(roles_of(strategies), key=lambda role: role.answers):
        sections |= {
            name: field.default
            for name, field in REPLY_MODELS[role.reply].model_fields.items()
            if name not in _JUDGED
        }
    entries = [name for name, default in sections.items() if default == ()]
    texts = [name for name in sections if name not in entries]
    return {
        **{name: _entries(name, contributions) for name in entries},
        **{name: _last_text(name, contributions) for name in texts},
    }


def _entries(name: str, contributions: Sequence[Contribution]) -> list[Any]:
    merged: list[Any] = []
    for contribution in contributions:
        merged += [entry for entry in contribution.reply.get(name, ()) if entry not in merged]
    return merged


def _last_text(name: str, contributions: Sequence[Contribution]) -> Any:
    texts = (contribution.reply.get(name) for contribution in reversed(contributions))
    return next((text for text in texts if text), None)
