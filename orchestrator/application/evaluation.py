"""Run an evaluation: its cases as ordinary runs, many under way, each paid once; then count what came of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from orchestrator.application.backend import Backend
from orchestrator.application.eval_plan import EvalPlan
from orchestrator.application.notice_listener import NoticeListener
from orchestrator.application.prepare import PreparedRun
from orchestrator.application.report import load_report
from orchestrator.application.submit import submit_run
from orchestrator.application.watch import ProcessCare
from orchestrator.core.findings.ranking import likelihood
from orchestrator.evaluation.result import (
    DefinedCase,
    DefinedPanel,
    EvalDefinition,
    EvalResult,
    PanelOutcomes,
    evaluated,
)
from orchestrator.evaluation.scoring import (
    CaseOutcome,
    CaseState,
    JudgedFinding,
    ReadingRules,
    SpentOnCase,
)
from orchestrator.presentation.report import RunReport
from shared.errors import UnknownRun, UserError
from shared.models.findings import Finding, RaisedFinding
from shared.models.notices import Notice
from shared.models.outcomes import NO_ANSWER, RunStatus
from shared.models.review_replies import Critique
from shared.models.rows import StepRow
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.evals import (
    EvalRow,
    KeyedRun,
    calls_by_participant,
    create_eval,
    find_eval,
    list_evals,
    replace_eval,
    runs_by_key,
)
from shared.store.runs import cancel_run, unblock_run

LAST = "last"
LISTED = 200
POLL_S = 0.3
UNDER_WAY = frozenset({RunStatus.QUEUED, RunStatus.RUNNING})


@dataclass(frozen=True)
class StoredEval:
    """An evaluation and the runs that there are for it, by key."""

    row: EvalRow
    definition: EvalDefinition
    runs: Mapping[str, KeyedRun]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.row.name

    def count(self, *statuses: RunStatus) -> int:
        """How many of its runs stand so."""
        return sum(run.status in statuses for run in self.runs.values())

    @property
    def open(self) -> tuple[KeyedRun, ...]:
        """The runs that have not come to an end."""
        return tuple(run for run in self.runs.values() if run.status in UNDER_WAY)

    @property
    def total(self) -> int:
        """How many runs it takes; identical cases before one panel are one."""
        return len(self.definition.keys)


class EvalObserver(Protocol):
    """Whoever waits for an evaluation."""

    def changed(self, stored: StoredEval) -> None:
        """A run began or ended."""

    def warn(self, notice: Notice) -> None:
        """What keeps it from going on."""


class OnceListener:
    """Passes each notice on once: a thousand cases have the same panel."""

    def __init__(self, listener: NoticeListener) -> None:
        """Nothing was passed on yet."""
        self._listener = listener
        self._passed: set[str] = set()

    def inform(self, notice: Notice) -> None:
        """Something on the way."""
        if self._is_new(notice):
            self._listener.inform(notice)

    def warn(self, notice: Notice) -> None:
        """Something that must not be overlooked."""
        if self._is_new(notice):
            self._listener.warn(notice)

    def _is_new(self, notice: Notice) -> bool:
        text = notice.model_dump_json()
        fresh = text not in self._passed
        self._passed.add(text)
        return fresh


def begin_eval(
    backend: Backend, plan: EvalPlan, listener: NoticeListener, *, retry: bool = False
) -> StoredEval:
    """Store the evaluation and submit every run that there is not yet; one that was begun goes on.

    `retry`: what failed is asked for again. Raises UserError where the name stands for other cases or panels.
    """
    body = plan.definition.model_dump_json()
    row = backend.write(lambda connection: create_eval(connection, plan.name, body))
    definition = EvalDefinition.model_validate(row.body)
    if not definition.same_question(plan.definition):
        raise UserError(
            "the evaluation {evaluation} has other cases, labels or panels: choose another --name, or look "
            "at it with `quorate eval --show {evaluation}`",
            evaluation=plan.name,
        )
    if retry:
        _unblock(backend, definition)
        definition = backend.write(
            lambda connection: _asked_again(connection, plan.name, definition)
        )
    known = backend.read(lambda connection: runs_by_key(connection, definition.keys))
    once, seen = OnceListener(listener), set(known)
    for run in plan.runs:
        key = definition.key(run.key)
        if key in seen:
            continue
        seen.add(key)
        submit_run(
            backend,
            _belonging(run.prepared, plan.name, run.case),
            once,
            idempotency_key=key,
            with_history=False,
        )
    return load_eval(backend, plan.name)


def _unblock(backend: Backend, definition: EvalDefinition) -> None:
    """Let runs go on that the code stopped for, or that nobody could advance: nothing of them is lost."""
    known = backend.read(lambda connection: runs_by_key(connection, definition.keys))
    for run in known.values():
        if run.status is RunStatus.BLOCKED:
            backend.write(partial(unblock_run, run=run.run))
            backend.wake(run.run)


def _belonging(prepared: PreparedRun, name: str, case: str) -> PreparedRun:
    """The run under the evaluation's name: a line of its own among what waits, and a row of `cost --by batch`."""

    def make_spec(**given: Any) -> RunSpec:
        spec = prepared.make_spec(**given)
        return spec.model_copy(update={"labels": {**spec.labels, "batch": name}})

    return replace(prepared, title=f"{name}: {case}", make_spec=make_spec)


def _asked_again(connection: Connection, name: str, definition: EvalDefinition) -> EvalDefinition:
    """The definition with the next key for every run that failed."""
    runs = runs_by_key(connection, definition.keys)
    retried = dict(definition.retried)
    for key in dict.fromkeys(key for panel in definition.panels for key in panel.keys):
        run = runs.get(definition.key(key))
        if run is not None and run.status not in UNDER_WAY and _failed(connection, run):
            retried[key] = retried.get(key, 0) + 1
    changed = definition.model_copy(update={"retried": retried})
    replace_eval(connection, name, changed.model_dump_json())
    return changed


def _failed(connection: Connection, run: KeyedRun) -> bool:
    return _state(load_report(connection, run.run)) is CaseState.FAILED


def load_eval(backend: Backend, name: str) -> StoredEval:
    """The evaluation of that name (`last`: the newest) as it stands. Raises UnknownRun."""

    def read(connection: Connection) -> StoredEval:
        if name == LAST:
            newest = list_evals(connection, 1)
            row = newest[0] if newest else None
        else:
            row = find_eval(connection, name)
        if row is None:
            raise UnknownRun(
                "there is no evaluation {name!r}: `quorate eval --list` shows them", name=name
            )
        return _stored(connection, row)

    return backend.read(read)


def all_evals(backend: Backend) -> list[StoredEval]:
    """The newest evaluations, each with its runs."""
    return backend.read(
        lambda connection: [_stored(connection, row) for row in list_evals(connection, LISTED)]
    )


def _stored(connection: Connection, row: EvalRow) -> StoredEval:
    definition = EvalDefinition.model_validate(row.body)
    return StoredEval(row, definition, runs_by_key(connection, definition.keys))


# ---- waiting ------------------------------------------------------------------------------------


def watch_eval(
    backend: Backend, name: str, observer: EvalObserver, timeout_s: float | None
) -> bool:
    """Report what changes until every run has ended; False when `timeout_s` was over before."""
    began = time.monotonic()
    care = ProcessCare(backend, observer.warn)
    before: Mapping[str, KeyedRun] | None = None
    while True:
        now = time.monotonic()
        stored = load_eval(backend, name)
        if stored.runs != before:
            observer.changed(stored)
            care.progressed()
            before = stored.runs
        if not stored.open:
            return True
        if timeout_s is not None and now - began >= timeout_s:
            return False
        care.look(stored.open[0].run)
        time.sleep(max(POLL_S, 5 * (time.monotonic() - now)))  # many cases are looked at less often


def cancel_eval(backend: Backend, stored: StoredEval, actor: str) -> list[str]:
    """End what has not ended of an evaluation; the runs that were ended."""
    runs = [run.run for run in stored.open]
    for run in runs:
        backend.write(partial(cancel_run, run=run, actor=actor))
    return runs


# ---- counting -----------------------------------------------------------------------------------


@dataclass
class _Costs:
    """What was spent on each run, by participant; a run that two cases share is charged to the first."""

    rows: dict[str, dict[str, SpentOnCase]] = field(default_factory=dict)

    def take(self, run: str) -> Mapping[str, SpentOnCase]:
        """What a run cost; nothing the second time."""
        return self.rows.pop(run, {})


def result_of(backend: Backend, names: Sequence[str], rules: ReadingRules) -> EvalResult:
    """What one evaluation came to, or several side by side. Raises UnknownRun."""
    stored = [load_eval(backend, name) for name in names]
    alone = len(stored) == 1
    panels = [
        _outcomes(backend, each, panel, panel.name if alone else f"{each.name}: {panel.name}")
        for each in stored
        for panel in each.definition.panels
    ]
    workflows = dict.fromkeys(each.definition.workflow for each in stored)
    return evaluated([each.name for each in stored], ", ".join(workflows), panels, rules)


def _outcomes(
    backend: Backend, stored: StoredEval, panel: DefinedPanel, title: str
) -> PanelOutcomes:
    keys = [stored.definition.key(key) for key in panel.keys]
    runs = [stored.runs.get(key) for key in keys]
    costs = _costs(backend, [run.run for run in runs if run is not None])
    return PanelOutcomes(
        name=title,
        participants=panel.participants,
        cases=tuple(
            (case, _outcome(backend, case, run, costs))
            for case, run in zip(stored.definition.cases, runs, strict=True)
        ),
    )


def _costs(backend: Backend, runs: Sequence[str]) -> _Costs:
    costs = _Costs({run: {} for run in runs})
    for row in backend.read(lambda connection: calls_by_participant(connection, runs)):
        costs.rows[row.run][row.participant] = SpentOnCase(row.calls, row.cost_usd, row.unknown)
    return costs


def _outcome(
    backend: Backend, case: DefinedCase, run: KeyedRun | None, costs: _Costs
) -> CaseOutcome:
    if run is None:
        return CaseOutcome(case.custom_id, None, CaseState.ABSENT)
    if run.status in UNDER_WAY:
        return CaseOutcome(case.custom_id, run.run, CaseState.OPEN)
    report = backend.read(lambda connection: load_report(connection, run.run))
    return replace(outcome_of(report, case.custom_id), spent=costs.take(run.run))


def outcome_of(report: RunReport, case: str) -> CaseOutcome:
    """What a run that has ended came to, as it would be shown: the likely findings first."""
    stated = [*_stated(report.steps)]
    kept = {finding.id for finding in report.kept}
    return CaseOutcome(
        case=case,
        run=report.run.id,
        state=_state(report),
        verdict=report.run.verdict or _status(report),
        findings=tuple(
            JudgedFinding(
                place.finding,
                likelihood(place.score),
                _confidences(place.finding, stated),
                place.faint,
            )
            for place in report.ranking
            if place.finding.id in kept
        ),
        seconds=report.run.elapsed_s,
    )


def _state(report: RunReport) -> CaseState:
    """A run without an end, or whose participants did not answer, measures nobody."""
    ended = report.run.status is RunStatus.COMPLETED
    return CaseState.MEASURED if ended and report.ending not in NO_ANSWER else CaseState.FAILED


def _status(report: RunReport) -> str | None:
    """How a run stands that came to nothing: blocked, cancelled, ..."""
    status = report.run.status
    return None if status is RunStatus.COMPLETED else status.value


def _stated(steps: Iterable[StepRow]) -> Iterable[tuple[str, RaisedFinding]]:
    for step in steps:
        raised = (step.reply or {}).get("findings")
        if step.kind != "turn" or not isinstance(raised, list) or not step.reply:
            continue
        reply = Critique.model_validate({"verdict": "NEEDS_FIX", "findings": raised})
        for finding in reply.findings:
            yield step.participant, finding


def _confidences(finding: Finding, stated: Iterable[tuple[str, RaisedFinding]]) -> dict[str, float]:
    """How sure those who raised it said they are, as far as they said so."""
    return {
        participant: raised.confidence
        for participant, raised in stated
        if participant in finding.raised_by
        and raised.confidence is not None
        and raised.title == finding.titles.get(participant, finding.title)
    }
