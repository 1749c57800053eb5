"""A chair's merged text, and what replaces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic

from orchestrator.core.discussion.turn_results import ReplyT, TurnResult, take_turn
from orchestrator.core.replay.commands import Effect, Turn
from shared.models.notices import Notice, notice

FALLBACK = "fallback"


@dataclass(frozen=True)
class Synthesised(Generic[ReplyT]):
    """The text; `by` is `fallback` when no chair wrote it, and then nobody saw `labels`."""

    text: ReplyT
    by: str = FALLBACK
    labels: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def synthesised(
    turn: Turn,
    model: type[ReplyT],
    labels: Mapping[str, str],
    fallback: Callable[[], ReplyT],
    instead: str,
) -> Effect[Synthesised[ReplyT]]:
    """The chair's text; when the chair fails, the fallback, and a notice of what is shown `instead` of its text."""
    result = yield from take_turn(turn)
    chair, failure = result.participant, result.failure
    if failure is not None:
        warning = notice("no_synthesis", who=chair, kind=failure.kind, instead=instead)
        return Synthesised(fallback(), turns=(result,), warnings=(warning,))
    return Synthesised(model.model_validate(result.result.reply), chair, labels, (result,))
