"""Openings, then rounds of floor requests, selections and speeches, until something ends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from orchestrator.core.consensus.detectors.lexical import assess_wording
from orchestrator.core.consensus.loop_detection import detect_loop
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    absences,
    replies,
    take_turn,
    take_turns,
    why_failed,
)
from orchestrator.core.replay.commands import Effect, RoundRecord, Turn, phase, record
from orchestrator.core.rounds import Contribution, RoundTaken
from orchestrator.workflows.forum.context import (
    ForumContext,
    StopReason,
    Talk,
    refused,
    shorter,
    time_left,
    within,
)
from orchestrator.workflows.forum.floor import FloorChoice, FloorStanding, Why, choose, standings
from orchestrator.workflows.forum.result import PASS, FloorRound, RecordedBid
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.assessment import Assessment, Recommendation
from shared.models.deliberation import Bid, Opening, Selection, Speech
from shared.models.notices import Notice, notice

# An orchestrator that failed so often in a row is not asked for speakers any more.
DEAF_AFTER = 2

_IN_CIRCLES = {
    Recommendation.LOOPING: StopReason.LOOPING,
    Recommendation.OSCILLATING: StopReason.OSCILLATING,
}


def discuss(context: ForumContext) -> Effect[Talk]:
    """Openings, then rounds until the orchestrator ends it, nobody has anything to say, or a bound is reached."""
    talk, options = Talk(), context.options
    if options.blind_opening:
        talk = yield from commit(context, talk)
    if talk.stop is not None:
        return talk
    for number in range(1, options.max_rounds + 1):
        talk = yield from hold_round(context, number, talk)
        if talk.stop is not None:
            return talk
        if options.timeout_s is not None and talk.elapsed_s >= options.timeout_s:
            return talk.stopped(StopReason.TIMEOUT)
    return talk.stopped(StopReason.MAX_ROUNDS)


def commit(context: ForumContext, talk: Talk) -> Effect[Talk]:
    """Everybody commits to a position that nobody else ever sees: what the debate is measured by.

    One short turn each, all at once. Anyone who does not answer is named, and still takes part.
    """
    yield from phase("Committing")
    limit_s = shorter(context.options.bid_timeout_s, time_left(context, talk))
    turns = yield from take_turns(
        Turn(
            key=f"opening/{speaker.name}",
            participant=within(speaker, limit_s),
            role=ForumRole.BALLOT,
            round=0,
            reply_model="opening.forum",
            prompt=partial(context.prompts.opening, speaker),
        )
        for speaker in context.participants
    )
    warnings = absences(turns, notice("in_blind_opening"))
    openings = replies(turns, Opening)
    return replace(talk, openings=openings, blind=turns, stop=refused(turns)).warned(*warnings)


def hold_round(context: ForumContext, number: int, talk: Talk) -> Effect[Talk]:
    """Who wants the floor, who gets it, what is said."""
    yield from phase("RequestingFloor")
    talk, floor_round = yield from request_floor(context, number, talk)
    if talk.stop is not None:
        return talk.with_round(floor_round)
    if not floor_round.asking and (floor_round.reminded or not talk.speeches):
        talk = talk.with_round(floor_round)
        return talk.stopped(StopReason.ALL_PASSED) if floor_round.reminded else talk
    names = [participant.name for participant in context.participants]
    everybody = standings(names, talk.rounds, floor_round.bids)
    yield from phase("Selecting")
    talk, wish = yield from select(context, number, talk, everybody)
    choice = grant(context, everybody, wish) if talk.stop is None else None
    if choice is None:
        return talk.with_round(floor_round)
    yield from phase("Speaking")
    return (yield from speak(context, talk.warned(*overruled(number, choice)), floor_round, choice))


def request_floor(
    context: ForumContext, number: int, talk: Talk
) -> Effect[tuple[Talk, FloorRound]]:
    """Ask everyone at once, with a reminder when nobody asked last; with no answers at all, nobody is there."""
    speeches, reminded = talk.speeches, bool(talk.rounds) and not talk.rounds[-1].asking
    limit_s = shorter(context.options.bid_timeout_s, time_left(context, talk))
    turns = yield from take_turns(
        Turn(
            key=f"bid/{number}/{speaker.name}",
            participant=within(speaker, limit_s),
            role=ForumRole.BID,
            round=number,
            reply_model="bid",
            prompt=partial(context.prompts.bid, speaker, speeches, reminder=reminded),
        )
        for speaker in context.participants
    )
    floor_round = FloorRound(number=number, reminded=reminded, bids=tuple(map(_bid, turns)))
    talk = talk.with_turns(*turns).warned(*_missing_bids(floor_round))
    if talk.stop is None and not floor_round.present:
        talk = talk.stopped(StopReason.NOBODY_THERE)
    return talk, floor_round


def _bid(turn: TurnResult) -> RecordedBid:
    """A missing answer counts as a pass."""
    name = turn.participant
    if turn.failure is not None:
        return RecordedBid(participant=name, action=PASS, missing=why_failed(turn.failure))
    bid = Bid.model_validate(turn.result.reply)
    return RecordedBid(participant=name, action=bid.action, reason=bid.reason)


def _missing_bids(floor_round: FloorRound) -> list[Notice]:
    return [
        notice(
            "forum_no_bid",
            who=bid.participant,
            round=floor_round.number,
            answered=floor_round.present,
            asked=len(floor_round.bids),
            why=bid.missing,
        )
        for bid in floor_round.bids
        if bid.missing is not None
    ]


def select(
    context: ForumContext, number: int, talk: Talk, everybody: Sequence[FloorStanding]
) -> Effect[tuple[Talk, Selection | None]]:
    """The orchestrator's wish. END ends the discussion once somebody has spoken; a dead orchestrator wishes nothing."""
    if talk.deaf_rounds >= DEAF_AFTER:
        return talk, None
    chair, left = context.orchestrator, context.options.max_rounds - number
    turn = yield from take_turn(
        Turn(
            key=f"selection/{number}",
            participant=within(chair, time_left(context, talk)),
            role=ForumRole.SELECTION,
            round=number,
            reply_model="selection",
            prompt=partial(
                context.prompts.selection, talk.speeches, everybody, context.options.patience, left
            ),
        )
    )
    talk = talk.with_turns(turn)
    if talk.stop is not None:
        return talk, None
    if turn.failure is not None:
        talk = replace(talk, deaf_rounds=talk.deaf_rounds + 1)
        deaf = talk.deaf_rounds >= DEAF_AFTER
        code = "forum_selects_no_more" if deaf else "forum_selected_nobody"
        why = why_failed(turn.failure)
        return talk.warned(notice(code, who=chair.name, round=number, why=why)), None
    wish = context.prompts.named(Selection.model_validate(turn.result.reply))
    talk = replace(talk, deaf_rounds=0)
    if wish.action == "END" and talk.speeches:
        talk = replace(talk, conclusion=wish.conclusion, conclusion_reason=wish.reason)
        return talk.stopped(StopReason.CONCLUDED), None
    return talk, wish


def grant(
    context: ForumContext, everybody: Sequence[FloorStanding], wish: Selection | None
) -> FloorChoice | None:
    """Who speaks; nobody when nobody asks and the orchestrator calls on nobody that may speak."""
    patience, reason = context.options.patience, wish.reason if wish else ""
    if wish is not None and wish.action == "END":
        choice = choose(everybody, None, patience, reason)
        return replace(choice, why=Why.TOO_EARLY_TO_END, reason=reason)
    choice = choose(everybody, wish.speaker if wish else None, patience, reason)
    nobody_asks = not any(standing.asks for standing in everybody)
    return None if nobody_asks and choice.why is not Why.CALLED_ON else choice


_OVERRULED = frozenset(
    {
        Why.WAITED_TOO_LONG,
        Why.UNKNOWN_NAME,
        Why.DID_NOT_ASK,
        Why.TWICE_IN_A_ROW,
        Why.TOO_EARLY_TO_END,
    }
)


def overruled(number: int, choice: FloorChoice) -> tuple[Notice, ...]:
    """The notice that the orchestrator's wish was not followed."""
    unwished = choice.wished is None and choice.why is not Why.TOO_EARLY_TO_END
    if unwished or choice.why not in _OVERRULED:
        return ()
    code = f"forum_overruled_{choice.why}"
    return (notice(code, round=number, who=choice.speaker, wished=choice.wished),)


def speak(
    context: ForumContext, talk: Talk, floor_round: FloorRound, choice: FloorChoice
) -> Effect[Talk]:
    """The chosen one speaks and all will hear it; a speech that does not come is a gap."""
    number = floor_round.number
    speaker = next(each for each in context.participants if each.name == choice.speaker)
    called = choice.why is Why.CALLED_ON
    turn = yield from take_turn(
        Turn(
            key=f"speech/{number}/{speaker.name}",
            participant=within(speaker, time_left(context, talk)),
            role=ForumRole.SPEECH,
            round=number,
            reply_model="speech",
            prompt=partial(context.prompts.speech, speaker, talk.speeches, called=called),
        )
    )
    talk = talk.with_turns(turn)
    speech = None
    if turn.failure is None:
        speech = Speech.model_validate(turn.result.reply).speech
    else:
        why = why_failed(turn.failure)
        talk = talk.warned(notice("forum_said_nothing", who=speaker.name, round=number, why=why))
    spoken = {
        "selected": speaker.name,
        "selected_by": choice.by,
        "why": choice.why.value,
        "wished": choice.wished,
        "orchestrator_said": choice.reason,
        "speech": speech,
    }
    talk = talk.with_round(floor_round.model_copy(update=spoken))
    if talk.stop is not None:
        return talk
    written = yield from record(f"round/{number}", RoundRecord, partial(judge, context, talk))
    circle = _IN_CIRCLES.get(written.assessment.metrics.recommendation)
    return talk if circle is None else talk.stopped(circle)


def judge(context: ForumContext, talk: Talk) -> RoundRecord:
    """A round's figures: what the wording shows (a hint for people, nothing is decided by it), and circles."""
    last, role = talk.rounds[-1], ForumRole.SPEECH.value
    spoken = [floor_round for floor_round in talk.rounds if floor_round.selected is not None]
    taken = [
        RoundTaken(floor_round.number, role, (contribution(floor_round),)) for floor_round in spoken
    ]
    circle = detect_loop(
        [contribution(floor_round) for floor_round in spoken if floor_round.speech is not None]
    )
    reason = None if circle is Recommendation.CONTINUE else notice("forum_repeats")
    return RoundRecord(
        assessment=Assessment(
            round=last.number,
            metrics=assess_wording(taken).model_copy(update={"recommendation": circle}),
            answered=last.present,
            expected=len(last.bids),
            quorum=context.quorum,
            reason=reason,
        ),
        findings=(),
        stances=(),
    )


def contribution(floor_round: FloorRound) -> Contribution:
    """A speech, or the gap where one should have been, as the detectors see it."""
    answered = floor_round.speech is not None
    role = ForumRole.SPEECH.value
    return Contribution(
        floor_round.selected or "", role, floor_round.speech or "", answered=answered
    )
