"""How a critique was arrived at: the critic's iterations, the router's choices, the tools and turns in their order."""

from __future__ import annotations

from orchestrator.core.document import Block, Grid, Heading, Item, Items
from orchestrator.core.views.context import listed, took_s
from orchestrator.workflows.case.names import CaseView, by_whom, node
from orchestrator.workflows.case.result import (
    CaseConfidence,
    CaseIteration,
    CaseResult,
    CaseRouting,
    TraceEntry,
)


def proceedings(view: CaseView, result: CaseResult) -> list[Block]:
    """Iterations with why each was needed, confidence with its parts, memory, choices with reasons, the trace."""
    return [
        *_iterations(view, result),
        *_confidence(view, result),
        *listed(view.message("case_memory"), [Item(view.translate(m)) for m in result.memory]),
        *(block for routing in result.router for block in _routing(view, routing)),
        *_trace(view, result),
    ]


def _iterations(view: CaseView, result: CaseResult) -> list[Block]:
    items = [_iteration(view, iteration) for iteration in result.iterations]
    return listed(view.message("case_iterations"), items)


def _iteration(view: CaseView, iteration: CaseIteration) -> Item:
    """Why it was followed by another one, or by none; below it what was still open."""
    why = iteration.again or iteration.ended
    rows = ["-" if why is None else view.translate(why), *map(view.translate, iteration.feedback)]
    points = view.message("case_points_raised", n=iteration.points)
    reached = confidence(view, iteration.confidence)
    return Item("\n".join(rows), str(iteration.number), f"{points}, {reached}")


def confidence(view: CaseView, reached: CaseConfidence) -> str:
    """`confidence 0.83`; of what, where no critic read the chart."""
    code = "case_confidence" if reached.basis == "critics" else f"case_confidence_{reached.basis}"
    return view.message(code, value=reached.value)


def _confidence(view: CaseView, result: CaseResult) -> list[Block]:
    reached = result.confidence
    if reached is None or not reached.parts:
        return []
    rows = tuple(
        (
            view.word(f"case_part_{part.name}", part.name.replace("_", " ")),
            "-" if part.value is None else f"{part.value:.2f}",
            "×" if part.weight is None else f"{part.weight:g}",
            "" if part.total is None else f"{part.count}/{part.total}",
        )
        for part in reached.parts
    )
    heads = _heads(view, "part", "value", "weight", "counted")
    return [
        Heading(view.message("case_confidence_parts"), f"{reached.value:.2f}"),
        Grid(heads, rows),
    ]


def _routing(view: CaseView, routing: CaseRouting) -> list[Block]:
    title = view.message(
        "case_routing", by=view.word(f"case_router_{routing.by}", routing.by), n=routing.iteration
    )
    sent_back = view.message("case_feedback_round", n=routing.feedback) if routing.feedback else ""
    items = tuple(
        Item(
            view.translate(choice.reason),
            node(view, choice.tool),
            view.message("case_picked" if choice.run else "case_not_picked"),
        )
        for choice in routing.tools
    )
    return [Heading(title, sent_back), Items(items)] if items else []


def _trace(view: CaseView, result: CaseResult) -> list[Block]:
    took = {step.key: took_s(step) for step in view.facts.steps}
    rows = tuple(_traced(view, entry, took.get(entry.step)) for entry in result.trace)
    heads = _heads(view, "node", "by", "iteration", "state", "points", "took")
    return [Heading(view.message("case_trace")), Grid(heads, rows)] if rows else []


def _traced(view: CaseView, entry: TraceEntry, seconds: float | None) -> tuple[str, ...]:
    state = view.message(f"case_state_{entry.state}")
    repeated = entry.why is None or entry.state == "abstained"  # further up, with the others
    why = "" if repeated else f": {view.translate(entry.why)}"
    return (
        node(view, entry.node),
        by_whom(view, entry.by),
        str(entry.iteration or ""),
        f"{state}{why}",
        "" if entry.points is None else str(entry.points),
        "" if seconds is None else view.message("seconds", s=seconds),
    )


def _heads(view: CaseView, *names: str) -> tuple[str, ...]:
    return tuple(view.message(f"case_head_{name}") for name in names)
