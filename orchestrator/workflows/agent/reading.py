"""What a request asks for: by rules, and where they are unsure by a participant, in one short turn.

The participant's answer is a mode and whether something is to be changed, nothing else: approval, rules and commands
are the options'. A missing, late or unusable answer leaves the rules' reading, and the run says so.
"""

from __future__ import annotations

from orchestrator.core.discussion.turn_results import TurnResult, why_failed
from orchestrator.core.replay.commands import Effect, Turn, record, single
from orchestrator.workflows.agent.context import AgentContext, AgentProceedings
from orchestrator.workflows.agent.intent import read_intent
from orchestrator.workflows.agent.modes import INTENTS, AgentMode, mode_words
from orchestrator.workflows.agent.options import IntentReader
from orchestrator.workflows.agent.records import IntentRecord
from orchestrator.workflows.agent.roles import AgentRole
from shared.models.agent import RequestReading
from shared.models.notices import notice
from shared.models.panel import Participant
from shared.models.workspace import OwnChangeUse

READS_FROM = 2
"""The version of the workflow since which participants are asked."""
MOST_SECONDS = 60.0
MOST_TOKENS = 2048
TYPED = "typed"
_NEEDS_A_TARGET = frozenset({AgentMode.IMPLEMENTATION, AgentMode.REFACTOR, AgentMode.MULTI_FILE})
_OF_OWN_CHANGE = frozenset({AgentMode.QA, AgentMode.GIT})


def read_request(context: AgentContext, proceedings: AgentProceedings) -> Effect[IntentRecord]:
    """The reading that counts; the rules' own stands in the journal before anybody is asked."""
    by_rules = yield from record("intent", IntentRecord, lambda: understood(context))
    reader = reader_of(context, by_rules)
    if reader is None:
        return by_rules
    result = yield from single(_turn(context, reader))
    # A call that the budget refused is no reason to stop: much needs no model.
    proceedings.turns.append(TurnResult(reader.name, result))
    if result.failure is not None:
        why, rules = why_failed(result.failure), mode_words(by_rules.goal)
        proceedings.warn(notice("agent_intent_unread", who=reader.name, why=why, mode=rules))
        return by_rules
    reading = RequestReading.model_validate(result.reply)
    final = yield from record(
        "intent/read", IntentRecord, lambda: _read(by_rules, reader.name, reading)
    )
    modes = {"mode": mode_words(final.goal), "rules": mode_words(by_rules.goal)}
    proceedings.facts.append(notice("agent_intent_read", who=reader.name, **modes))
    return final


def understood(context: AgentContext) -> IntentRecord:
    """What the request asks for by the rules; a mode that was typed is the goal."""
    intent = read_intent(context.task.text)
    goal = context.options.mode or intent.mode
    return IntentRecord(
        goal=_goal(goal),
        navigation=intent.navigation,
        target=intent.target or "",
        wants_change=intent.wants_change or goal in _NEEDS_A_TARGET,
        rule=TYPED if context.options.mode else intent.name,
        lead=round(intent.lead, 2),
        sure=intent.sure,
    )


def reader_of(context: AgentContext, by_rules: IntentRecord) -> Participant | None:
    """Who is asked what the request asks for: the coder, else the first model that reviews; never a person."""
    if context.spec.workflow_version < READS_FROM or by_rules.rule == TYPED:
        return None
    if not _is_asked(context.options.intent, sure=by_rules.sure):
        return None
    there = (context.coder, *context.spec.panel.critics)
    return next((each for each in there if each is not None and each.is_model), None)


def first_trigger(intent: IntentRecord) -> str:
    """Code, tests among it, is written after its place was found; everything else begins where it is wanted."""
    goal = intent.goal
    writes_tests = goal is AgentMode.TEST and intent.wants_change
    if (goal is AgentMode.IMPLEMENTATION or writes_tests) and intent.rule != TYPED:
        goal = AgentMode.CONTEXT_NAV
    return INTENTS[goal]


def commits_unasked(context: AgentContext, intent: IntentRecord) -> bool:
    """Whether `auto_commit` counts. A commit that is the first mode passes no test and no review, so no reading of a
    text leads there without a person, whoever read it: only a typed mode does.
    """
    only_read = intent.goal is AgentMode.GIT and intent.rule != TYPED
    return context.options.auto_commit and not only_read


def is_of_own_change(intent: IntentRecord) -> bool:
    """Whether the work is what the task's author has changed: a review or a commit was asked for."""
    return intent.goal in _OF_OWN_CHANGE


def own_change_use(words: str, mode: str | None, reader: str) -> OwnChangeUse:
    """Whether the author's change has to be captured: a review or a commit is asked for, or may turn out to be."""
    intent = read_intent(words)
    if (mode or intent.mode) in _OF_OWN_CHANGE:
        return OwnChangeUse.NEEDED
    open_still = mode is None and _is_asked(reader, sure=intent.sure)
    return OwnChangeUse.POSSIBLE if open_still else OwnChangeUse.NO


def _is_asked(reader: str, *, sure: bool) -> bool:
    """Whether a participant says what is asked for."""
    return reader == IntentReader.ALWAYS or (reader == IntentReader.UNSURE and not sure)


def _goal(mode: AgentMode) -> AgentMode:
    return AgentMode.CONTEXT_NAV if mode is AgentMode.IDLE else mode


def _read(by_rules: IntentRecord, name: str, reading: RequestReading) -> IntentRecord:
    goal = _goal(reading.mode)
    return by_rules.model_copy(
        update={
            "goal": goal,
            "wants_change": reading.changes or goal in _NEEDS_A_TARGET,
            "rule": INTENTS[goal],
            "read_by": name,
            "rules_goal": by_rules.goal,
        }
    )


def _turn(context: AgentContext, reader: Participant) -> Turn:
    """One short call: whoever answers late is not waited for."""
    brief = reader.model_copy(
        update={
            "persona": None,
            "timeout_s": min(reader.timeout_s, MOST_SECONDS),
            "max_output_tokens": min(reader.max_output_tokens, MOST_TOKENS),
        }
    )
    return Turn(
        key=f"intent/{reader.name}",
        participant=brief,
        role=AgentRole.INTENT,
        round=0,
        reply_model="agent.intent",
        prompt=context.prompts.intent,
        temperature=0.0,
    )
