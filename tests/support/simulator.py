"""A pure scheduler: drives a workflow to its end through `replay`, without a clock, a broker or a database.

It does to the journal what the real engine may do to it: steps of a stage end in any order, triggers come twice and too
early, records are written late. After every change it checks what `replay` promises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from pydantic import JsonValue

from orchestrator.core.replay.commands import (
    Command,
    Decide,
    Outcome,
    Phase,
    RecordBody,
    Sent,
    ToolRun,
    Turn,
    Workflow,
)
from orchestrator.core.replay.replay import (
    Entry,
    Journal,
    Progress,
    Replay,
    fingerprint,
    replay,
    same,
)
from shared.models.decision import DecisionAnswer
from shared.models.steps import StepResult

Step = Turn | ToolRun
_T = TypeVar("_T")
LIMIT = 2_000


class NeverEndsError(AssertionError):
    """The workflow asked for more than any workflow should."""


@dataclass
class Simulation:
    """One run. `act` gives a step's result, `answer` a decision's; `rng` orders and doubles."""

    start: Callable[[], Workflow]
    act: Callable[[Step], StepResult]
    answer: Callable[[Decide], DecisionAnswer]
    rng: Random = field(default_factory=lambda: Random(0))
    steps: dict[str, Entry] = field(default_factory=dict)
    commands: dict[str, Step] = field(default_factory=dict)
    records: dict[str, RecordBody] = field(default_factory=dict)
    questions: dict[str, Decide] = field(default_factory=dict)
    answers: dict[str, DecisionAnswer] = field(default_factory=dict)
    phases: list[str] = field(default_factory=list)
    stages: list[tuple[str, ...]] = field(default_factory=list)
    moments: list[Journal] = field(default_factory=list)
    kept: Replay | None = None
    ended: bool = False

    @property
    def journal(self) -> Journal:
        """What is recorded now, in an order of its own."""
        return Journal(
            steps=self._shuffled(self.steps),
            records=self._shuffled(self.records),
            asked=frozenset(self.questions),
            answers=self._shuffled(self.answers),
        )

    def run(self) -> Outcome:
        """Drive the workflow to its end."""
        while True:
            progress = self.look()
            self._take_in(progress)
            if progress.outcome is not None:
                self.ended = True
                return progress.outcome
            self.moments.append(self.journal)
            if not self._move(progress):
                raise AssertionError("a running workflow that nothing can move")

    def look(self) -> Progress:
        """Replay, and check that another order of the journal and a replay that was kept come to the same."""
        seen: list[str] = []
        progress = replay(lambda: _traced(self.start(), seen), self.journal)
        self.phases = seen
        again = replay(self.start, self.journal)
        assert same(progress, again), "the same journal gave another answer"
        assert same(progress, self._go_on()), "a kept replay gave another answer"
        assert not {step.key for step in progress.schedule} & self.steps.keys()
        assert not {key for key, _ in progress.records} & self.records.keys()
        assert progress.ask is None or progress.ask.key not in self.questions
        return progress

    def _go_on(self) -> Progress:
        """Follow the kept replay, told only what is new to it; now and then it is lost and begins afresh."""
        if self.kept is None or self.ended or self.rng.random() < 0.1:
            self.kept = Replay(self.start())
            return self.kept.follow(self.journal)
        self.kept.settle()
        waiting = self.kept.waiting_for
        return self.kept.follow(
            Journal(
                steps={k: self.steps[k] for k in self.kept.open_steps if k in self.steps},
                asked=frozenset(self.questions) & {waiting},
                answers={k: answer for k, answer in self.answers.items() if k == waiting},
            )
        )

    def _take_in(self, progress: Progress) -> None:
        for key, record in progress.records:
            text = record.model_dump_json(exclude_defaults=True)
            stored = type(record).model_validate_json(text)
            assert stored == record, "a record must survive its storage, or a replay sees another"
            self.records[key] = stored
        for step in progress.schedule:
            self.steps[step.key] = Entry(fingerprint(step), None)
            self.commands[step.key] = step
        if progress.schedule:
            self.stages.append(tuple(step.key for step in progress.schedule))
        if progress.ask is not None:
            self.questions[progress.ask.key] = progress.ask
        if len(self.steps) > LIMIT:
            raise NeverEndsError(f"{len(self.steps)} steps")

    def _move(self, progress: Progress) -> bool:
        """One thing happens outside: a step ends, or a person answers."""
        open_steps = sorted(key for key, entry in self.steps.items() if entry.result is None)
        if open_steps:
            key = self.rng.choice(open_steps)
            result = self.act(self.commands[key])
            stored = result.model_copy(update={"reply": as_jsonb(result.reply)})
            self.steps[key] = Entry(self.steps[key].fingerprint, stored)
            return True
        waiting = progress.waiting_for
        if waiting is not None and waiting not in self.answers:
            self.answers[waiting] = self.answer(self.questions[waiting])
            return True
        return False

    def _shuffled(self, entries: Mapping[str, _T]) -> dict[str, _T]:
        keys = list(entries)
        self.rng.shuffle(keys)
        return {key: entries[key] for key in keys}


def as_jsonb(value: JsonValue) -> JsonValue:
    """The value with its keys in the order that Postgres gives them: a reply's text follows it."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return {key: as_jsonb(value[key]) for key in keys}
    return [as_jsonb(inner) for inner in value] if isinstance(value, list) else value


def _traced(workflow: Workflow, phases: list[str]) -> Workflow:
    """The same workflow; every phase that it passes is noted."""
    sent: Sent = None
    while True:
        try:
            command: Command = workflow.send(sent)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome
        if isinstance(command, Phase):
            phases.append(command.name)
        sent = yield command
