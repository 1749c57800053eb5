"""Run a workflow on what is recorded of another run of it: with other options, or with other code.

`replay` wants a journal that explains itself and goes on from its end; this walk takes what fits and says what does
not: steps that would be asked for and are not there, recorded ones that would never be asked for, and those that are
recorded under the same name as another turn. Nothing is guessed: the walk ends where the first result is missing.

A round's record is computed again unless the written ones are asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from orchestrator.core.replay.commands import (
    ChildRun,
    Decide,
    Outcome,
    Phase,
    Record,
    RecordBody,
    RoundRecord,
    Sent,
    Step,
    Together,
    ToolRun,
    Turn,
    Workflow,
)
from orchestrator.core.replay.replay import Journal, fingerprint
from shared.models.decision import DecisionAnswer
from shared.models.steps import StepResult


@dataclass(frozen=True)
class Group:
    """Steps that were asked for together, all of them ended."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Written:
    """A fact that the workflow writes down."""

    key: str
    record: RecordBody


@dataclass(frozen=True)
class Decided:
    """A question and its recorded answer."""

    ask: Decide
    answer: DecisionAnswer


Passed = Group | Written | Decided


@dataclass(frozen=True)
class Recomputed:
    """How far the recorded results lead.

    `trail` is what was passed, in order. The walk ended with `outcome`, or at a `stage` of which `missing` are not
    recorded (`misfits` of them under the same name as something else) and the rest may be open still, or at `ask`.
    `unneeded` are recorded steps that were not asked for by then, `undecided` such decisions.
    """

    trail: tuple[Passed, ...]
    phase: str
    stage: tuple[Step, ...] = ()
    missing: tuple[Step, ...] = ()
    misfits: tuple[str, ...] = ()
    ask: Decide | None = None
    unneeded: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    outcome: Outcome | None = None

    @property
    def records(self) -> dict[str, RecordBody]:
        """What was written down by key, in its order."""
        return {passed.key: passed.record for passed in self.trail if isinstance(passed, Written)}

    @property
    def rounds(self) -> dict[str, RoundRecord]:
        """The rounds' records by key, in their order."""
        return rounds_of(self.records)

    @property
    def taken(self) -> tuple[Step, ...]:
        """The steps whose recorded results were taken, in order."""
        return tuple(
            step for passed in self.trail if isinstance(passed, Group) for step in passed.steps
        )

    @property
    def decided(self) -> tuple[Decided, ...]:
        """The decisions whose recorded answers were taken, in order."""
        return tuple(passed for passed in self.trail if isinstance(passed, Decided))


@dataclass
class _Recomputation:
    journal: Journal
    anew: bool
    phase: str = ""
    trail: list[Passed] = field(default_factory=list)
    stage: tuple[Step, ...] = ()
    missing: list[Step] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)
    ask: Decide | None = None

    def results(self, group: Together) -> Sent:
        """The group's results; None when one of them is not there."""
        results: list[StepResult] = []
        for step in group.steps:
            entry = self.journal.steps.get(step.key)
            if entry is None:
                self.missing.append(step)
            elif entry.fingerprint != fingerprint(step):
                self.missing.append(step)
                self.misfits.append(step.key)
            elif entry.result is not None:
                results.append(entry.result)
        if len(results) < len(group.steps):
            self.stage = group.steps
            return None
        self.trail.append(Group(group.steps))
        return tuple(results)

    def record(self, command: Record[Any]) -> RecordBody:
        """The record, as it was written where that is wanted and it was."""
        written = None if self.anew else self.journal.records.get(command.key)
        fits = isinstance(written, command.type)
        record: RecordBody = written if written is not None and fits else command.compute()
        self.trail.append(Written(command.key, record))
        return record

    def answer(self, ask: Decide) -> Sent:
        """The recorded answer; None when there is none."""
        answer = self.journal.answers.get(ask.key)
        if answer is None:
            self.ask = ask
        else:
            self.trail.append(Decided(ask, answer))
        return answer

    def ended(self, outcome: Outcome | None) -> Recomputed:
        groups = [passed.steps for passed in self.trail if isinstance(passed, Group)]
        asked_for = {step.key for steps in (*groups, self.stage) for step in steps}
        questions = {passed.ask.key for passed in self.trail if isinstance(passed, Decided)}
        if self.ask is not None:
            questions.add(self.ask.key)
        decisions = self.journal.asked | self.journal.answers.keys()
        return Recomputed(
            trail=tuple(self.trail),
            phase=self.phase,
            stage=self.stage,
            missing=tuple(self.missing),
            misfits=tuple(self.misfits),
            ask=self.ask,
            unneeded=tuple(key for key in self.journal.steps if key not in asked_for),
            undecided=tuple(sorted(decisions - questions)),
            outcome=outcome,
        )


def recompute(start: Callable[[], Workflow], journal: Journal, *, anew: bool = True) -> Recomputed:
    """Follow the workflow as far as recorded results reach; with `anew` every round is judged again."""
    walk = _Recomputation(journal, anew)
    workflow = start()
    sent: Sent = None
    try:
        while True:
            command = workflow.send(sent)
            match command:
                case Phase(name):
                    walk.phase, sent = name, None
                case Record():
                    sent = walk.record(command)
                case Together():
                    sent = walk.results(command)
                case Decide():
                    sent = walk.answer(command)
                case _:
                    assert_never(command)
            if sent is None and not isinstance(command, Phase):
                return walk.ended(None)
    except StopIteration as stop:
        return walk.ended(stop.value)
    finally:
        workflow.close()


def rounds_of(records: Mapping[str, RecordBody]) -> dict[str, RoundRecord]:
    """The rounds' records among those of a journal."""
    return {key: record for key, record in records.items() if isinstance(record, RoundRecord)}


def asks(step: Step | Decide) -> str:
    """What a step or a question says, as a hash: two of one name may differ in what was shown."""
    return hashlib.sha256(_content(step).encode(errors="surrogatepass")).hexdigest()


def _content(step: Step | Decide) -> str:
    match step:
        case Decide():
            return step.question.model_dump_json()
        case Turn():
            prompt = step.prompt()
            parts = [part.model_dump_json() for part in (*prompt.system, *prompt.user)]
            brief = json.dumps(step.brief(), sort_keys=True) if step.participant.reads_brief else ""
            return "\x1f".join((*parts, brief))
        case ToolRun():
            return json.dumps(step.stored_inputs(), sort_keys=True)
        case ChildRun():
            return step.request().spec.model_dump_json()
        case _:
            assert_never(step)
