"""What a workflow says of itself. Everything else about it is derived from this: see docs/design/workflows.md.

A description is read by every command that knows options, flags or participants, so it is light: what only a run that
goes on needs (`WorkflowLogic`) and what only a run that is shown needs (`WorkflowDisplay`, in `display.py`) stand in
modules that it names, and which are loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Generic

from pydantic import BaseModel

from orchestrator.core.discussion.estimate import ExpectedCall, Price
from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import OptionsT, PartType
from orchestrator.core.replay.commands import Effect, RecordBody, RoundRecord, Workflow, decide
from orchestrator.core.replay.materials import Materials
from orchestrator.core.setting import Setting, settings_of
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.notices import Notice
from shared.models.panel import Panel, Participant
from shared.models.run import DecisionPolicy, RunSpec
from shared.models.workspace import OwnChangeUse


class SubjectKind(StrEnum):
    """What a workflow looks at: a captured change, a question with its files, a clinical case, or a coding task."""

    CHANGE = "change"
    QUESTION = "question"
    CASE = "case"
    TASK = "task"


@dataclass(frozen=True)
class Choice:
    """An answer that a decision offers, and the key that is typed for it.

    One that `writes` lets something be changed for good: a fork never takes it over. That and one that `picks` may be
    given for a part of what is offered. One that `asks_why` is worth a message.
    """

    word: str
    key: str
    writes: bool = False
    asks_why: bool = False
    picks: bool = False


@dataclass(frozen=True)
class DecisionType:
    """A question to a person: its kind, the answers in the order in which they are offered, and what silence means.

    `synonyms` are words of the settings that mean one of them here.
    """

    kind: str
    choices: tuple[Choice, ...]
    on_timeout: str
    synonyms: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        """Every answer that is offered."""
        return tuple(choice.word for choice in self.choices)

    def ask(
        self,
        key: str,
        policy: DecisionPolicy,
        prompt: str,
        shown: Callable[[], dict[str, Any]],
        selectable: tuple[str, ...] = (),
    ) -> Effect[DecisionAnswer]:
        """Put it to a person, bound to exactly what is shown; or the policy's answer at once."""
        if (choice := self.answer(policy)) is not None:
            return DecisionAnswer(choice=choice, actor="policy", channel="policy")
        question = DecisionQuestion(
            kind=self.kind,
            prompt=prompt,
            options=self.words,
            shown=shown(),
            selectable=selectable,
            timeout_s=policy.timeout_s,
            on_timeout=self.silence(policy),
        )
        return (yield from decide(key, question))

    def answer(self, policy: DecisionPolicy) -> str | None:
        """What the policy answers at once; None where a person is asked."""
        mode = self.synonyms.get(policy.mode, policy.mode)
        return mode if mode in self.words else None

    def silence(self, policy: DecisionPolicy) -> str:
        """What an unanswered question comes to."""
        word = self.synonyms.get(policy.on_timeout, policy.on_timeout)
        return word if word in self.words else self.on_timeout


def _no_gate(_options: BaseModel) -> GateRule:
    return GateRule()


def _no_limit(_options: BaseModel) -> float | None:
    return None


def _as_they_are(options: OptionsT, _panel: Panel, _price: Price) -> OptionsT:
    return options


def _nothing_else(_spec: RunSpec) -> RunSpec | None:
    return None


def _never(_words: str, _options: Mapping[str, Any]) -> OwnChangeUse:
    return OwnChangeUse.NO


def _no_objection(_panel: Panel, _options: BaseModel) -> str | None:
    return None


@dataclass(frozen=True)
class WorkflowLogic(Generic[OptionsT]):
    """What happens in a run.

    `expected` are the calls that a run may make, from its specification and the tokens of its subject (None: nobody
    can foresee them). `settled` are the options with what follows from panel and prices at the submission; `instead`
    is the larger run that a smaller one may save. `takes_own_change` says, from the words of a task and the options
    that were given, whether it is about what its author has changed: that is captured with it then.
    """

    start: Callable[[RunSpec, Materials], Workflow]
    expected: Callable[[RunSpec, int], Iterator[ExpectedCall]] | None = None
    settled: Callable[[OptionsT, Panel, Price], OptionsT] = _as_they_are
    instead: Callable[[RunSpec], RunSpec | None] = _nothing_else
    takes_own_change: Callable[[str, Mapping[str, Any]], OwnChangeUse] = _never


@cache
def _named(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


@dataclass(frozen=True)
class WorkflowType(Generic[OptionsT]):
    """A workflow. Runs of the versions from `oldest` on are still finished as they were begun: it looks at
    `spec.workflow_version` where the versions differ.

    `logic` and `record_types` are given, or named by the module whose `LOGIC` or `RECORDS` they are; `display` is named
    by the module whose `DISPLAY` it is, or as `module:NAME`.

    `section` is where the configuration has its own options (empty: nowhere). `record_types` are those of the
    facts that it writes into the journal; `starts` the workflows of its child runs, which never lead back to it.
    `commands` are the options that hold a command to run: submitting enters it on this machine.
    With `finds` its verdict follows from findings. `round_roles` contribute to rounds that are assessed when all of
    them are there; `rounds` is how many it takes at most, `objection` why it cannot be held with a panel, `lasts_s` how
    long its discussion may take before it concludes. `disclaimers` are what every report says first. `help` and
    `examples` are its command's. `counts_answers`: a quorum only says how many must answer; elsewhere one that is set
    allows absences besides.
    """

    name: str
    version: int
    options: type[OptionsT]
    logic: WorkflowLogic[OptionsT] | str
    subject: SubjectKind
    parts: tuple[PartType[OptionsT], ...]
    oldest: int | None = None
    display: str = "orchestrator.workflows.display"
    section: str = ""
    record_types: tuple[type[RecordBody], ...] | str = (RoundRecord,)
    decisions: tuple[DecisionType, ...] = ()
    starts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    finds: bool = False
    counts_answers: bool = False
    gate: Callable[[OptionsT], GateRule] = _no_gate
    round_roles: tuple[str, ...] = ()
    rounds: Callable[[OptionsT], int] | None = None
    objection: Callable[[Panel, OptionsT], str | None] = _no_objection
    lasts_s: Callable[[OptionsT], float | None] = _no_limit
    disclaimers: tuple[Notice, ...] = ()
    help: str = ""
    examples: tuple[str, ...] = ()

    @property
    def run(self) -> WorkflowLogic[OptionsT]:
        """What happens in a run; loaded now where it is only named."""
        if not isinstance(self.logic, str):
            return self.logic
        loaded: WorkflowLogic[OptionsT] = _named(self.logic, "LOGIC")
        return loaded

    @property
    def records(self) -> tuple[type[RecordBody], ...]:
        """The types of the facts that it writes into the journal; loaded now where they are only named."""
        if not isinstance(self.record_types, str):
            return self.record_types
        loaded: tuple[type[RecordBody], ...] = _named(self.record_types, "RECORDS")
        return loaded

    @property
    def critics(self) -> PartType[OptionsT]:
        """The part that several hold."""
        return next(part for part in self.parts if part.many)

    @property
    def assesses(self) -> bool:
        """Whether its rounds are assessed."""
        return RoundRecord in self.records

    @property
    def quorum(self) -> Setting | None:
        """The setting that says how many must answer; None where nothing does."""
        return dict(settings_of(self.options)).get("quorum")

    def knows(self, version: int) -> bool:
        """Whether this code can go on with a run of that version."""
        return (self.oldest or self.version) <= version <= self.version

    def options_of(self, spec: RunSpec) -> OptionsT:
        """A run's options."""
        return self.options.model_validate(spec.options)

    def parts_of(self, spec: RunSpec) -> tuple[tuple[PartType[OptionsT], Participant], ...]:
        """Who takes part in a run, and as what."""
        options = self.options_of(spec)
        return tuple(
            (part, holder) for part in self.parts for holder in part.holders(spec.panel, options)
        )

    def gate_of(self, spec: RunSpec) -> GateRule:
        """The gate of a run."""
        return self.gate(self.options_of(spec))

    def rounds_of(self, spec: RunSpec) -> int | None:
        """The maximum number of rounds of a run; None where there are none."""
        return None if self.rounds is None else self.rounds(self.options_of(spec))

    def strategy_of(self, spec: RunSpec) -> str | None:
        """The variant of the workflow that a run is; None where there are none."""
        strategy: str | None = getattr(self.options_of(spec), "strategy", None)
        return strategy

    def objection_of(self, spec: RunSpec) -> str | None:
        """Why a run of this panel cannot be held; None when it can."""
        return self.objection(spec.panel, self.options_of(spec))

    def calls_of(self, spec: RunSpec, subject_tokens: int) -> tuple[ExpectedCall, ...] | None:
        """The calls that a run may make; None where nobody can foresee them."""
        expected = self.run.expected
        return None if expected is None else tuple(expected(spec, subject_tokens))

    def takes_own_change(self, options: Mapping[str, Any], words: str) -> OwnChangeUse:
        """Whether a task of these words is about what its author has changed."""
        return self.run.takes_own_change(words, options)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every answer that its decisions offer."""
        return tuple(choice for decision in self.decisions for choice in decision.choices)

    def writes(self, word: str | None) -> bool:
        """Whether that answer lets something be changed for good."""
        return any(choice.writes for choice in self.choices if choice.word == word)

    def asks_why(self, word: str) -> bool:
        """Whether that answer is worth a message."""
        return any(choice.asks_why for choice in self.choices if choice.word == word)
