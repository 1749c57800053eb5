"""Runs that earlier versions recorded, read from `data/` as this version reads what is stored.

A file holds rows as the database held them: `documents` by their hashes, and states of the database (`state`, and in
one file `earlier`, the same database while runs were in flight), each with `taken_at` and its `tables`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from orchestrator.core.replay.commands import RecordBody, RoundRecord, ToolRun, Turn, Workflow
from orchestrator.core.replay.materials import Materials
from orchestrator.core.replay.recomputation import asks, recompute
from orchestrator.core.replay.replay import Entry, Journal, fingerprint, replay
from orchestrator.engine.recorded import journal_of
from orchestrator.engine.staging import outcome_json
from orchestrator.whatif.replaying import Difference, differences
from orchestrator.workflows.registry import start_workflow
from shared.models.run import RunSpec
from shared.models.steps import StepResult
from shared.store.journal import JournalRow, StoredJournal, StoredRecord

FOLDER = Path(__file__).parent
FILES = ("simulated", "real_workers", "stopped_midway")
Row = dict[str, Any]
_COLUMNS = (
    "key kind participant role round fingerprint status reply failure_kind failure_message note"
    " tokens cost_usd"
).split()


@dataclass(frozen=True)
class State:
    """A database of the revision `schema` as it was at a moment."""

    schema: str
    taken_at: datetime
    tables: Mapping[str, Sequence[Row]]
    documents: Mapping[str, str]

    def of(self, table: str, run: str) -> list[Row]:
        """A run's rows."""
        return [row for row in self.tables[table] if row["run_id"] == run]


@cache
def read(name: str, state: str = "state") -> State:
    """A state of a file."""
    content = json.loads(lzma.decompress((FOLDER / "data" / f"{name}.json.xz").read_bytes()))
    found = content[state]
    taken_at = datetime.fromisoformat(found["taken_at"])
    return State(content["schema"], taken_at, found["tables"], content["documents"])


@dataclass(frozen=True)
class Advance:
    """What an advance wrote: steps by key and fingerprint, records, what a person was asked, and the outcome."""

    phase: str
    scheduled: tuple[tuple[str, str], ...]
    records: Mapping[str, RecordBody]
    asked: tuple[Row, ...]
    completed: bool


@dataclass(frozen=True)
class Moment:
    """A run before an advance, and the advance that came.

    `refused` are steps that it recorded as failed at once: no budget was left.
    """

    stored: StoredJournal
    refused: Mapping[str, StepResult]
    advance: Advance


@dataclass(frozen=True)
class RecordedRun:
    """A run's rows in a state."""

    row: Row
    state: State

    @property
    def name(self) -> str:
        """What a failing test is called."""
        row = self.row
        return f"{row['workflow']}-{row['ending'] or row['status']}-{row['id']}"

    @cached_property
    def spec(self) -> RunSpec:
        """What was captured at submission."""
        return RunSpec.model_validate_json(json.dumps(self.row["spec"]))

    @cached_property
    def stored(self) -> StoredJournal:
        """The journal as the store gives it."""
        run = self.row["id"]
        return StoredJournal(
            steps=tuple(map(self._journal_row, self.state.of("steps", run))),
            records=tuple(
                StoredRecord(row["key"], RoundRecord.kind, row["body"])
                for row in sorted(self.state.of("assessments", run), key=_in_order)
            ),
            decisions={row["key"]: row["answer"] for row in self.state.of("decisions", run)},
        )

    @property
    def start(self) -> Callable[[], Workflow]:
        """Starts the workflow as for an advance."""
        documents = self.state.documents
        materials = Materials(lambda name: documents[name].encode(), self.row["id"])
        return start_workflow(self.spec, materials)

    def moments(self) -> Iterator[Moment]:
        """The run before each of its advances, which wrote their events in one transaction each."""
        past: list[Row] = []
        phase = ""
        for _, group in groupby(self.state.of("events", self.row["id"]), lambda row: row["at"]):
            events = list(group)
            keys = {kind: _keys(events, kind) for kind in {one["type"] for one in events}}
            past += events
            if not keys.keys() & {"step.done", "step.failed", "run.phase", "step.scheduled"}:
                continue
            phase = next(
                (one["body"]["phase"] for one in events if one["type"] == "run.phase"), phase
            )
            new = keys.get("step.scheduled", ())
            refused = _keys([one for one in events if one["body"].get("status") == "failed"])
            records, asked = keys.get("round.assessed", ()), keys.get("decision.opened", ())
            yield Moment(
                stored=self._as_of(past, frozenset((*new, *records, *asked))),
                refused={key: self._journal.steps[key].result or StepResult() for key in refused},
                advance=Advance(
                    phase=phase,
                    scheduled=tuple((key, self._journal.steps[key].fingerprint) for key in new),
                    records={key: self._journal.records[key] for key in records},
                    asked=tuple(map(self._question, asked)),
                    completed="run.completed" in keys,
                ),
            )

    @cached_property
    def _journal(self) -> Journal:
        return journal_of(self.stored, (RoundRecord,))

    def _question(self, key: str) -> Row:
        rows = self.state.of("decisions", self.row["id"])
        return next({"key": key, **row["question"]} for row in rows if row["key"] == key)

    def _as_of(self, past: Sequence[Row], new: frozenset[str]) -> StoredJournal:
        """What was recorded when `past` had happened, without what is `new`."""
        scheduled = set(_keys(past, "step.scheduled"))
        ended = {*_keys(past, "step.done"), *_keys(past, "step.failed")}
        ended |= set(_keys([one for one in past if one["body"].get("status") == "failed"]))
        every = set(_keys(self.state.of("events", self.row["id"]), "step.scheduled"))
        answered = {*_keys(past, "decision.answered"), *_keys(past, "decision.expired")}
        steps = [
            row if row.key in ended or row.key not in every else _open(row)
            for row in self.stored.steps
            # A fork's first steps were never scheduled: it took them over.
            if row.key not in new and (row.key in scheduled or row.key not in every)
        ]
        records = set(_keys(past, "round.assessed")) - new
        decisions = [key for key in _keys(past, "decision.opened") if key not in new]
        return StoredJournal(
            steps=tuple(steps),
            records=tuple(row for row in self.stored.records if row.key in records),
            decisions={
                key: self.stored.decisions[key] if key in answered else None for key in decisions
            },
        )

    def _journal_row(self, row: Row) -> JournalRow:
        ended, began = row["finished_at"], datetime.fromisoformat(self.row["created_at"])
        elapsed = (datetime.fromisoformat(ended) - began).total_seconds() if ended else 0.0
        return JournalRow(**{name: row[name] for name in _COLUMNS}, elapsed_s=elapsed)


def _keys(events: Sequence[Row], kind: str | None = None) -> tuple[str, ...]:
    return tuple(one["body"].get("key", "") for one in events if kind in (None, one["type"]))


def _in_order(row: Row) -> tuple[str, bool, int, str]:
    """As the rounds were listed; a fork's were judged at one moment."""
    key = row["key"]
    return row["at"], key == "ending", len(key), key


def _open(row: JournalRow) -> JournalRow:
    nothing = replace(row, reply=None, failure_kind=None, failure_message=None, elapsed_s=0.0)
    return replace(nothing, status="leased", note="", tokens=None, cost_usd=None)


@cache
def runs() -> tuple[RecordedRun, ...]:
    """All runs of all files, as they were in the end."""
    states = [read(name) for name in FILES]
    return tuple(RecordedRun(row, state) for state in states for row in state.tables["runs"])


def advanced(run: RecordedRun, moment: Moment) -> Advance:
    """What this version's advance writes at a moment."""
    journal = journal_of(moment.stored, (RoundRecord,))
    steps: list[Turn | ToolRun] = []
    while True:
        progress = replay(run.start, journal)
        new = {one.key: fingerprint(one) for one in progress.schedule}
        steps += progress.schedule
        if not new or not new.keys() <= moment.refused.keys():
            break
        refused = {key: Entry(mark, moment.refused[key]) for key, mark in new.items()}
        journal = replace(journal, steps={**journal.steps, **refused})
    asked = () if progress.ask is None else (progress.ask,)
    return Advance(
        phase=progress.phase,
        scheduled=tuple((one.key, fingerprint(one)) for one in steps),
        records=dict(progress.records),
        asked=tuple({"key": one.key, **one.question.model_dump(mode="json")} for one in asked),
        completed=progress.outcome is not None,
    )


def otherwise(recorded: Advance, now: Advance) -> list[Difference]:
    """Where an advance is not the recorded one."""
    return list(differences("advance", _json(recorded), _json(now)))


def _json(advance: Advance) -> dict[str, Any]:
    records = {key: record.model_dump(mode="json") for key, record in advance.records.items()}
    steps, asked = list(advance.scheduled), list(advance.asked)
    return {**vars(advance), "scheduled": steps, "records": records, "asked": asked}


def different(run: RecordedRun) -> list[Difference]:
    """Where the outcome to which the whole journal leads is not the stored one."""
    progress = replay(run.start, journal_of(run.stored, (RoundRecord,)))
    assert progress.outcome is not None, "the journal leads to no outcome any more"
    now = json.loads(outcome_json(progress.outcome))
    return list(differences("outcome", run.row["outcome"], now))


def asked(run: RecordedRun) -> dict[str, str]:
    """What this version says to everybody whose turn was taken, as hashes by step."""
    followed = recompute(run.start, journal_of(run.stored, (RoundRecord,)), anew=False)
    return {step.key: asks(step)[:12] for step in followed.taken}
