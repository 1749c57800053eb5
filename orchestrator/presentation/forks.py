"""Forks: what is copied, what is asked next, and where a run comes from."""

from __future__ import annotations

import dataclasses
from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.views.context import dollars
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.report import RunReport
from orchestrator.whatif.forking import ForkPlan


def plan_lines(plan: ForkPlan, language: str = "en") -> list[Line]:
    """What a fork begins with."""
    paid = [one.cost_usd for one in plan.taken_over if one.cost_usd is not None]
    count = len(plan.steps)
    said = [
        say(
            "fork_copies_1" if count == 1 else "fork_copies",
            language,
            n=count,
            origin=plan.origin,
            cost=dollars(sum(paid)),
        ),
        say(
            "fork_goes_on",
            language,
            steps=", ".join(plan.then) or say("fork_leads_to_end", language),
        ),
        *(say("seat", language, seat=seat, who=who) for seat, who in _seats(plan.spec.labels)),
    ]
    return [line(Span(one, Style.DIM)) for one in said]


def plan_json(plan: ForkPlan) -> dict[str, Any]:
    """The same as data."""
    return {
        "at": plan.at,
        "copied": [dataclasses.asdict(one) for one in plan.taken_over],
        "decisions": list(plan.decisions),
        "then": list(plan.then),
        "seats": dict(_seats(plan.spec.labels)),
    }


def origin(report: RunReport, language: str) -> list[Line]:
    """Where a fork comes from; nothing for a run that is none."""
    labels = report.spec.labels
    if "forked_from" not in labels:
        return []
    text = say(
        "fork_of",
        language,
        origin=labels["forked_from"],
        at=labels.get("forked_at"),
        n=labels.get("copied_steps", 0),
    )
    seats = [say("seat", language, seat=seat, who=who) for seat, who in _seats(labels)]
    return [line(Span(one, Style.DIM)) for one in (text, *seats)]


def _seats(labels: Any) -> list[tuple[str, str]]:
    seats = labels.get("seats")
    return [(str(seat), str(who)) for seat, who in seats.items()] if isinstance(seats, dict) else []
