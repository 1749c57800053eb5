"""Who reads a chart and criticises it: one turn a critic, or one for each portion of a chart that is long.

The turns of a round are one contribution. A critic of whose turns one failed is missing, as one that said nothing; what
the others brought counts, and in the next round it is shown what it has not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.workflows.case.chart_parts import ChartPart
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
)
from orchestrator.workflows.case.prompts import CritiqueView
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.state import GraphState
from shared.models.critique import CaseCritique
from shared.models.findings import Finding
from shared.models.panel import Participant
from shared.models.steps import StepResult


@dataclass(frozen=True)
class SpokenCritique:
    """What a critic said in its turns of a round, one for each part of the chart that it was shown."""

    critic: Participant
    parts: tuple[ChartPart | None, ...]
    results: tuple[StepResult, ...]
    reply: CaseCritique | None

    @property
    def complete(self) -> bool:
        """Whether none of the turns failed."""
        return all(result.reply is not None for result in self.results)

    @property
    def read(self) -> frozenset[int]:
        """The portions that it has answered; 0 is the whole chart. An excerpt is no reading."""
        return frozenset(
            0 if part is None else part.number
            for part, result in zip(self.parts, self.results, strict=True)
            if result.reply is not None and (part is None or part.number)
        )


def incomplete(spoken: Iterable[SpokenCritique]) -> tuple[str, ...]:
    """The critics of whose turns one failed."""
    return tuple(each.critic.name for each in spoken if not each.complete)


def ask_critics(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    view: CritiqueView,
    number: int,
    read: Mapping[str, frozenset[int]],
) -> Effect[list[SpokenCritique]]:
    """Every critic that reads, all turns at once; `read` are the portions that each has read already."""
    shown = [parts_to_read(context, critic, read, view.findings) for critic in context.models]
    nodes = [
        PlannedNode("critic", _turn(context, critic, state, view, number, part), part)
        for critic, parts in zip(context.models, shown, strict=True)
        for part in parts
    ]
    results = iter((yield from take_nodes(proceedings, nodes, view.cycle.number)))
    return [
        _spoken(context, critic, parts, tuple(islice(results, len(parts))))
        for critic, parts in zip(context.models, shown, strict=True)
    ]


def _spoken(
    context: CaseContext,
    critic: Participant,
    parts: tuple[ChartPart | None, ...],
    results: tuple[StepResult, ...],
) -> SpokenCritique:
    replies = [reply for each in results if (reply := read_reply(each, CaseCritique)) is not None]
    joined = context.unmasked(critic, joined_critique(replies)) if replies else None
    return SpokenCritique(critic, parts, results, joined)


def parts_to_read(
    context: CaseContext,
    critic: Participant,
    read: Mapping[str, frozenset[int]],
    findings: Sequence[Finding],
) -> tuple[ChartPart | None, ...]:
    """The portions that a critic has not read yet; when it has read all of them, where the known points stand."""
    known = read.get(critic.name, frozenset())
    parts = context.portions(critic)
    unread = tuple(part for part in parts if part is not None and part.number not in known)
    return unread or (context.excerpt(critic, findings),)


def _turn(
    context: CaseContext,
    critic: Participant,
    state: GraphState,
    view: CritiqueView,
    number: int,
    part: ChartPart | None,
) -> Turn:
    portion = (part.number,) if part is not None and part.number else ()
    return Turn(
        key=view.cycle.key("critique", view.feedback + 1, critic.name, *portion),
        participant=critic,
        role=CaseRole.CRITIQUE,
        round=number,
        reply_model="case.critique",
        prompt=partial(context.prompts.critique, critic, state, view, part),
        temperature=0.3,
    )


def joined_critique(parts: Sequence[CaseCritique]) -> CaseCritique:
    """What was said of the portions of a chart, as one critique."""
    if len(parts) == 1:
        return parts[0]
    return CaseCritique(
        critique_points=tuple(chain.from_iterable(part.critique_points for part in parts)),
        risk_factors=_once(part.risk_factors for part in parts),
        recommendations=_once(part.recommendations for part in parts),
        analysis="\n\n".join(filter(None, (part.analysis for part in parts))),
        stances=tuple(chain.from_iterable(part.stances for part in parts)),
    )


def _once(texts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(texts)))
