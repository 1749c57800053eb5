"""The way of a run through the modes: on a picture of the whole machine, and as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from orchestrator.core.document import Block, Drawing, Grid, Heading, remark
from orchestrator.core.pictures import Machine, MachineEdge, MachineState
from orchestrator.core.views.context import ViewContext, figures
from orchestrator.workflows.agent.modes import INTENTS, AgentMode
from orchestrator.workflows.agent.records import TransitionRecord
from orchestrator.workflows.agent.result import AgentLimits, AgentResult
from orchestrator.workflows.agent.transitions import DONE, TRANSITIONS, Transition
from shared.models.rows import RecordRow

AgentView = ViewContext[AgentResult]
M = AgentMode
COLUMNS: Mapping[str, tuple[AgentMode, ...]] = {
    "examine": (
        *(M.IDLE, M.DEPENDENCY, M.SPEC_COMPLIANCE),
        *(M.OPS, M.ENV_REPRO, M.ML_INTEGRATION),
    ),
    "understand": (M.CONTEXT_NAV, M.DESIGN, M.PLANNING, M.RESEARCH, M.IMPACT),
    "change": (
        *(M.IMPLEMENTATION, M.MULTI_FILE, M.DEBUG),
        *(M.REFACTOR, M.MIGRATION, M.DOCUMENTATION),
    ),
    "check": (M.TEST, M.QA, M.GIT, M.VERIFICATION, M.BENCHMARK, M.PROFILING),
}
"""Where each mode stands in the picture: what it is for, from left to right as work goes on."""
_EVERYWHERE = frozenset({DONE, *INTENTS.values()})
"""Triggers that lead from every mode, or into every one: drawn where they were taken."""


def course(view: AgentView) -> list[Block]:
    """The modes in order, each with its trigger and what it said, and why it ended there."""
    rows = [row for row in view.facts.records if row.kind == TransitionRecord.kind]
    path = [TransitionRecord.model_validate(row.body) for row in rows]
    if not path:
        return []
    return [
        Heading(view.message("agent_path")),
        Drawing(picture(view, path), table(view, path, rows)),
        *_end(view, path[-1]),
    ]


def _end(view: AgentView, last: TransitionRecord) -> list[Block]:
    """Why it went no further, and its limits."""
    result = view.result
    if result is None:
        return []
    why = result.stopped or (last.why if view.facts.ending is not None else None)
    lines = [] if why is None else [remark(view.translate(why))]
    limits = [] if result.limits is None else [remark(_limits(view, result.limits))]
    return [*lines, *limits]


def table(view: AgentView, path: Sequence[TransitionRecord], rows: Sequence[RecordRow]) -> Grid:
    """A line for each transition."""
    heads = ("number", "mode", "trigger", "after", "why")
    return Grid(
        tuple(view.message(f"agent_head_{head}") for head in heads),
        tuple(
            (
                str(step.number),
                mode_name(view, step.to_mode),
                trigger_words(view, step),
                _clock(row.at_s),
                "" if step.why is None else view.translate(step.why),
            )
            for step, row in zip(path, rows, strict=True)
        ),
        spare=(3, 0),
    )


def trigger_words(view: AgentView, step: TransitionRecord) -> str:
    """The trigger with its condition, and whether it was refused."""
    condition = "" if step.condition is None else f" [{step.condition}]"
    refused = f" ({view.message('agent_refused')})" if step.refused else ""
    return f"{step.trigger}{condition}{refused}"


def _clock(seconds: float) -> str:
    """`0:07`, `12:30`, `1:02:05` since the start."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# ---- the picture --------------------------------------------------------------------------------


def picture(view: AgentView, path: Sequence[TransitionRecord]) -> Machine:
    """The machine's table with the way on it."""
    taken = [step for step in path if not step.refused]
    now = taken[-1].to_mode if taken else M.IDLE
    visited = {M.IDLE, *(step.to_mode for step in taken)}
    places = {
        mode: (column, row)
        for column, modes in enumerate(COLUMNS.values())
        for row, mode in enumerate(modes)
    }
    numbers = {mode: number for number, mode in enumerate(places)}
    return Machine(
        name=_told(view, taken, now),
        states=tuple(
            MachineState(mode_name(view, mode), *place, mode in visited, mode is now)
            for mode, place in places.items()
        ),
        edges=_edges(taken, numbers),
        heads=tuple(view.message(f"agent_column_{name}") for name in COLUMNS),
    )


def _told(view: AgentView, taken: Sequence[TransitionRecord], now: AgentMode) -> str:
    """The way in one sentence, for those who do not see it."""
    way = ", ".join(f"{step.number} {mode_name(view, step.to_mode)}" for step in taken)
    return view.message("agent_map", n=len(M), way=way or "-", now=mode_name(view, now))


def _edges(
    taken: Sequence[TransitionRecord], numbers: Mapping[AgentMode, int]
) -> tuple[MachineEdge, ...]:
    steps: dict[tuple[AgentMode, AgentMode], list[int]] = defaultdict(list)
    for step in taken:
        steps[step.from_mode, step.to_mode].append(step.number)
    triggers: dict[tuple[AgentMode, AgentMode], list[str]] = defaultdict(list)
    for row in TRANSITIONS:
        ends = (row.from_mode, row.to_mode)
        if row.trigger not in _EVERYWHERE or ends in steps:
            triggers[ends].append(_trigger(row))
    return tuple(
        MachineEdge(numbers[ends[0]], numbers[ends[1]], ", ".join(names), tuple(steps[ends]))
        for ends, names in triggers.items()
    )


def _trigger(row: Transition) -> str:
    return row.trigger if row.condition is None else f"{row.trigger} [{row.condition}]"


def mode_name(view: AgentView, mode: AgentMode) -> str:
    """A mode in the reader's words."""
    return view.word(f"agent_mode_{mode}", mode)


def _limits(view: AgentView, limits: AgentLimits) -> str:
    """`Limits: 5 of 30 modes · 20 calls · $1.00 · 60 min`"""
    budget = limits.budget
    named: dict[str, object] = {
        "calls": budget.max_calls,
        "tokens": budget.max_tokens,
        "cost": None if budget.max_usd is None else f"{budget.max_usd:.2f}",
        "time": None if budget.max_seconds is None else f"{budget.max_seconds / 60:g}",
    }
    known = {name: most for name, most in named.items() if most is not None}
    rows = [view.message(f"agent_limit_{name}", most=most) for name, most in known.items()]
    modes = view.message("agent_limit_modes", used=limits.modes, most=limits.max_modes)
    return view.message("agent_limits", limits=figures(modes, *rows))
