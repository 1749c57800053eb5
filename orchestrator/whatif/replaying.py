"""Replay a stored run: exactly, as a check of determinism, or under other rules, as a what-if.

The recorded turns are taken as they are: nobody is asked what they would have said under other rules. Where another
rule would have shown them something else, the turns are named (`shown_otherwise`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from orchestrator.core.findings.pairing import Pair, pair_up
from orchestrator.core.replay.commands import Decide, Step
from orchestrator.core.replay.recomputation import Recomputed, asks
from orchestrator.engine.staging import outcome_json
from orchestrator.whatif.changes import Change, changed, check_quorum
from orchestrator.whatif.places import cycle_of, discussing
from orchestrator.whatif.recording import Recording
from orchestrator.whatif.results import RunResult, result_of_walk, stored_result
from shared.models.notices import Notice, earlier_text, is_notice, notice, read_notice
from shared.models.run import RunSpec
from shared.patterns import regex
from shared.store.journal import JournalRow

MOST_DIFFERENCES = 200
GROWING = frozenset(
    {
        "outcome.detail",
        "outcome.detail.agreement",
        "outcome.detail.receipt",
        "outcome.detail.earlier_receipts[]",
    }
)
"""Objects in which a version may write more than earlier ones did: a key that is not stored there is no difference."""
_INDEX = regex(r"\[\d+\]")


class State(StrEnum):
    """Where a walk over recorded results ends."""

    ENDED = "ended"
    WOULD_CONTINUE = "would_continue"
    WAITS = "waits"
    OPEN = "open"


@dataclass(frozen=True)
class MissingStep:
    """A step that nobody was asked for; `recorded_as`: there is one of that name, which is another turn."""

    key: str
    participant: str
    role: str
    round: int
    recorded_as: str | None = None


@dataclass(frozen=True)
class Spare:
    """A recorded step that would not have been asked for, and what it took. `cost_usd` None: unknown."""

    key: str
    tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class Variant:
    """A run under changed rules. `state` says whether recorded results reach its end.

    `not_needed` are recorded steps that nobody would have been asked for; whether those that were `not_reached` would
    be, depends on what is missing.
    """

    changes: tuple[Change, ...]
    state: State
    result: RunResult
    needs: tuple[MissingStep, ...]
    not_needed: tuple[Spare, ...]
    not_reached: tuple[Spare, ...]
    shown_otherwise: tuple[str, ...]
    findings: tuple[Pair, ...]

    @property
    def saved_usd(self) -> float:
        """What the steps that were not needed cost, as far as it is known."""
        return sum(step.cost_usd or 0.0 for step in self.not_needed)

    @property
    def saved_unknown(self) -> int:
        """How many of them cost nobody knows what."""
        return sum(step.cost_usd is None for step in self.not_needed)


@dataclass(frozen=True)
class Difference:
    """A place where what is computed now differs from what is stored."""

    where: str
    stored: Any
    now: Any


@dataclass(frozen=True)
class Check:
    """The replay of a run under its own rules: what differs from what is stored, and what does not fit the code."""

    stored: RunResult
    now: RunResult
    state: State
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """True when the code explains and repeats everything that is stored."""
        return not self.differences


@dataclass(frozen=True)
class WhatIf:
    """The stored result, and what would be under each of the variants."""

    stored: RunResult
    variants: tuple[Variant, ...]


# ---- the check ----------------------------------------------------------------------------------


def check(recording: Recording) -> Check:
    """Compute everything again under the run's own rules. Raises ReplayMismatch where this version cannot."""
    now = recording.follow(recording.spec)
    differing = [*_misfits(now), *_records(recording, now), *_outcome(recording, now)]
    outcome = _outcome_of(now)
    return Check(
        stored=stored_result(recording, now),
        now=result_of_walk(recording.spec, now, outcome),
        state=state_of(now),
        differences=tuple(differing[:MOST_DIFFERENCES]),
    )


def computed_otherwise(recording: Recording) -> Notice | None:
    """What is to be said of a what-if when not only the other rules make a difference; None when they do."""
    if check(recording).same:
        return None
    return notice("computed_otherwise", run=recording.run.id)


def _reason_json(code: str, steps: Sequence[str] = ()) -> dict[str, Any]:
    """What replaces what is missing, as JSON."""
    return notice(code, **({"steps": steps} if steps else {})).model_dump(mode="json")


def _misfits(now: Recomputed) -> Iterable[Difference]:
    for key in now.misfits:
        yield Difference(key, "recorded", _reason_json("asks_for_another"))
    for key in now.unneeded:
        yield Difference(key, "recorded", _reason_json("not_asked_for"))
    for key in now.undecided:
        yield Difference(key, "decided", _reason_json("not_asked_for"))


def _records(recording: Recording, now: Recomputed) -> Iterable[Difference]:
    written = recording.journal.records
    for key, record in now.records.items():
        if key not in written:
            continue  # a round that ended a moment ago is written by the next advance
        yield from differences(
            key, written[key].model_dump(mode="json"), record.model_dump(mode="json")
        )
    for key in sorted(written.keys() - now.records.keys()):
        yield Difference(key, "recorded", _reason_json("not_come_to"))


def _outcome(recording: Recording, now: Recomputed) -> Iterable[Difference]:
    stored = recording.run.outcome
    if stored is None:
        return
    outcome = _outcome_of(now)
    if outcome is None:
        waits = [step.key for step in now.missing] or ([now.ask.key] if now.ask else [])
        yield Difference(
            "outcome",
            "stored",
            _reason_json("not_reached_yet", waits) if waits else _reason_json("steps_open"),
        )
        return
    yield from differences("outcome", stored, outcome)


def _outcome_of(walked: Recomputed) -> dict[str, Any] | None:
    if walked.outcome is None:
        return None
    content: dict[str, Any] = json.loads(outcome_json(walked.outcome))
    return content


def differences(where: str, stored: Any, now: Any) -> Iterable[Difference]:
    """Where two JSON values differ, by path. What an earlier version stored as a sentence has no code to compare."""
    if is_notice(now) and (isinstance(stored, str) or earlier_text(read_notice(stored))):
        return
    pairs = _pairs(where, stored, now)
    if pairs is not None:
        for inner, earlier, later in pairs:
            yield from differences(inner, earlier, later)
    elif stored != now:
        yield Difference(where, stored, now)


def _pairs(where: str, stored: Any, now: Any) -> list[tuple[str, Any, Any]] | None:
    """What two objects or lists hold, side by side; None where they are compared as a whole."""
    match stored, now:
        case dict(), dict():
            grows = _INDEX.sub("[]", where) in GROWING
            keys = stored if grows else dict.fromkeys((*stored, *now))
            return [(f"{where}.{key}", stored.get(key), now.get(key)) for key in keys]
        case list(), list() if len(stored) == len(now):
            both = zip(stored, now, strict=True)
            return [(f"{where}[{number}]", *pair) for number, pair in enumerate(both)]
        case _:
            return None


# ---- under other rules --------------------------------------------------------------------------


def what_if(recording: Recording, variants: Sequence[tuple[Change, ...]]) -> WhatIf:
    """The run under each variant's rules. Raises UserError for rules that cannot be, ReplayMismatch."""
    specs = [changed(recording.spec, changes) for changes in variants]
    for spec, changes in zip(specs, variants, strict=True):
        check_quorum(spec, changes)
    as_it_was = recording.follow(recording.spec, anew=False)
    shown = _shown(as_it_was)
    stored = stored_result(recording, as_it_was)
    return WhatIf(
        stored=stored,
        variants=tuple(
            _variant(recording, stored, shown, changes, spec)
            for changes, spec in zip(variants, specs, strict=True)
        ),
    )


def _variant(
    recording: Recording,
    stored: RunResult,
    shown: Mapping[str, str | None],
    changes: tuple[Change, ...],
    spec: RunSpec,
) -> Variant:
    walked = recording.follow(spec)
    result = result_of_walk(spec, walked, _outcome_of(walked))
    over = _over(walked)
    left = [recording.rows[key] for key in walked.unneeded]
    return Variant(
        changes=changes,
        state=state_of(walked),
        result=result,
        needs=tuple(_need(step, walked, recording.rows) for step in walked.missing),
        not_needed=tuple(spare_of(row) for row in left if over(row)),
        not_reached=tuple(spare_of(row) for row in left if not over(row)),
        shown_otherwise=tuple(
            key
            for key, prompt in _shown(walked).items()
            if prompt is None or shown.get(key, prompt) != prompt
        ),
        findings=pair_up(stored.findings, result.findings),
    )


def _over(walked: Recomputed) -> Callable[[JournalRow], bool]:
    """Whether nobody would be asked for a step any more: at the end, or once its discussion is over."""
    if walked.outcome is not None:
        return lambda _row: True
    if not walked.missing or discussing(walked.missing[0].role):
        return lambda _row: False
    cycle = cycle_of(walked.missing[0].key, str(walked.missing[0].role))
    return lambda row: discussing(row.role) and cycle_of(row.key, row.role) == cycle


def state_of(walked: Recomputed) -> State:
    """Where the walk ended."""
    if walked.outcome is not None:
        return State.ENDED
    if walked.missing:
        return State.WOULD_CONTINUE
    return State.WAITS if walked.ask is not None else State.OPEN


def _shown(walked: Recomputed) -> dict[str, str | None]:
    """What everybody whose word was taken had been shown, by step or decision; None where nobody can tell."""
    asked: list[Step | Decide] = [*walked.taken, *(decided.ask for decided in walked.decided)]
    return {command.key: _asks(command) for command in asked}


def _asks(command: Step | Decide) -> str | None:
    try:
        return asks(command)
    except KeyError:  # a template that this version wants, and that the run has not captured
        return None


def _need(step: Step, walked: Recomputed, rows: Mapping[str, JournalRow]) -> MissingStep:
    participant = step.participant if isinstance(step.participant, str) else step.participant.name
    recorded = rows[step.key] if step.key in walked.misfits else None
    return MissingStep(
        key=step.key,
        participant=participant,
        role=str(step.role),
        round=step.round,
        recorded_as=None if recorded is None else f"{recorded.role} after round {recorded.round}",
    )


def spare_of(row: JournalRow) -> Spare:
    """What a recorded step took. A tool run, and what never answered, cost nothing that is not recorded."""
    silent = row.kind != "turn" or row.status != "done"
    cost = 0.0 if row.cost_usd is None and silent else row.cost_usd
    return Spare(row.key, row.tokens, cost)
