"""Answer a decision: the row first, then the signal that resumes the run."""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence

from orchestrator.application.backend import Backend
from orchestrator.presentation.report import RunReport
from shared.errors import UserError
from shared.models.decision import Answer, Question
from shared.models.rows import DecisionRow
from shared.store.decisions import answer_decision


def current_decision(report: RunReport) -> DecisionRow:
    """The decision to be answered: the open one, else the last (an answer may be repeated). Raises UserError."""
    decision = report.decision
    if decision is None:
        raise UserError(
            f"run {report.run.id} asks nothing (it is {report.run.status}): `quorate inbox` shows what is open"
        )
    return decision


def selection(
    decision: DecisionRow, only: Sequence[str], without: Sequence[str]
) -> tuple[str, ...] | None:
    """The findings that are picked; None for all. Raises UserError for one that cannot be."""
    selectable = Question.model_validate(decision.question).selectable
    unknown = [name for name in (*only, *without) if name not in selectable]
    if unknown:
        offered = ", ".join(selectable) or "none"
        raise UserError(f"{', '.join(unknown)} cannot be selected here (selectable: {offered})")
    if not only and not without:
        return None
    picked = tuple(name for name in (only or selectable) if name not in without)
    if not picked:
        raise UserError("nothing is left to be applied: answer `skip` instead")
    return picked


def answer(
    backend: Backend,
    decision: DecisionRow,
    choice: str,
    *,
    only: tuple[str, ...] | None = None,
    message: str = "",
    channel: str = "cli",
    shown_sha256: str | None = None,
) -> DecisionRow:
    """Record an answer to exactly what `decision` shows, and wake the run.

    Raises UserError for a choice that is not offered, DecisionConflict when another answer stands.
    """
    given = Answer(choice=choice, actor=actor(), channel=channel, message=message, only=only)
    if choice != "apply_fix" and only is not None:
        raise UserError("--only and --except pick what is applied: they go with apply_fix")
    shown = decision.shown_sha256 if shown_sha256 is None else shown_sha256
    answered = backend.write(
        lambda connection: answer_decision(connection, decision.run_id, decision.key, given, shown)
    )
    # Lost, it costs a second: the sweeper finds answered decisions by itself.
    backend.signals.send(decision.run_id)
    return answered


def actor() -> str:
    """Who answers: the name of the account."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
