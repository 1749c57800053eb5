"""The steps of a case as they are taken, and what became of each: the trace of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pydantic import BaseModel

from orchestrator.core.discussion.turn_results import TurnResult, over_budget, why_failed
from orchestrator.core.replay.commands import Effect, Step, ToolRun, Turn, together
from orchestrator.workflows.case.chart_parts import ChartPart, last_line
from orchestrator.workflows.case.result import Abstention, TraceEntry
from orchestrator.workflows.case.roles import CaseRole
from shared.models.case import LensResult
from shared.models.notices import Notice, notice
from shared.models.replies import reply_name
from shared.models.steps import StepResult
from shared.models.wire import Wire
from shared.tools.catalogue import find_card

ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass
class Proceedings:
    """What happened, in order: built up while the generator runs, the same on every replay."""

    trace: list[TraceEntry] = field(default_factory=list)
    turns: list[TurnResult] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    abstentions: list[Abstention] = field(default_factory=list)

    def abstain(self, node: str, by: str, why: Notice, *, ran: bool = False) -> None:
        """Something that a node could say is not said, for nobody is there or, where it `ran`, it cannot.

        The same is not noted twice.
        """
        abstention = Abstention(node=node, by=by, why=why)
        if abstention in self.abstentions:
            return
        self.abstentions.append(abstention)
        if not ran:
            self.trace.append(TraceEntry(node=node, step="", by=by, state="abstained", why=why))

    def note(self, planned: PlannedNode, result: StepResult, iteration: int) -> None:
        """A step has ended."""
        step, node = planned.step, planned.node
        failure = result.failure
        is_turn = isinstance(step, Turn)
        by = step.participant.name if isinstance(step, Turn) else step.tool
        if is_turn:
            self.turns.append(TurnResult(by, result))
        why = None if failure is None else why_failed(failure)
        if why is not None:
            code = "case_turn_missing" if is_turn else "case_tool_failed"
            self.warnings.append(notice(code, who=by, node=node, why=why))
        self.trace.append(
            TraceEntry(
                node=node,
                step=step.key,
                by=by,
                iteration=iteration,
                state=_state(step, result),
                why=why,
                points=_points(step.reply_model, result),
                lines=planned.lines,
            )
        )

    @property
    def over_budget(self) -> bool:
        """Whether the budget refused a call."""
        return over_budget(self.turns)

    def answered(self, iteration: int) -> tuple[int, int]:
        """How many of the steps that matter to an iteration brought something: its own, and those before the critic."""
        taken = [entry for entry in self.trace if entry.step and entry.iteration in (0, iteration)]
        return sum(entry.state == "done" for entry in taken), len(taken)


def _state(step: Turn | ToolRun, result: StepResult) -> Literal["done", "failed", "abstained"]:
    """A lens that abstains from everything has brought nothing."""
    if result.failure is not None:
        return "failed"
    lens = read_reply(result, LensResult) if step.role == CaseRole.LENS else None
    return "done" if lens is None or lens.looked else "abstained"


_COUNTED = {
    "case.lens": "points",
    "case.critique": "critique_points",
    "case.solutions": "solutions",
}


def _points(reply_model: str, result: StepResult) -> int | None:
    if result.reply is None or reply_model not in _COUNTED:
        return None
    counted = result.reply.get(_COUNTED[reply_model])
    return len(counted) if isinstance(counted, list) else 0


@dataclass(frozen=True)
class PlannedNode:
    """A step of the graph, the node that it belongs to, and the part of the chart that it shows; None is all of it."""

    node: str
    step: Turn | ToolRun
    part: ChartPart | None = None

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """The first and the last lines of that part's pieces."""
        pieces = self.part.pieces if self.part is not None else ()
        return tuple((piece.line, last_line(piece)) for piece in pieces)


def take_nodes(
    proceedings: Proceedings, planned: Sequence[PlannedNode], iteration: int = 0
) -> Effect[tuple[StepResult, ...]]:
    """Run them in parallel, and note what became of each."""
    steps: list[Step] = [each.step for each in planned]
    results = yield from together(steps)
    for each, result in zip(planned, results, strict=True):
        proceedings.note(each, result, iteration)
    return results


def tool_run(
    key: str, tool: str, role: CaseRole, inputs: Callable[[], Wire], round_number: int = 0
) -> ToolRun:
    """A run of one of the workflow's tools; its card says what it answers."""
    reply = find_card(tool).reply
    return ToolRun(
        key=key,
        tool=tool,
        participant=tool,
        role=role,
        round=round_number,
        reply_model=reply_name(reply),
        inputs=inputs,
    )


def read_reply(result: StepResult, model: type[ReplyT]) -> ReplyT | None:
    """What a step answered; None where it failed."""
    return None if result.reply is None else model.model_validate(result.reply)
