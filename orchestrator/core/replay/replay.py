"""Run a workflow against its journal, as far as the journal reaches.

Theory of operation: the workflow is a generator. Replay starts it afresh, sends it every recorded result, and
stops at the first commands that have none; those are returned as data. The same journal always gives the same answer,
in whatever order its entries were written: so a doubled or late trigger changes nothing.

A record is computed and written once and never waited for; a phase is only a name. The journal must explain itself:
what is recorded otherwise than the workflow asks for it, or what the workflow never asks for, means that the code
changed under the run, and raises ReplayMismatch.
"""

from __future__ import annotations

import hashlib
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
class _Walk:
    """The mutable side of one replay."""

    journal: Journal
    phase: str = ""
    asked: set[tuple[str, str]] = field(default_factory=set)
    records: list[tuple[str, RecordBody]] = field(default_factory=list)
    consumed: list[str] = field(default_factory=list)

    def once(self, kind: str, key: str) -> None:
        """Names are unique in a run: two questions of one name would share one answer."""
        if (kind, key) in self.asked:
            raise ReplayMismatch(f"the workflow asks for {kind} {key!r} twice")
        self.asked.add((kind, key))

    def results(self, group: Together) -> tuple[tuple[Step, ...], Sent]:
        """The steps that are not in the journal yet, and the group's results once all are final."""
        missing = []
        results: list[StepResult] = []
        for step in group.steps:
            self.once("step", step.key)
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

    def record(self, command: Record[Any]) -> RecordBody:
        """What is written, or what is to be written now."""
        self.once("record", command.key)
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

    def progress(
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
    walk = _Walk(journal)
    workflow = start()
    sent: Sent = None
    try:
        while True:
            command = workflow.send(sent)
            sent = None
            match command:
                case Phase(name):
                    walk.phase = name
                case Record():
                    sent = walk.record(command)
                case Together():
                    missing, sent = walk.results(command)
                    if sent is None:
                        return walk.progress(schedule=missing)
                case Decide(key):
                    walk.once("decision", key)
                    answer = journal.answers.get(key)
                    if answer is None:
                        asked = key in journal.asked
                        return walk.progress(ask=None if asked else command, waiting_for=key)
                    walk.consumed.append(key)
                    sent = answer
                case _:
                    assert_never(command)
    except StopIteration as stop:
        return walk.progress(outcome=stop.value)
    finally:
        workflow.close()
