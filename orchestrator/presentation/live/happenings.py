"""What there is to say when steps begin and end, by role: one table for each, and the roles that need more words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import ValidationError

from orchestrator.core.document import SEVERITY_STYLES, Line, Span, Style, block, line, voice
from orchestrator.core.views.context import took_s, why_failed
from orchestrator.presentation.formats.text import raised_line
from orchestrator.presentation.locale.words import count, role_word, say, told
from orchestrator.presentation.report import ROUND_ROLES, RecordedAssessment
from orchestrator.workflows.forum.rounds import BidSeen, RoundSeen, rounds_of_steps
from shared.models.findings import RaisedFinding
from shared.models.panel import Role
from shared.models.rows import StepRow

SHORT = 100
INDENT = "    "


class Manner(Enum):
    """`LINES` stand alone, in a log; `LIVE` ones stand above a picture that shows the rest."""

    LINES = "lines"
    LIVE = "live"


@dataclass(frozen=True)
class Moment:
    """A run at the moment of which it is told. `most_rounds` is None where nothing goes round."""

    most_rounds: int | None
    steps: tuple[StepRow, ...]
    language: str
    manner: Manner
    critics: tuple[str, ...] = ()

    def say(self, word: str, **values: object) -> str:
        """The sentence in the reader's language."""
        return say(word, self.language, **values)

    def voice(self, step: StepRow) -> Style:
        """The style of the name of whoever has the step."""
        return voice(step.participant, self.critics)


# ---- beginnings ---------------------------------------------------------------------------------

# A sentence for each role of which there is one stage in a run, or whose stage needs no number.
_BEGINS: dict[str, str] = {
    Role.ANSWER: "asks_answers",
    Role.RANKING: "asks_rankings",
    Role.JUDGEMENT: "asks_judgement",
}
# Their result says all there is to say.
_SILENT = frozenset({Role.SELECTION, Role.MODERATION})
# Where nobody else is asked, a failure ends the run: its result follows at once, and says the whole reason.
_ENDING = frozenset({Role.ANSWER, Role.CRITIQUE})


def says_when_it_starts(step: StepRow) -> bool:
    """True for a step that is announced also when its stage is known already."""
    return step.role == Role.SPEECH


def began(group: Sequence[StepRow], moment: Moment) -> list[Line]:
    """A stage begins; `group` are its steps."""
    first = group[0]
    if first.role in _SILENT:
        return []
    if first.role == Role.BID:
        return _floor_is_open(first, moment)
    if first.role == Role.SPEECH:
        return [_given_the_floor(first, moment)]
    turns = Counter(step.participant for step in group)  # a large change is read in portions
    who = ", ".join(f"{name} ({n})" if n > 1 else name for name, n in turns.items())
    return [line(Span(_beginning(group, who, moment), Style.STRONG))]


def _beginning(group: Sequence[StepRow], who: str, moment: Moment) -> str:
    first = group[0]
    role = role_word(first.role, moment.language)
    if first.role == Role.ARGUMENT and len(group) == 1:
        return moment.say("round_opens", n=first.round, role=role)
    if first.role in ROUND_ROLES:
        return moment.say("round_starts", n=first.round, role=role, who=who)
    if first.role == Role.BALLOT:
        return moment.say("asks_opening" if first.round == 0 else "asks_ballots", who=who)
    if first.role == Role.SYNTHESIS and first.key == "conclusion":
        return f"[O] {moment.say('asks_conclusion', who=who)}"
    if first.role == Role.PLAN:
        return moment.say("asks_plan", who=who, version=_version(first, moment))
    word = _BEGINS.get(first.role)
    return moment.say(word, who=who) if word else moment.say("starts", role=role, who=who)


def _version(step: StepRow, moment: Moment) -> str:
    return moment.say("plan_version", n=max(step.round, 1))


def _floor_is_open(first: StepRow, moment: Moment) -> list[Line]:
    number = (
        moment.say("round_n", n=first.round)
        if moment.most_rounds is None
        else moment.say("round_of", n=first.round, most=moment.most_rounds)
    )
    said = line(
        Span(f"[O] {moment.say('asks_floor')}", Style.STRONG), Span(f" {number}", Style.DIM)
    )
    return [line(""), said] if moment.manner is Manner.LIVE else [said]


def _given_the_floor(step: StepRow, moment: Moment) -> Line:
    seen = _round(step.round, moment)
    how = f" ({moment.say('by_rule')})" if seen.by_rule else ""
    why = f" — {_short(seen.said)}" if seen.said else ""
    chosen = Span(moment.say("selects", who=step.participant), moment.voice(step))
    return line(INDENT, chosen, Span(f"{how}{why}", Style.DIM))


def _round(number: int, moment: Moment) -> RoundSeen:
    return next(one for one in rounds_of_steps(moment.steps) if one.number == number)


# ---- ends ---------------------------------------------------------------------------------------


def ended(step: StepRow, moment: Moment) -> list[Line]:
    """A step has ended."""
    missing = why_failed(step)
    if missing is not None:
        return [line(Span(f"⚠ {_failure(step, missing, moment)}", Style.WARNING))]
    teller = _TELLERS.get(step.role)
    return _answered(step, moment) if teller is None else teller(step, step.reply or {}, moment)


def _failure(step: StepRow, why: str, moment: Moment) -> str:
    if step.role == Role.SPEECH:
        return moment.say("no_speech", who=step.participant, why=why)
    if moment.critics == (step.participant,) and step.role in _ENDING and step.failure_kind:
        why = step.failure_kind
    return moment.say("step_failed", key=step.key, why=why)


Reply = Mapping[str, Any]
Teller = Callable[[StepRow, Reply, Moment], list[Line]]


def _answered(step: StepRow, moment: Moment) -> list[Line]:
    """A contribution that raises findings, or any other one."""
    raised = _raised(step)
    what = count("with_findings", moment.language, len(raised)) if raised else ""
    said = moment.say("answered", who=step.participant, what=what, s=_took_s(step))
    return [line(said, _note(step)), *(raised_line(one, step.participant) for one in raised)]


def _answer(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    said = moment.say("answered", who=step.participant, what="", s=_took_s(step))
    stated = _confidence(reply, moment)
    told = line(Span("✓ ", Style.GOOD), said, Span(stated, Style.DIM), _note(step))
    if moment.manner is Manner.LIVE:
        return [told]
    return [told, *block(_short(str(reply.get("answer") or "")), indent=INDENT)]


def _ranking(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    why = f" — {_short(reply['reason'])}" if reply.get("reason") else ""
    said = moment.say("ranking_came", who=step.participant)
    return [line(said, Span(why, Style.DIM), _note(step))]


def _bid(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    del moment
    asks = reply.get("action") == "REQUEST"
    seen = BidSeen(step.participant, asks, str(reply.get("reason") or ""))
    why = f" ({_short(seen.reason)})" if seen.reason else ""
    return [line(f"{INDENT}{seen.participant} {seen.sign}", Span(why, Style.DIM))]


def all_bids(number: int, moment: Moment) -> list[Line]:
    """`Claude: ✋  Gemini: ✋  Codex: 💤`"""
    bids = _round(number, moment).bids
    lines = [line(INDENT, "  ".join(f"{bid.participant}: {bid.sign}" for bid in bids))]
    if not any(bid.asks for bid in bids):
        lines.append(line(INDENT, Span(moment.say("nobody_asks"), Style.DIM)))
    return lines


def _selection(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    """Whoever got the floor is told when it speaks; only an end is told here."""
    del step
    if reply.get("action") != "END":
        return []
    head = line(Span(f"[O] {moment.say('ends_forum')}", Style.STRONG))
    return [head, *block(str(reply.get("conclusion") or ""), indent=INDENT)]


def _speech(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    live = moment.manner is Manner.LIVE
    head = line(Span(f"[{step.participant}] 🎤", moment.voice(step)), _note(step))
    said = block(str(reply.get("speech") or ""), indent="" if live else INDENT)
    return [line(""), head, *said] if live else [head, *said]


def _synthesis(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    if "conclusion" in reply:
        head = line(Span(f"[O] {step.participant}:", Style.STRONG))
        return [head, *block(str(reply["conclusion"]), indent=INDENT)]
    return _answered(step, moment)


def _ballot(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    stated = _confidence(reply, moment)
    if step.round == 0:
        return [_position(step, reply, moment)]
    position = reply.get("position")
    what = moment.say(f"position_{position}") if position else str(reply.get("choice") or "-")
    why = f" — {_short(reply['reason'])}" if reply.get("reason") else ""
    said = moment.say("ballot_came", who=step.participant, what=what)
    return [line(said, Span(f"{stated}{why}", Style.DIM))]


def _argument(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    said = block(str(reply.get("argument") or ""), indent=INDENT)
    return [_position(step, reply, moment), *said]


def _position(step: StepRow, reply: Reply, moment: Moment) -> Line:
    position = str(reply.get("position") or "-")
    return line(
        Span(step.participant, moment.voice(step)),
        f": {position}",
        Span(_confidence(reply, moment), Style.DIM),
        _note(step),
    )


def _moderation(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    score = reply.get("consensus_score")
    told = moment.say("no_score") if score is None else moment.say("consensus_score", score=score)
    feedback = f" — {_short(reply['feedback'])}" if reply.get("feedback") else ""
    said = moment.say("moderation_came", who=step.participant, what=told)
    return [line(Span(said, Style.STRONG), Span(feedback, Style.DIM))]


def _judgement(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    verdict = _short(str(reply.get("verdict") or "-"))
    said = moment.say("judgement_came", who=step.participant, what=verdict)
    return [line(Span(said, Style.STRONG), Span(_confidence(reply, moment), Style.DIM))]


def _plan(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    said = moment.say("plan_came", who=step.participant, version=_version(step, moment))
    took = moment.say("seconds", s=_took_s(step))
    first = _short(str(reply.get("plan") or ""))
    return [line(said, Span(f" ({took})", Style.DIM)), line(INDENT, Span(first, Style.DIM))]


def _objections(step: StepRow, reply: Reply, moment: Moment) -> list[Line]:
    raised = _raised(step)
    what = f", {count('objections', moment.language, len(raised))}" if raised else ""
    took = moment.say("seconds", s=_took_s(step))
    head = line(f"{step.participant}: {reply.get('verdict')}{what}", Span(f" ({took})", Style.DIM))
    return [head, *(_objection(one) for one in raised)]


def _objection(one: RaisedFinding) -> Line:
    return line(INDENT, Span(one.severity.value, SEVERITY_STYLES[one.severity]), f" {one.title}")


_TELLERS: dict[str, Teller] = {
    Role.ANSWER: _answer,
    Role.RANKING: _ranking,
    Role.BID: _bid,
    Role.SELECTION: _selection,
    Role.SPEECH: _speech,
    Role.SYNTHESIS: _synthesis,
    Role.BALLOT: _ballot,
    Role.ARGUMENT: _argument,
    Role.MODERATION: _moderation,
    Role.JUDGEMENT: _judgement,
    Role.PLAN: _plan,
    Role.CHALLENGE: _objections,
    Role.RISK: _objections,
    Role.INNOVATION: _objections,
    Role.CROSS_REVIEW: _objections,
}


def _took_s(step: StepRow) -> float:
    return took_s(step) or 0.0


def _note(step: StepRow) -> Span:
    return Span(f" ({step.note})" if step.note else "", Style.DIM)


def _confidence(reply: Reply, moment: Moment) -> str:
    value = reply.get("confidence")
    return "" if value is None else f" ({moment.say('confidence', value=value)})"


def _short(text: str) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= SHORT else flat[: SHORT - 1].rstrip() + "…"


def _raised(step: StepRow) -> list[RaisedFinding]:
    found = (step.reply or {}).get("findings") or []
    try:
        return [RaisedFinding.model_validate(one) for one in found]
    except ValidationError:
        return []


# ---- rounds -------------------------------------------------------------------------------------


# What the figures of an ending rest on where votes were counted.
_COUNTED = frozenset({"ballots", "positions"})


def assessed(recorded: RecordedAssessment, moment: Moment) -> Line:
    """A round's figures, or how the discussion ended."""
    figures = recorded.figures
    how = figures.ending or figures.metrics.recommendation
    if "round/" in recorded.key:
        word = "assessed"
    else:  # without a vote the last round's figures stand, which are no support
        word = "ended_as" if figures.metrics.detector in _COUNTED else "ended_without_vote"
    text = moment.say(
        word,
        n=figures.round,
        score=figures.metrics.overall_score,
        recommendation=moment.say(f"how_{how.value}"),
    )
    reason = f" — {told(figures.reason, moment.language)}" if figures.reason else ""
    return line(Span(text, Style.STRONG), Span(reason, Style.DIM))
