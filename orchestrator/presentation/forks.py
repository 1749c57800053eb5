"""Forks: what is copied, what is asked next, and where a run comes from."""

from __future__ import annotations

import dataclasses
from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.views.context import dollars
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from orchestrator.whatif.forking import ForkPlan


def plan_lines(plan: ForkPlan, words: Translator = ENGLISH) -> list[Line]:
    """What a fork begins with."""
    paid = [step.cost_usd for step in plan.taken_over if step.cost_usd is not None]
    count = len(plan.steps)
    texts = [
        words.message(
            "fork_copies_1" if count == 1 else "fork_copies",
            n=count,
            origin=plan.origin,
            cost=dollars(sum(paid)),
        ),
        words.message(
            "fork_goes_on",
            steps=", ".join(plan.then) or words.message("fork_leads_to_end"),
        ),
        *(words.message("seat", seat=seat, who=name) for seat, name in _seats(plan.spec.labels)),
    ]
    return [line(Span(step, Style.DIM)) for step in texts]


def plan_json(plan: ForkPlan) -> dict[str, Any]:
    """The same as data."""
    return {
        "at": plan.at,
        "copied": [dataclasses.asdict(step) for step in plan.taken_over],
        "decisions": list(plan.decisions),
        "then": list(plan.then),
        "seats": dict(_seats(plan.spec.labels)),
    }


def origin(report: RunReport, words: Translator) -> list[Line]:
    """Where a fork comes from; nothing for a run that is not a fork."""
    labels = report.spec.labels
    if "forked_from" not in labels:
        return []
    text = words.message(
        "fork_of",
        origin=labels["forked_from"],
        at=labels.get("forked_at"),
        n=labels.get("copied_steps", 0),
    )
    seats = [words.message("seat", seat=seat, who=name) for seat, name in _seats(labels)]
    return [line(Span(shown, Style.DIM)) for shown in (text, *seats)]


def _seats(labels: Any) -> list[tuple[str, str]]:
    seats = labels.get("seats")
    return (
        [(str(seat), str(name)) for seat, name in seats.items()] if isinstance(seats, dict) else []
    )
