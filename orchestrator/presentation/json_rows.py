"""JSON text, and rows of the store as JSON: what every command and the web print, without a whole report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from orchestrator.presentation.listings import RunList
from shared.models.letters import UNSEEN
from shared.models.rows import DecisionRow, RunRow

SCHEMA_VERSION = 1


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """JSON text without a raw control or unseen character; it means exactly what `value` means."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    return UNSEEN.sub(lambda match: _escaped(match.group()), text)


def _escaped(character: str) -> str:
    # Newlines and tabs of the layout are not among the unseen; all others stand within strings.
    return json.dumps(character)[1:-1]


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


_RUN = (
    *("id", "workflow", "title", "status", "phase", "verdict", "ending", "created_at"),
    *("finished_at", "elapsed_s", "parent", "parent_step"),
)


def run_summary(run: RunRow) -> dict[str, Any]:
    """A run as lists show it."""
    return {**fields(run, _RUN), "id": run.id or None, "elapsed_s": round(run.elapsed_s, 3)}


def fields(row: object, names: Iterable[str]) -> dict[str, Any]:
    """Those attributes of a row, by their names."""
    return {name: getattr(row, name) for name in names}


def run_tree(listed: RunList, rows: Sequence[RunRow] | None = None) -> list[dict[str, Any]]:
    """Runs as lists show them, each with those that it started."""
    return [
        {
            **run_summary(run),
            "fix_taken_back": run.id in listed.taken_back,
            "waits_for": asdict(awaited) if (awaited := listed.awaited.get(run.id)) else None,
            "children": run_tree(listed, listed.children.get(run.id, ())),
        }
        for run in (listed.rows if rows is None else rows)
    ]


def decision_json(decision: DecisionRow) -> dict[str, Any]:
    """A decision without what it shows, which has its own key."""
    question = decision.question
    asked = {name: question.get(name) for name in ("prompt", "options", "selectable")}
    return {
        **fields(decision, ("key", "kind", "state")),
        **asked,
        **fields(decision, ("shown_sha256", "opened_at", "deadline_at")),
        "on_timeout": question.get("on_timeout"),
        **fields(decision, ("answered_at", "answer")),
    }
