"""Rounds of floor requests, selections and speeches, until something ends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.consensus.detectors.lexical import assess_wording
from orchestrator.core.consensus.loop_detection import detect_loop
from orchestrator.core.discussion.turn_results import why_failed
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
from orchestrator.workflows.forum.context import (
    FloorSpeech,
    ForumContext,
    ForumRound,
    StopReason,
    Talk,
    refused,
    shorter,
    time_left,
    within,
)
from orchestrator.workflows.forum.floor import (
    FloorChoice,
    FloorRequest,
    FloorStanding,
    Why,
    choose,
    standings,
)
from orchestrator.workflows.forum.opening import commit
from orchestrator.workflows.forum.prompts import NumberedSpeech
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.assessment import Assessment, Recommendation
from shared.models.deliberation import Bid, Selection, Speech
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.steps import StepResult

# An orchestrator that failed so often in a row is not asked for speakers any more.
DEAF_AFTER = 2

_IN_CIRCLES = {
    Recommendation.LOOPING: StopReason.LOOPING,
    Recommendation.OSCILLATING: StopReason.OSCILLATING,
}


def discuss(context: ForumContext) -> Effect[Talk]:
    """Openings, then rounds until the orchestrator ends it, nobody has anything to say, or a bound is reached."""
    talk = Talk()
    if context.options.blind_opening:
        talk = yield from commit(context, talk)
    if talk.stop is not None:
        return talk
    for number in range(1, context.options.max_rounds + 1):
        talk = yield from hold_round(context, number, talk)
        if talk.stop is not None:
            return talk
        if context.options.timeout_s is not None and talk.elapsed_s >= context.options.timeout_s:
            return talk.stopped(StopReason.TIMEOUT)
    return talk.stopped(StopReason.MAX_ROUNDS)


def hold_round(context: ForumContext, number: int, talk: Talk) -> Effect[Talk]:
    """Who wants the floor, who gets it, what is said."""
    before = talk.exchanges[-1] if talk.exchanges else None
    reminded = before is not None and before.quiet
    yield from phase("RequestingFloor")
    talk, asked = yield from request_floor(context, number, talk, reminded=reminded)
    exchange = ForumRound(number, asked, reminded=reminded)
    if talk.stop is not None:
        return with_exchange(talk, exchange)
    if exchange.quiet and (reminded or not talk.speeches):
        talk = with_exchange(talk, exchange)
        return talk.stopped(StopReason.ALL_PASSED) if reminded else talk
    everybody = standings(
        [one.name for one in context.participants],
        [(one.asked, one.choice.speaker if one.choice else None) for one in talk.exchanges],
        asked,
    )
    yield from phase("Selecting")
    talk, wish = yield from select(context, number, talk, everybody)
    if talk.stop is not None:
        return with_exchange(talk, exchange)
    choice = grant(context, everybody, wish)
    if choice is None:
        return with_exchange(talk, exchange)
    talk = talk.warned(*overruled(number, choice))
    yield from phase("Speaking")
    return (yield from speak(context, talk, replace(exchange, choice=choice)))


def request_floor(
    context: ForumContext, number: int, talk: Talk, *, reminded: bool
) -> Effect[tuple[Talk, tuple[FloorRequest, ...]]]:
    """Ask everyone at once. A missing answer counts as a pass; with no answers at all, nobody is there."""
    speeches = headings(talk)
    limit_s = shorter(context.options.bid_timeout_s, time_left(context, talk))
    results = yield from together(
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
    spoken = list(zip(context.participants, results, strict=True))
    talk = talk.hearing(spoken)
    asked = tuple(_asked(speaker, result) for speaker, result in spoken)
    there = sum(one.missing is None for one in asked)
    talk = talk.warned(
        *(
            notice(
                "forum_no_bid",
                who=speaker.name,
                round=number,
                answered=there,
                asked=len(asked),
                why=why_failed(result.failure),
            )
            for speaker, result in spoken
            if result.failure is not None
        )
    )
    if (stop := refused(results)) is not None:
        return talk.stopped(stop), asked
    return (talk if there else talk.stopped(StopReason.NOBODY_THERE)), asked


def _asked(speaker: Participant, result: StepResult) -> FloorRequest:
    if result.failure is not None:
        return FloorRequest(speaker.name, asks=False, missing=why_failed(result.failure))
    bid = Bid.model_validate(result.reply)
    return FloorRequest(speaker.name, bid.action == "REQUEST", bid.reason)


def select(
    context: ForumContext, number: int, talk: Talk, everybody: Sequence[FloorStanding]
) -> Effect[tuple[Talk, Selection | None]]:
    """The orchestrator's wish. END ends the discussion once somebody has spoken; a dead orchestrator wishes nothing."""
    if talk.deaf_rounds >= DEAF_AFTER:
        return talk, None
    left = context.options.max_rounds - number
    result = yield from single(
        Turn(
            key=f"selection/{number}",
            participant=within(context.orchestrator, time_left(context, talk)),
            role=ForumRole.SELECTION,
            round=number,
            reply_model="selection",
            prompt=partial(
                context.prompts.selection, headings(talk), everybody, context.options.patience, left
            ),
        )
    )
    talk = talk.hearing([(context.orchestrator, result)])
    if (stop := refused([result])) is not None:
        return talk.stopped(stop), None
    if result.failure is not None:
        deaf_rounds = talk.deaf_rounds + 1
        warning = notice(
            "forum_selects_no_more" if deaf_rounds >= DEAF_AFTER else "forum_selected_nobody",
            who=context.orchestrator.name,
            round=number,
            why=why_failed(result.failure),
        )
        return replace(talk.warned(warning), deaf_rounds=deaf_rounds), None
    wish = context.prompts.named(Selection.model_validate(result.reply))
    talk = replace(talk, deaf_rounds=0)
    if wish.action == "END" and talk.speeches:
        talk = replace(talk, conclusion=wish.conclusion, conclusion_reason=wish.reason)
        return talk.stopped(StopReason.CONCLUDED), None
    return talk, wish


def grant(
    context: ForumContext, everybody: Sequence[FloorStanding], wish: Selection | None
) -> FloorChoice | None:
    """Who speaks; nobody when nobody asks and the orchestrator calls on nobody that may speak."""
    patience = context.options.patience
    if wish is not None and wish.action == "END":
        choice = choose(everybody, None, patience, wish.reason)
        return replace(choice, why=Why.TOO_EARLY_TO_END, reason=wish.reason)
    wished = None if wish is None else wish.speaker
    choice = choose(everybody, wished, patience, "" if wish is None else wish.reason)
    nobody_asks = not any(one.asks for one in everybody)
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
    """What is to be said when the orchestrator's wish was not followed."""
    if choice.why not in _OVERRULED or (
        choice.wished is None and choice.why is not Why.TOO_EARLY_TO_END
    ):
        return ()
    code = f"forum_overruled_{choice.why}"
    return (notice(code, round=number, who=choice.speaker, wished=choice.wished),)


def speak(context: ForumContext, talk: Talk, exchange: ForumRound) -> Effect[Talk]:
    """The chosen one speaks and all will hear it; a speech that does not come is a gap."""
    assert exchange.choice is not None
    choice, number = exchange.choice, exchange.number
    speaker = next(one for one in context.participants if one.name == choice.speaker)
    result = yield from single(
        Turn(
            key=f"speech/{number}/{speaker.name}",
            participant=within(speaker, time_left(context, talk)),
            role=ForumRole.SPEECH,
            round=number,
            reply_model="speech",
            prompt=partial(
                context.prompts.speech,
                speaker,
                headings(talk),
                called=choice.why is Why.CALLED_ON,
            ),
        )
    )
    talk = talk.hearing([(speaker, result)])
    text = None if result.failure else Speech.model_validate(result.reply).speech
    if result.failure is not None:
        talk = talk.warned(
            notice(
                "forum_said_nothing",
                who=speaker.name,
                round=number,
                why=why_failed(result.failure),
            )
        )
    talk = with_exchange(talk, replace(exchange, said=FloorSpeech(number, speaker.name, text)))
    if (stop := refused([result])) is not None:
        return talk.stopped(stop)
    written = yield from record(f"round/{number}", RoundRecord, partial(judge, context, talk))
    circle = _IN_CIRCLES.get(written.assessment.metrics.recommendation)
    return talk if circle is None else talk.stopped(circle)


def judge(context: ForumContext, talk: Talk) -> RoundRecord:
    """A round's figures: what the wording shows (a hint for people, nothing is decided by it), and circles."""
    exchange = talk.exchanges[-1]
    taken = [
        RoundTaken(exchange.number, ForumRole.SPEECH.value, (contribution(exchange.said),))
        for exchange in talk.exchanges
        if exchange.said is not None
    ]
    circle = detect_loop([contribution(speech) for speech in talk.speeches])
    reason = None if circle is Recommendation.CONTINUE else notice("forum_repeats")
    return RoundRecord(
        assessment=Assessment(
            round=exchange.number,
            metrics=assess_wording(taken).model_copy(update={"recommendation": circle}),
            answered=sum(one.missing is None for one in exchange.asked),
            expected=len(exchange.asked),
            quorum=ConvergenceRule(quorum=context.options.quorum).quorum_of(len(exchange.asked)),
            reason=reason,
        ),
        findings=(),
        stances=(),
    )


def contribution(speech: FloorSpeech) -> Contribution:
    """A speech, or the gap where one should have been, as the detectors see it."""
    return Contribution(
        speech.participant,
        ForumRole.SPEECH.value,
        speech.text or "",
        answered=speech.text is not None,
    )


# ---- shared by the turns ------------------------------------------------------------------------


def with_exchange(talk: Talk, exchange: ForumRound) -> Talk:
    """The same with the round written down."""
    return replace(talk, exchanges=(*talk.exchanges, exchange))


def headings(talk: Talk) -> tuple[NumberedSpeech, ...]:
    """What has been said, as it is shown to everybody."""
    return tuple(
        NumberedSpeech(number, one.participant, one.text or "")
        for number, one in enumerate(talk.speeches, 1)
    )
