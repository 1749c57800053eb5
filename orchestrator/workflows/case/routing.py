"""Which tools the critic runs: retrieval over the tool cards by what the chart shows, or the analyst's choice.

The heuristic knows no tool by its name. Facts of the chart are put as words (`chart_facts`), the cards are ranked by
how well they fit each fact (`rank_cards`), and a card's reason is the fact that it fits best: so a lens that is added
is picked by what its card says. Cards that fit what is grave in the chart come before all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, Turn, record
from orchestrator.workflows.case.chart_facts import chart_facts
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.options import HEURISTIC, LLM
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
)
from orchestrator.workflows.case.records import RoutingRecord
from orchestrator.workflows.case.result import CaseRouting, RoutedTool
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.state import GraphState
from shared.models.case import LensResult
from shared.models.critique import Routing, ToolChoice
from shared.models.notices import Notice, notice, verbatim
from shared.models.panel import Participant
from shared.tools.card import ToolCard, ToolKind
from shared.tools.catalogue import cards
from shared.tools.ranking import rank_cards


def lens_cards() -> tuple[ToolCard, ...]:
    """The registry of the critic's tools."""
    return cards(kind=ToolKind.LENS)


# ---- the heuristic ------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedCard:
    """A card, how much of what the chart shows it is for, and the fact that speaks for it most.

    `grave` is its score for what is grave in the chart and fits no other card better.
    """

    card: ToolCard
    score: float
    grave: float
    why: Notice | None


def ranked_cards(state: GraphState, similar: int, registry: Sequence[ToolCard]) -> list[RankedCard]:
    """The cards, those for grave things first, then those that the chart calls for most; equal ones in their order."""
    fits: dict[str, list[tuple[float, int, Notice]]] = {card.name: [] for card in registry}
    grave = dict.fromkeys(fits, 0.0)
    for place, fact in enumerate(chart_facts(state, similar)):
        for rank, (card, score) in enumerate(rank_cards(fact.words, registry)):
            if score > 0:
                fits[card.name].append((score * fact.weight, -place, fact.why))
                grave[card.name] += score if fact.grave and rank == 0 else 0
    ranked = [
        RankedCard(
            card,
            score=sum(score for score, _, _ in fits[card.name]),
            grave=grave[card.name],
            why=max(fits[card.name], key=lambda each: each[:2])[2] if fits[card.name] else None,
        )
        for card in registry
    ]
    return sorted(ranked, key=lambda each: (-each.grave, -each.score))


def unrun_cards(
    ranked: Sequence[RankedCard], results: Mapping[str, LensResult]
) -> tuple[RankedCard, ...]:
    """What the chart calls for and did not get: tools that did not run or failed."""
    ran = {name for name, result in results.items() if result.looked or result.abstains}
    return tuple(each for each in ranked if each.why is not None and each.card.name not in ran)


def report_unrun(context: CaseContext, proceedings: Proceedings, state: GraphState) -> None:
    """Name what the chart calls for and no iteration had room for; what failed was told when it did."""
    ranked = ranked_cards(state, len(context.case.similar), lens_cards())
    for each in unrun_cards(ranked, state.results):
        if each.why is not None and each.card.name not in state.results:
            why = notice("case_tool_unrun", why=each.why, most=context.options.max_tools)
            proceedings.abstain(each.card.name, each.card.name, why)


def heuristic(
    ranked: Sequence[RankedCard], ran: Mapping[str, object], most: int
) -> tuple[RoutedTool, ...]:
    """The first `most` that the chart calls for and that have not run; of each other card why not."""
    choices, left = [], most
    for each in ranked:
        runs = each.why is not None and each.card.name not in ran and left > 0
        choices.append(
            RoutedTool(tool=each.card.name, run=runs, reason=_reason(each, ran, runs, most))
        )
        left -= runs
    return tuple(choices)


def _reason(each: RankedCard, ran: Mapping[str, object], runs: bool, most: int) -> Notice:
    if each.card.name in ran:
        return notice("case_card_ran")
    if each.why is None:
        return notice("case_card_unrelated")
    return notice("case_card_fits", why=each.why) if runs else notice("case_card_budget", most=most)


def requested(
    names: Sequence[str],
    registry: Sequence[ToolCard],
    ran: Mapping[str, object],
    most: int,
    why: Notice,
) -> tuple[RoutedTool, ...]:
    """Tools that a feedback asked for: those that there are, have not run, and that the budget allows."""
    known = {card.name for card in registry}
    wanted = [name for name in dict.fromkeys(names) if name in known and name not in ran]
    return tuple(
        RoutedTool(
            tool=name,
            run=place < most,
            reason=why if place < most else notice("case_card_budget", most=most),
        )
        for place, name in enumerate(wanted)
    )


# ---- the choice of an iteration ------------------------------------------------------------------


def route(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    cycle: Cycle,
) -> Effect[RoutingRecord]:
    """Pick the tools of an iteration, and write down why each was picked or not."""
    registry, analyst, options = lens_cards(), context.analyst, context.options
    similar, choice = len(context.case.similar), None
    if options.router == LLM and analyst is None:
        why = notice("case_router_nobody")
        proceedings.abstain("router", "analyst", why)
    elif options.router == LLM and analyst is not None:
        choice = yield from asked_router(context, proceedings, state, cycle, analyst)

    def routing() -> RoutingRecord:
        ranked = ranked_cards(state, similar, registry)
        tools = heuristic(ranked, state.results, options.max_tools)
        by = HEURISTIC
        if choice is not None and analyst is not None:
            tools, by = chosen(choice, registry, state.results, options.max_tools), analyst.name
            if cycle.number > 1:
                tools = filled(tools, ranked, state.results, options.max_tools)
        return RoutingRecord(
            routing=CaseRouting(
                by=by, iteration=cycle.number, max_tools=options.max_tools, tools=tools
            )
        )

    return (yield from record(cycle.key("router"), RoutingRecord, routing))


def asked_router(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    cycle: Cycle,
    analyst: Participant,
) -> Effect[Routing | None]:
    """The analyst's choice; None where it gave none: then the heuristic picks."""
    part = context.excerpt(analyst)
    turn = Turn(
        key=cycle.key("routing", analyst.name),
        participant=analyst,
        role=CaseRole.ROUTING,
        round=cycle.number,
        reply_model="case.routing",
        prompt=partial(
            context.prompts.routing, analyst, state, lens_cards(), context.options.max_tools, part
        ),
        temperature=0.2,
    )
    (result,) = yield from take_nodes(
        proceedings, [PlannedNode("router", turn, part)], cycle.number
    )
    choice = read_reply(result, Routing)
    known = {card.name for card in lens_cards()}
    if choice is None or not any(tool.tool in known for tool in choice.tools):
        proceedings.warnings.append(notice("case_router_fell_back", who=analyst.name))
        return None
    return choice


def chosen(
    choice: Routing, registry: Sequence[ToolCard], ran: Mapping[str, object], most: int
) -> tuple[RoutedTool, ...]:
    """A model's choice as far as there are such tools and the budget goes; its reasons in its words."""
    named = {each.tool: each for each in choice.tools}
    wanted = [each.tool for each in choice.tools if each.run]
    order = {name: place for place, name in enumerate(dict.fromkeys(wanted))}
    tools: list[RoutedTool] = []
    for card in sorted(registry, key=lambda card: order.get(card.name, len(order))):
        room = sum(tool.run for tool in tools) < most
        runs = card.name in order and card.name not in ran and room
        reason = _reason_of_model(card.name, named.get(card.name), ran, runs, most)
        tools.append(RoutedTool(tool=card.name, run=runs, reason=reason))
    return tuple(tools)


def filled(
    tools: Sequence[RoutedTool],
    ranked: Sequence[RankedCard],
    ran: Mapping[str, object],
    most: int,
) -> tuple[RoutedTool, ...]:
    """A model's choice; what it leaves of the budget goes to what the chart calls for and has not run yet."""
    picked = {each.tool for each in tools if each.run}
    added = {
        each.tool: each
        for each in heuristic(ranked, {**ran, **dict.fromkeys(picked)}, most - len(picked))
        if each.run
    }
    return tuple(added.get(each.tool, each) for each in tools)


def _reason_of_model(
    name: str, choice: ToolChoice | None, ran: Mapping[str, object], runs: bool, most: int
) -> Notice:
    if name in ran:
        return notice("case_card_ran")
    if choice is None:
        return notice("case_card_unnamed")
    if choice.run and not runs:
        return notice("case_card_budget", most=most)
    return verbatim(choice.reason)
