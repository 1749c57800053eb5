"""The rounds of a debate: arguments, the moderator's second opinion, and the ruling that is the code's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from orchestrator.core.consensus.convergence import assess
from orchestrator.core.discussion.hearing import Spoken, absences, over_budget, refuses_all
from orchestrator.core.discussion.rounds import Contribution, RoundTaken
from orchestrator.core.discussion.wording import spoken_text
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
from orchestrator.workflows.panel.strategies import SpeakingOrder
from orchestrator.workflows.panel.views import before_round, heard_by
from shared.models.findings import StatedStance
from shared.models.panel import Participant, Role
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
            role=Role.BALLOT,
            round=0,
            reply_model="opening",
            prompt=partial(context.prompts.opening, debater),
            temperature=DEBATER_TEMPERATURE,
        )
        for debater in context.debaters
    )
    spoken = [
        Spoken(debater, Role.BALLOT, result)
        for debater, result in zip(context.debaters, results, strict=True)
    ]
    said = [
        (one.speaker.name, OpeningVote.model_validate(one.result.reply))
        for one in spoken
        if one.result.reply is not None
    ]
    read = read_round((), said, 0, {})
    return PanelDebate(
        rounds=(taken(0, spoken, read),),
        points=settle(read.points, with_rivals(read.points, read.stances, read.holds, 0)),
        ledger=read.stances,
        unwritten=read.stances,
        first={name: FirstVote(read.holds[name], reply.confidence) for name, reply in said},
        first_heard=tuple(one.heard for one in spoken),
        warnings=absences(spoken, "the opening vote"),
    )


def hold_round(context: PanelContext, number: int, held: PanelDebate) -> Effect[PanelDebate]:
    """Everybody argues, the moderator scores, code rules."""
    yield from phase("Debating")
    labels = context.labels(f"round/{number}")
    spoken, heard = yield from argue(context, number, held, labels)
    said = [
        (one.speaker.name, Argument.model_validate(one.result.reply))
        for one in spoken
        if one.result.reply is not None
    ]
    read = read_round(held.points, said, number, held.holds)
    statements = tuple(
        _statement(name, number, reply, read.holds[name], heard.get(name, ()))
        for name, reply in said
    )
    arguments = taken(number, spoken, read)
    moderated = yield from moderate(context, number, held, statements, read, labels)
    written = yield from record(
        f"round/{number}",
        RoundRecord,
        partial(rule_on, context, held, arguments, read, statements, moderated.said, _all(spoken)),
    )
    bill = tuple(one.heard for one in spoken)
    first_round = not held.rounds
    return replace(
        held,
        rounds=(*held.rounds, arguments),
        held=(
            *held.held,
            RoundHeld(
                number=number,
                statements=statements,
                missing=tuple(one.speaker.name for one in spoken if one.result.reply is None),
                moderation=moderated.said,
                assessment=written.assessment,
            ),
        ),
        points=written.findings,
        ledger=(*held.ledger, *read.stances),
        unwritten=(),
        first=_first_votes(statements) if first_round else held.first,
        first_heard=bill if first_round else held.first_heard,
        heard=(*held.heard, *(() if first_round else bill), *moderated.heard),
        labels={**held.labels, str(number): labels},
        warnings=(*held.warnings, *absences(spoken, f"round {number}"), *moderated.warnings),
        refused=any(map(refuses_all, _all(spoken))),
    )


def _all(spoken: Sequence[Spoken]) -> list[StepResult]:
    return [one.result for one in spoken]


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
) -> Effect[tuple[list[Spoken], dict[str, tuple[str, ...]]]]:
    """A round's arguments, and whose arguments each debater had been shown."""
    if context.strategy.order is SpeakingOrder.AT_ONCE:
        results = yield from together(
            argument(context, number, debater, before_round(context, number, held, debater, labels))
            for debater in context.debaters
        )
        shown = heard_by(context, held, ())
        return _spoken(context.debaters, results), shown
    return (yield from _one_after_another(context, number, held, labels))


def _one_after_another(
    context: PanelContext, number: int, held: PanelDebate, labels: Mapping[str, str]
) -> Effect[tuple[list[Spoken], dict[str, tuple[str, ...]]]]:
    """Each hears all who spoke before it; once a call was refused for good, nobody else is asked."""
    spoken: list[Spoken] = []
    shown: dict[str, tuple[str, ...]] = {}
    said: list[Statement] = []
    refusal: Failure | None = None
    for debater in context.debaters:
        if refusal is not None:
            spoken.append(Spoken(debater, Role.ARGUMENT, StepResult(failure=refusal)))
            continue
        shown |= {debater.name: heard_by(context, held, said)[debater.name]}
        view = before_round(context, number, held, debater, labels, said)
        result = yield from single(argument(context, number, debater, view))
        spoken.append(Spoken(debater, Role.ARGUMENT, result))
        if result.reply is not None:
            reply = Argument.model_validate(result.reply)
            said.append(_statement(debater.name, number, reply, "", ()))
        elif refuses_all(result):
            refusal = result.failure
    return spoken, shown


def argument(context: PanelContext, number: int, debater: Participant, view: DebaterView) -> Turn:
    """One debater's turn."""
    return Turn(
        key=f"argument/{number}/{debater.name}",
        participant=debater,
        role=Role.ARGUMENT,
        round=number,
        reply_model="argument",
        prompt=partial(context.prompts.argument, debater, view),
        temperature=DEBATER_TEMPERATURE,
    )


def _spoken(debaters: Sequence[Participant], results: Sequence[StepResult]) -> list[Spoken]:
    return [
        Spoken(debater, Role.ARGUMENT, result)
        for debater, result in zip(debaters, results, strict=True)
    ]


# ---- the ruling ---------------------------------------------------------------------------------


def taken(number: int, spoken: Sequence[Spoken], read: Read) -> RoundTaken:
    """The round as the detectors see it; the opening vote is a turn in the debaters' own role."""
    return RoundTaken(
        number,
        ROLE,
        tuple(_contribution(one, read) for one in spoken),
    )


def _contribution(one: Spoken, read: Read) -> Contribution:
    name = one.speaker.name
    if one.result.reply is None:
        return Contribution(name, ROLE, answered=False)
    # What a position implies has no reason of its own: it rests on the argument.
    argument = str(one.result.reply.get("argument") or one.result.reply.get("reason") or "")
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
    return Contribution(name, ROLE, spoken_text(one.result.reply), True, stances)


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
