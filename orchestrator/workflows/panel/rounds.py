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
    turn_results,
)
from orchestrator.core.findings.evidence import unchecked, weighty
from orchestrator.core.findings.stances import RAISING, settle
from orchestrator.core.replay.commands import (
    Effect,
    RoundRecord,
    Turn,
    phase,
    record,
    single,
    together,
)
from orchestrator.core.rounds import Contribution, RoundTaken
from orchestrator.core.wording import spoken_text
from orchestrator.workflows.panel.consensus import consensus_called
from orchestrator.workflows.panel.context import (
    DEBATER_TEMPERATURE,
    FirstVote,
    PanelContext,
    PanelDebate,
    RoundHeld,
    Statement,
)
from orchestrator.workflows.panel.moderation import moderate
from orchestrator.workflows.panel.positions import ROLE, Read, read_round, with_rivals
from orchestrator.workflows.panel.prompts import DebaterView
from orchestrator.workflows.panel.quoting import checked, newly_weighty, sources
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.strategies import SpeakingOrder
from orchestrator.workflows.panel.views import before_round, heard_by
from shared.models.findings import StatedStance
from shared.models.notices import notice
from shared.models.panel import Participant
from shared.models.planning import Argument, Moderation, OpeningVote
from shared.models.steps import Failure, StepResult


def debate(context: PanelContext) -> Effect[PanelDebate]:
    """The opening vote, and rounds until a ruling ends them."""
    held = PanelDebate()
    if context.has_opening:
        held = yield from vote_first(context)
    for number in range(1, context.rounds + 1):
        held = yield from hold_round(context, number, held)
        assert held.assessment is not None
        if held.assessment.ending is not None or held.refused:
            break
    return held


def vote_first(context: PanelContext) -> Effect[PanelDebate]:
    """Everybody commits to a position before anybody is heard."""
    yield from phase("Debating")
    results = yield from together(
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
    turns = turn_results(context.debaters, results)
    said = [
        (turn.participant, OpeningVote.model_validate(turn.result.reply))
        for turn in turns
        if turn.result.reply is not None
    ]
    read = read_round((), said, 0, {})
    return PanelDebate(
        rounds=(taken(0, turns, read),),
        points=settle(read.points, with_rivals(read.points, read.stances, read.holds, 0)),
        ledger=read.stances,
        unwritten=read.stances,
        first={name: FirstVote(read.holds[name], reply.confidence) for name, reply in said},
        first_heard=turns,
        warnings=absences(turns, notice("in_opening_vote")),
    )


def hold_round(context: PanelContext, number: int, held: PanelDebate) -> Effect[PanelDebate]:
    """Everybody argues, the moderator scores, code rules."""
    yield from phase("Debating")
    labels = context.labels(f"round/{number}")
    turns, heard = yield from argue(context, number, held, labels)
    said = [
        (turn.participant, Argument.model_validate(turn.result.reply))
        for turn in turns
        if turn.result.reply is not None
    ]
    read = read_round(held.points, said, number, held.holds)
    statements = tuple(
        _statement(name, number, reply, read.holds[name], heard.get(name, ()))
        for name, reply in said
    )
    arguments = taken(number, turns, read)
    moderated = yield from moderate(context, number, held, statements, read, labels)
    written = yield from record(
        f"round/{number}",
        RoundRecord,
        partial(rule_on, context, held, arguments, read, statements, moderated.said, _all(turns)),
    )
    first_round = not held.rounds
    return replace(
        held,
        rounds=(*held.rounds, arguments),
        held=(
            *held.held,
            RoundHeld(
                number=number,
                statements=statements,
                missing=tuple(turn.participant for turn in turns if turn.result.reply is None),
                moderation=moderated.said,
                assessment=written.assessment,
            ),
        ),
        points=written.findings,
        ledger=(*held.ledger, *read.stances),
        unwritten=(),
        first=_first_votes(statements) if first_round else held.first,
        first_heard=tuple(turns) if first_round else held.first_heard,
        heard=(*held.heard, *(() if first_round else turns), *moderated.heard),
        labels={**held.labels, str(number): labels},
        warnings=(*held.warnings, *absences(turns, in_round(number)), *moderated.warnings),
        refused=any(map(refuses_all, _all(turns))),
    )


def _all(turns: Sequence[TurnResult]) -> list[StepResult]:
    return [turn.result for turn in turns]


def _first_votes(statements: Sequence[Statement]) -> dict[str, FirstVote]:
    return {one.participant: FirstVote(one.holds, one.confidence) for one in statements}


def _statement(
    name: str, number: int, reply: Argument, holds: str, heard: tuple[str, ...]
) -> Statement:
    return Statement(
        participant=name,
        round=number,
        position=reply.position,
        holds=holds,
        argument=reply.argument,
        confidence=reply.confidence,
        changed_because=reply.changed_because,
        quote=reply.quote,
        heard=heard,
    )


# ---- who speaks, and what they hear -------------------------------------------------------------


def argue(
    context: PanelContext, number: int, held: PanelDebate, labels: Mapping[str, str]
) -> Effect[tuple[Sequence[TurnResult], dict[str, tuple[str, ...]]]]:
    """A round's arguments, and whose arguments each debater had been shown."""
    if context.strategy.order is SpeakingOrder.AT_ONCE:
        results = yield from together(
            argument(context, number, debater, before_round(context, number, held, debater, labels))
            for debater in context.debaters
        )
        shown = heard_by(context, held, ())
        return turn_results(context.debaters, results), shown
    return (yield from _one_after_another(context, number, held, labels))


def _one_after_another(
    context: PanelContext, number: int, held: PanelDebate, labels: Mapping[str, str]
) -> Effect[tuple[Sequence[TurnResult], dict[str, tuple[str, ...]]]]:
    """Each hears all who spoke before it; once a call was refused for good, nobody else is asked."""
    turns: list[TurnResult] = []
    shown: dict[str, tuple[str, ...]] = {}
    said: list[Statement] = []
    refusal: Failure | None = None
    for debater in context.debaters:
        if refusal is not None:
            turns.append(TurnResult(debater.name, StepResult(failure=refusal)))
            continue
        shown |= {debater.name: heard_by(context, held, said)[debater.name]}
        view = before_round(context, number, held, debater, labels, said)
        result = yield from single(argument(context, number, debater, view))
        turns.append(TurnResult(debater.name, result))
        if result.reply is not None:
            reply = Argument.model_validate(result.reply)
            said.append(_statement(debater.name, number, reply, "", ()))
        elif refuses_all(result):
            refusal = result.failure
    return turns, shown


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


def taken(number: int, turns: Sequence[TurnResult], read: Read) -> RoundTaken:
    """The round as the detectors see it; the opening vote is a turn in the debaters' own role."""
    return RoundTaken(
        number,
        ROLE,
        tuple(_contribution(turn, read) for turn in turns),
    )


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
    held: PanelDebate,
    arguments: RoundTaken,
    read: Read,
    statements: Sequence[Statement],
    moderation: Moderation | None,
    results: Sequence[StepResult],
) -> RoundRecord:
    """What a round brought: the points as they stand, the ledger's new lines, the figures and the ruling."""
    said = (*held.ledger, *read.stances)
    counted = with_rivals(read.points, said, read.holds, arguments.number)
    rounds = (*held.rounds, arguments)
    quotable = sources(context, (*held.statements, *statements), read.points, rounds)
    known = checked(read.points, held.points, read.quotes, quotable)
    points = settle(known, counted, threshold=context.options.thresholds.agreement)
    assessment = assess(
        rounds,
        weighty(points),
        counted,
        rule=context.rule,
        new_findings=newly_weighty(points, held.points),
        is_last_round=arguments.number == context.rounds,
        over_budget=over_budget(results),
        unchecked=unchecked(points, ()),
    )
    return RoundRecord(
        assessment=consensus_called(context, assessment, points, moderation),
        findings=points,
        stances=(*held.unwritten, *read.stances),
    )
