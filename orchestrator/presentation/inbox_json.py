"""What waits for a person, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from orchestrator.presentation.json_rows import SCHEMA_VERSION, decision_json
from shared.models.rows import DecisionRow
from shared.store.waiting_turns import WaitingTurn


def inbox_json(
    decisions: Sequence[DecisionRow], turns: Sequence[WaitingTurn], form_of: Callable[[str], str]
) -> dict[str, Any]:
    """Decisions and turns, the oldest first; `form_of` says how to answer with a model of a reply."""
    return {
        "schema_version": SCHEMA_VERSION,
        "decisions": [
            {"run": row.run_id, "title": row.title, **decision_json(row)} for row in decisions
        ],
        "turns": [_turn_json(turn, form_of) for turn in turns],
    }


def _turn_json(turn: WaitingTurn, form_of: Callable[[str], str]) -> dict[str, Any]:
    return {
        "run": turn.run_id,
        "step": turn.step,
        "participant": turn.participant,
        "role": turn.role,
        "round": turn.round,
        "form": form_of(turn.reply_model),
        "asked_at": turn.asked_at,
        "answer_by": turn.answer_by,
        "deadline_at": turn.deadline_at,
        "title": turn.title,
        "unusable_answers": turn.answers,
    }
