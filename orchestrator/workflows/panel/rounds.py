"""The rounds of a debate: arguments, the moderator's second opinion, and the ruling that is the code's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from orchestrator.core.consensus.convergence import assess
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    absences,
    in_round,
    over_budget,
    refuses_all,
    replies,
    take_turn,
    take_turns,
)
from orchestrator.core.findings.evidence import unchecked, weighty
from orchestrator.core.findings.stances import RAISING, settle
from orchestrator.core.replay.commands import Effect, RoundRecord, Turn, phase, record
from orchestrator.core.rounds import Contribution, RoundTaken
from orchestrator.core.wording import spoken_text
from orchestrator.workflows.panel.context import DEBATER_TEMPERATURE, PanelContext, PanelDebate
from orchestrator.workflows.panel.moderation import consensus_called, moderate
from orchestrator.workflows.panel.positions import (
    ROLE,
    Read,
    checked,
    newly_weighty,
    read_round,
    sources,
    with_rivals,
)
from orchestrator.workflows.panel.prompts import DebaterView
from orchestrator.workflows.panel.result import HeldPosition, PanelRound, PanelStatement
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.strategies import SpeakingOrder
from orchestrator.workflows.panel.views import before_round, heard_by
from shared.models.findings import StatedStance
from shared.models.notices import notice
from shared.models.panel import Participant
from shared.models.planning import Argument, Moderation, OpeningVote
from shared.models.steps import Failure, StepResult

Heard = Mapping[str, tuple[str, ...]]
"""Whose arguments each debater had been shown."""


def discuss(context: PanelContext) -> Effect[PanelDebate]:
    """The opening vote, and rounds until a ruling ends them."""
    debate = PanelDebate()
    if context.has_opening:
        debate = yield from vote_first(context)
    for number in range(1, context.rounds + 1):
        debate = yield from hold_round(context, number, debate)
        if debate.ending is not None or debate.refused:
            break
    return debate


def vote_first(context: PanelContext) -> Effect[PanelDebate]:
    """Everybody commits to a position before hearing anyone."""
    yield from phase("Debating")
    turns = yield from take_turns(
        Turn(
            key=f"opening/{debater.name}",
            participant=debater,
            role=PanelRole.BALLOT,
            round=0,
            reply_model="opening",
            prompt=partial(context.prompts.opening, debater),
            temperature=DEBATER_TEMPERATURE,
        )
        for debater in context.debaters
    )
    votes = replies(turns, OpeningVote)
    read = read_round((), votes, 0, {})
    return PanelDebate(
        taken=(round_taken(0, turns, read),),
        points=settle(
            read.points,
            with_rivals(read.points, read.stances, read.holds, 0),
            rules=context.rule.rules,
        ),
        ledger=read.stances,
        unwritten=read.stances,
        first={
            name: HeldPosition(position=read.holds[name], confidence=vote.confidence)
            for name, vote in votes.items()
        },
        first_turns=turns,
        warnings=absences(turns, notice("in_opening_vote")),
    )


def hold_round(context: PanelContext, number: int, debate: PanelDebate) -> Effect[PanelDebate]:
    """Everybody argues, the moderator scores, code rules."""
    yield from phase("Debating")
    labels = context.labels(f"round/{number}")
    turns, heard = yield from argue(context, number, debate, labels)
    arguments = replies(turns, Argument)
    read = read_round(debate.points, arguments, number, debate.holds)
    statements = tuple(
        _statement(name, number, argument, read.holds[name], heard.get(name, ()))
        for name, argument in arguments.items()
    )
    taken = round_taken(number, turns, read)
    moderated = yield from moderate(context, number, debate, statements, read, labels)
    unpaid = over_budget(turns)
    written = yield from record(
        f"round/{number}",
        RoundRecord,
        partial(rule_on, context, debate, taken, read, statements, moderated.moderation, unpaid),
    )
    panel_round = PanelRound(
        number=number,
        statements=statements,
        missing=tuple(turn.participant for turn in turns if turn.result.reply is None),
        moderation=moderated.moderation,
        assessment=written.assessment,
    )
    debate = replace(
        debate,
        rounds=(*debate.rounds, panel_round),
        taken=(*debate.taken, taken),
        points=written.findings,
        ledger=(*debate.ledger, *read.stances),
        unwritten=(),
        labels={**debate.labels, str(number): labels},
        warnings=(*debate.warnings, *absences(turns, in_round(number)), *moderated.warnings),
        refused=any(map(refuses_all, turns)),
    )
    if len(debate.taken) > 1:
        return replace(debate, turns=(*debate.turns, *turns, *moderated.turns))
    return replace(debate, first=_first_votes(statements), first_turns=turns, turns=moderated.turns)


def _first_votes(statements: Sequence[PanelStatement]) -> dict[str, HeldPosition]:
    return {
        statement.participant: HeldPosition(
            position=statement.holds, confidence=statement.confidence
        )
        for statement in statements
    }


def _statement(
    name: str, number: int, argument: Argument, holds: str, heard: tuple[str, ...]
) -> PanelStatement:
    return PanelStatement(
        participant=name,
        round=number,
        position=argument.position,
        holds=holds,
        argument=argument.argument,
        confidence=argument.confidence,
        changed_because=argument.changed_because,
        quote=argument.quote,
        heard=heard,
    )


# ---- who speaks, and what they hear -------------------------------------------------------------


def argue(
    context: PanelContext, number: int, debate: PanelDebate, labels: Mapping[str, str]
) -> Effect[tuple[tuple[TurnResult, ...], Heard]]:
    """A round's arguments, and whose arguments each debater had been shown."""
    if context.strategy.order is SpeakingOrder.ONE_AFTER_ANOTHER:
        return (yield from _one_after_another(context, number, debate, labels))
    turns = yield from take_turns(
        argument(context, number, debater, before_round(context, number, debate, debater, labels))
        for debater in context.debaters
    )
    return turns, {turn.participant: heard_by(context, debate, turn.participant) for turn in turns}


def _one_after_another(
    context: PanelContext, number: int, debate: PanelDebate, labels: Mapping[str, str]
) -> Effect[tuple[tuple[TurnResult, ...], Heard]]:
    """Each hears all who spoke before it; once a call has been refused for good, nobody else is asked."""
    turns: list[TurnResult] = []
    heard: dict[str, tuple[str, ...]] = {}
    spoken: list[PanelStatement] = []
    refusal: Failure | None = None
    for debater in context.debaters:
        if refusal is not None:
            turns.append(TurnResult(debater.name, StepResult(failure=refusal)))
            continue
        heard[debater.name] = heard_by(context, debate, debater.name, spoken)
        view = before_round(context, number, debate, debater, labels, spoken)
        turn = yield from take_turn(argument(context, number, debater, view))
        turns.append(turn)
        spoken += (
            _statement(name, number, reply, "", ())
            for name, reply in replies([turn], Argument).items()
        )
        if refuses_all(turn):
            refusal = turn.failure
    return tuple(turns), heard


def argument(context: PanelContext, number: int, debater: Participant, view: DebaterView) -> Turn:
    """One debater's turn."""
    return Turn(
        key=f"argument/{number}/{debater.name}",
        participant=debater,
        role=PanelRole.ARGUMENT,
        round=number,
        reply_model="argument",
        prompt=partial(context.prompts.argument, debater, view),
        temperature=DEBATER_TEMPERATURE,
    )


# ---- the ruling ---------------------------------------------------------------------------------


def round_taken(number: int, turns: Sequence[TurnResult], read: Read) -> RoundTaken:
    """The round as the detectors see it; the opening vote is a turn in the debaters' own role."""
    return RoundTaken(number, ROLE, tuple(_contribution(turn, read) for turn in turns))


def _contribution(turn: TurnResult, read: Read) -> Contribution:
    name, reply = turn.participant, turn.result.reply
    if reply is None:
        return Contribution(name, ROLE, answered=False)
    # What a position implies has no reason of its own: it rests on the argument.
    argument = str(reply.get("argument") or reply.get("reason") or "")
    stances = tuple(
        StatedStance(
            finding=line.finding,
            position=line.position,
            reason=argument if line.reason == RAISING else line.reason,
            quote=line.quote,
        )
        for line in read.stances
        if line.participant == name
    )
    return Contribution(name, ROLE, spoken_text(reply), True, stances)


def rule_on(
    context: PanelContext,
    debate: PanelDebate,
    taken: RoundTaken,
    read: Read,
    statements: Sequence[PanelStatement],
    moderation: Moderation | None,
    unpaid: bool,
) -> RoundRecord:
    """What a round brought: the points as they stand, the ledger's new lines, the figures and the ruling."""
    ledger = with_rivals(read.points, (*debate.ledger, *read.stances), read.holds, taken.number)
    rounds = (*debate.taken, taken)
    quotable = sources(context, (*debate.statements, *statements), read.points, rounds)
    known = checked(read.points, debate.points, read.quotes, quotable)
    rule = context.rule
    points = settle(known, ledger, threshold=rule.thresholds.agreement, rules=rule.rules)
    assessment = assess(
        rounds,
        weighty(points),
        ledger,
        rule=rule,
        new_findings=newly_weighty(points, debate.points),
        is_last_round=taken.number == context.rounds,
        over_budget=unpaid,
        unchecked=unchecked(points, ()),
    )
    return RoundRecord(
        assessment=consensus_called(context, assessment, points, moderation),
        findings=points,
        stances=(*debate.unwritten, *read.stances),
    )
