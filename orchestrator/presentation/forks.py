"""Forks: what is copied, what is asked next, and where a run comes from."""

from __future__ import annotations

import dataclasses
from typing import Any

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.fork_origin import seats_of
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.whatif.forking import ForkPlan
from shared.text.amounts import dollars


def plan_lines(plan: ForkPlan, words: Translator = ENGLISH) -> list[Line]:
    """What a fork begins with."""
    paid = [step.cost_usd for step in plan.taken_over if step.cost_usd is not None]
    texts = [
        words.message(
            "fork_copies",
            n=len(plan.steps),
            origin=plan.origin,
            cost=dollars(sum(paid)),
        ),
        words.message(
            "fork_goes_on",
            steps=", ".join(plan.then) or words.message("fork_leads_to_end"),
        ),
        *(words.message("seat", seat=seat, who=name) for seat, name in seats_of(plan.spec.labels)),
    ]
    return [line(Span(step, Style.DIM)) for step in texts]


def plan_json(plan: ForkPlan) -> dict[str, Any]:
    """The same as data."""
    return {
        "at": plan.at,
        "copied": [dataclasses.asdict(step) for step in plan.taken_over],
        "decisions": list(plan.decisions),
        "then": list(plan.then),
        "seats": dict(seats_of(plan.spec.labels)),
    }
