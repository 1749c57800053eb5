"""Run a workflow against its journal, as far as the journal reaches.

Theory of operation: the workflow is a generator. Replay starts it afresh, sends it every recorded result, and
stops at the first commands that have none; those are returned as data. The same journal always gives the same answer,
in whatever order its entries were written: so a doubled or late trigger changes nothing. A `Replay` that was kept goes
on from where it stopped, is sent only what is new, and comes to the same.

A record is computed and written once and never waited for; a phase is only a name. The journal must explain itself:
what is recorded otherwise than the workflow asks for it, or what the workflow never asks for, means that the code
changed under the run, and raises ReplayMismatch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from orchestrator.core.replay.commands import (
    ChildRun,
    Command,
    Decide,
    Outcome,
    Phase,
    Record,
    RecordBody,
    Sent,
    Step,
    Together,
    ToolRun,
    Turn,
    Workflow,
)
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionAnswer
from shared.models.steps import StepResult


@dataclass(frozen=True)
class Entry:
    """A scheduled step of the journal; `result` is None while it is open."""

    fingerprint: str
    result: StepResult | None


@dataclass(frozen=True)
class Journal:
    """What is recorded: steps and written records by key, the keys of asked decisions, and answers by key."""

    steps: Mapping[str, Entry] = field(default_factory=dict)
    records: Mapping[str, RecordBody] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    answers: Mapping[str, DecisionAnswer] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """Where the journal leads: what is to be scheduled, asked or written, and the outcome once there is one.

    Nothing to schedule, nothing asked and no outcome: the run waits for what is open already.
    """

    phase: str
    schedule: tuple[Step, ...] = ()
    ask: Decide | None = None
    waiting_for: str | None = None
    records: tuple[tuple[str, RecordBody], ...] = ()
    consumed: tuple[str, ...] = ()
    outcome: Outcome | None = None


def fingerprint(step: Step) -> str:
    """What makes a step this step: its kind, speaker, role, round and reply, not the wording of its prompt."""
    return hashlib.sha256("\x1f".join(_identity(step)).encode()).hexdigest()[:16]


def _identity(step: Step) -> tuple[str, ...]:
    match step:
        case Turn():
            name = step.participant.name
            return ("turn", name, step.role, str(step.round), step.reply_model)
        case ToolRun():
            names = (step.tool, step.participant, step.role)
            return ("tool", *names, str(step.round), step.reply_model)
        case ChildRun():
            return ("run", step.workflow)
        case _:
            assert_never(step)


@dataclass
class Replay:
    """A workflow on its way through its journal."""

    workflow: Workflow
    phase: str = ""
    journal: Journal = field(default_factory=Journal)
    asked: set[tuple[str, str]] = field(default_factory=set)
    records: list[tuple[str, RecordBody]] = field(default_factory=list)
    consumed: list[str] = field(default_factory=list)
    stopped_at: Together | Decide | None = None

    def follow(self, journal: Journal) -> Progress:
        """Go on to the end of the journal: all of it at first, later what is new of `open_steps` and `waiting_for`.

        Raises ReplayMismatch.
        """
        self.journal = replace(journal, steps={**self.journal.steps, **journal.steps})
        command: Command | None = self.stopped_at
        try:
            while True:
                command = command or next(self.workflow)
                progress, sent = self._take(command)
                if progress is not None:
                    return progress
                self.stopped_at = None
                command = self.workflow.send(sent)
        except StopIteration as end:
            return self._progress(outcome=end.value)

    def settle(self) -> None:
        """What it came to is written: the next progress tells only what comes after it."""
        self.records, self.consumed = [], []

    @property
    def open_steps(self) -> tuple[str, ...]:
        """The steps that it waits for, those among them that it has just asked for."""
        if not isinstance(self.stopped_at, Together):
            return ()
        known = self.journal.steps
        keys = (step.key for step in self.stopped_at.steps)
        return tuple(key for key in keys if key not in known or known[key].result is None)

    @property
    def waiting_for(self) -> str | None:
        """The decision that it waits for."""
        return self.stopped_at.key if isinstance(self.stopped_at, Decide) else None

    def _take(self, command: Command) -> tuple[Progress | None, Sent]:
        """How far it came, if the journal ends at this command, and else what the workflow is sent."""
        match command:
            case Phase(name):
                self.phase = name
                return None, None
            case Record():
                return None, self._record(command)
            case Together():
                missing, results = self._results(command)
                return (self._stop(command, missing) if results is None else None), results
            case Decide(key):
                self._once("decision", key, command)
                answer = self.journal.answers.get(key)
                if answer is None:
                    return self._stop(command), None
                self.consumed.append(key)
                return None, answer
            case _:
                assert_never(command)

    def _stop(self, command: Together | Decide, missing: tuple[Step, ...] = ()) -> Progress:
        """The journal ends here; what went before is not needed any more."""
        asked = self.journal.asked
        known = {step.key for step in command.steps} if isinstance(command, Together) else set()
        self.stopped_at = command
        progress = self._progress(
            schedule=missing,
            ask=command if isinstance(command, Decide) and command.key not in asked else None,
            waiting_for=self.waiting_for,
        )
        steps = self.journal.steps
        self.journal = Journal({key: steps[key] for key in known if key in steps})
        return progress

    def _once(self, kind: str, key: str, command: Command) -> None:
        """Names are unique in a run: two questions of one name would share one answer."""
        if command is self.stopped_at:
            return
        if (kind, key) in self.asked:
            raise ReplayMismatch(f"the workflow asks for {kind} {key!r} twice")
        self.asked.add((kind, key))

    def _results(self, group: Together) -> tuple[tuple[Step, ...], Sent]:
        """The steps that are not in the journal yet, and the group's results once all are final."""
        missing = []
        results: list[StepResult] = []
        for step in group.steps:
            self._once("step", step.key, group)
            entry = self.journal.steps.get(step.key)
            if entry is None:
                missing.append(step)
            elif entry.fingerprint != fingerprint(step):
                raise ReplayMismatch(
                    f"step {step.key!r} is recorded as something else than the workflow asks for now: "
                    "the code changed under the run"
                )
            elif entry.result is not None:
                results.append(entry.result)
        complete = len(results) == len(group.steps)
        return tuple(missing), tuple(results) if complete else None

    def _record(self, command: Record[Any]) -> RecordBody:
        """What is written, or what is to be written now."""
        self._once("record", command.key, command)
        written = self.journal.records.get(command.key)
        if written is None:
            computed: RecordBody = command.compute()
            self.records.append((command.key, computed))
            return computed
        if type(written) is not command.type:
            raise ReplayMismatch(
                f"record {command.key!r} is recorded as {written.kind!r}, and the workflow asks for "
                f"{command.type.kind!r} now: the code changed under the run"
            )
        return written

    def _progress(
        self,
        *,
        schedule: tuple[Step, ...] = (),
        ask: Decide | None = None,
        waiting_for: str | None = None,
        outcome: Outcome | None = None,
    ) -> Progress:
        """Where the walk ended; the whole journal must have been explained by then."""
        orphans = sorted(_names(self.journal) - self.asked)
        if orphans:
            kind, key = orphans[0]
            raise ReplayMismatch(
                f"{kind} {key!r} is recorded, but the workflow does not ask for it any more: "
                "the code changed under the run"
            )
        return Progress(
            phase=self.phase,
            schedule=schedule,
            ask=ask,
            waiting_for=waiting_for,
            records=tuple(self.records),
            consumed=tuple(self.consumed),
            outcome=outcome,
        )


def _names(journal: Journal) -> set[tuple[str, str]]:
    kinds = {
        "step": journal.steps,
        "record": journal.records,
        "decision": journal.asked | journal.answers.keys(),
    }
    return {(kind, key) for kind, keys in kinds.items() for key in keys}


def replay(start: Callable[[], Workflow], journal: Journal) -> Progress:
    """Follow the workflow from its start to the end of the journal. Raises ReplayMismatch."""
    workflow = start()
    try:
        return Replay(workflow).follow(journal)
    finally:
        workflow.close()


def same(left: Progress, right: Progress) -> bool:
    """Whether two replays came to the same; prompts and inputs are compared by what they build.

    One that goes on consumes only the answers that are new to it.
    """
    return replace(left, consumed=()) == replace(right, consumed=()) and [
        _built(step) for step in left.schedule
    ] == [_built(step) for step in right.schedule]


def _built(step: Step) -> object:
    """What a step would ask of its worker."""
    match step:
        case Turn():
            return step.prompt(), step.brief()
        case ToolRun():
            return step.inputs()
        case ChildRun():
            return step.request()
        case _:
            assert_never(step)
