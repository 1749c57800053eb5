"""Which tools the critic runs: retrieval over the tool cards by what the chart shows, or the analyst's choice.

The heuristic knows no tool by its name. Facts of the chart are put as words, the cards are ranked by how well they fit
each fact (`rank_cards`), and a card's reason is the fact that it fits best: so a lens that is added is picked by what
its card says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, Turn, record
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
from shared.models.case import Measurement, MentionKind
from shared.models.critique import Routing, ToolChoice
from shared.models.notices import Notice, notice, verbatim
from shared.models.panel import Participant
from shared.tools.card import ToolCard, ToolKind
from shared.tools.catalogue import cards
from shared.tools.ranking import rank_cards

_MOST_CONCEPTS = 40
_EXISTING = 0.6  # a value that is measured and in range says less than one that is not


def lens_cards() -> tuple[ToolCard, ...]:
    """The registry of the critic's tools."""
    return cards(kind=ToolKind.LENS)


@dataclass(frozen=True)
class ChartFact:
    """Something that the chart shows: words for retrieval over cards, what it is for people, its weight."""

    words: str
    why: Notice
    weight: float = 1.0


def chart_facts(state: GraphState, similar: int) -> Iterator[ChartFact]:
    """What may call for a tool, from the chart, its gaps, the coverage and the similar cases."""
    yield from _measured(state.chart.measurements)
    kinds = [mention.kind for mention in state.chart.mentions]
    for kind, words in _MENTIONED.items():
        if kind in kinds:
            yield ChartFact(words, notice(f"case_fact_{kind}", n=kinds.count(kind)))
    yield from _found(state, similar)
    concepts = dict.fromkeys(mention.concept for mention in state.chart.mentions)
    if concepts:
        words = " ".join(list(concepts)[:_MOST_CONCEPTS])
        yield ChartFact(words, notice("case_fact_concepts", n=len(concepts)))


def _measured(measurements: Sequence[Measurement]) -> Iterator[ChartFact]:
    outside = [each for each in measurements if _is_outside(each)]
    if outside:
        why = notice("case_fact_outside", n=len(outside), names=_names(outside))
        yield ChartFact("values outside reference ranges, early-warning scores", why)
    if measurements:
        why = notice("case_fact_measured", n=len(measurements))
        yield ChartFact("values, scores, contradictions", why, _EXISTING)


def _found(state: GraphState, similar: int) -> Iterator[ChartFact]:
    """What the stages before the critic brought."""
    events, gaps = state.preprocessing.timeline.events, state.preprocessing.gaps.gaps
    uncovered = [item for item in state.coverage.items if item.status != "covered"]
    missing = " ".join(gap.what.replace("_", " ") for gap in gaps)
    counted = (
        ("dates", len(events), "contradictions of dates"),
        ("open", len(uncovered), "problems without plans, missing monitoring"),
        ("gaps", len(gaps), f"missing {missing}"),
        ("similar", similar, "most similar cases"),
    )
    for code, count, words in counted:
        if count:
            yield ChartFact(words, notice(f"case_fact_{code}", n=count))


_MENTIONED: Mapping[MentionKind, str] = {
    MentionKind.PROBLEM: "diagnoses without support, contradictions, grave findings",
    MentionKind.SYMPTOM: "grave findings",
    MentionKind.DRUG: "drugs, doubled drugs, doses, monitoring",
    MentionKind.ALLERGY: "drugs against allergies",
    MentionKind.PROCEDURE: "contradictions of side and sex",
    MentionKind.MONITORING: "monitoring",
}


def _is_outside(each: Measurement) -> bool:
    if each.value is None:
        return False
    return (each.low is not None and each.value < each.low) or (
        each.high is not None and each.value > each.high
    )


def _names(measured: Sequence[Measurement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name.replace("_", " ") for each in measured))[:5]


# ---- the heuristic ------------------------------------------------------------------------------


@dataclass(frozen=True)
class RankedCard:
    """A card, how much of what the chart shows it is for, and the fact that speaks for it most."""

    card: ToolCard
    score: float
    why: Notice | None


def ranked_cards(state: GraphState, similar: int, registry: Sequence[ToolCard]) -> list[RankedCard]:
    """The cards, those first that the chart calls for most; equal ones in their order."""
    scores: dict[str, list[tuple[float, int, Notice]]] = {card.name: [] for card in registry}
    for place, fact in enumerate(chart_facts(state, similar)):
        for card, score in rank_cards(fact.words, registry):
            if score > 0:
                scores[card.name].append((score * fact.weight, -place, fact.why))
    ranked = [
        RankedCard(
            card,
            sum(score for score, _, _ in scores[card.name]),
            max(scores[card.name], key=lambda each: each[:2])[2] if scores[card.name] else None,
        )
        for card in registry
    ]
    return sorted(ranked, key=lambda each: -each.score)


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
    turn = Turn(
        key=cycle.key("routing", analyst.name),
        participant=analyst,
        role=CaseRole.ROUTING,
        round=cycle.number,
        reply_model="case.routing",
        prompt=partial(
            context.prompts.routing, analyst, state, lens_cards(), context.options.max_tools
        ),
        temperature=0.2,
    )
    (result,) = yield from take_nodes(proceedings, [PlannedNode("router", turn)], cycle.number)
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
