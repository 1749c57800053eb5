"""The report of a batch: a row for each item that has ended, what they come to together, and the labels' figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.application.backend import Backend
from orchestrator.application.batch import items_of
from orchestrator.application.batch_standing import batch_status
from orchestrator.application.evaluation import outcome_of
from orchestrator.application.report import load_report
from orchestrator.evaluation.cases import CLEAN, ExpectedFinding
from orchestrator.evaluation.cohort import CohortReport, CohortRow, ParticipantCost, cohort
from orchestrator.evaluation.result import DefinedCase, EvalResult, PanelOutcomes, evaluated
from orchestrator.evaluation.scoring import CaseOutcome, CaseState, ReadingRules, SpentOnCase
from orchestrator.presentation.report import RunReport
from shared.models.batches import ENDED, ItemState
from shared.models.findings import Finding, FindingStatus
from shared.models.outcomes import Verdict
from shared.store.batch_items import ItemRow
from shared.store.evals import CallsRow, calls_by_participant

_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_COUNTED = frozenset({FindingStatus.ACCEPTED, FindingStatus.CONTESTED})


@dataclass(frozen=True)
class Cohort:
    """A report, and the rows that it counts."""

    report: CohortReport
    rows: tuple[CohortRow, ...]


def cohort_of(backend: Backend, name: str, rules: ReadingRules) -> Cohort:
    """Everything that can be said of a batch as it stands. Raises UnknownRun."""
    status = batch_status(backend, name)
    gathered = _Gathered(backend)
    for item in items_of(backend, status.batch.name):
        gathered.add(item)
    rows = tuple(gathered.rows)
    labels = gathered.labelled(status.batch.name, rules)
    report = cohort(status.batch.name, status.batch.total, rows, gathered.costs(), labels)
    counts = {state.value: number for state, number in status.counts.items() if number}
    return Cohort(report.model_copy(update={"states": counts}), rows)


class _Gathered:
    """Rows of items, read run by run; a run that two items share is charged once."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.rows: list[CohortRow] = []
        self._cases: list[tuple[DefinedCase, CaseOutcome]] = []
        self._participants: dict[str, None] = {}
        self._workflows: dict[str, None] = {}
        self._costs: dict[str, list[CallsRow]] = {}
        self._charged: set[str] = set()

    def add(self, item: ItemRow) -> None:
        if item.state not in ENDED:
            self._label(item, None)
            return
        report = self._backend.read(lambda connection: load_report(connection, item.run))
        calls = self._backend.read(lambda connection: calls_by_participant(connection, [item.run]))
        for critic in report.critics:
            self._costs.setdefault(critic.name, [])
        self.rows.append(_row(item, report, calls))
        if item.run in self._charged:
            calls = []
        self._charged.add(item.run)
        for row in calls:
            self._costs.setdefault(row.participant, []).append(row)
        outcome = outcome_of(report, item.custom_id)
        self._label(item, replace(outcome, spent=_spent(calls), seconds=item.seconds))
        if "labels" in item.body:
            self._participants.update((critic.name, None) for critic in report.critics)
            self._workflows[item.workflow] = None

    def _label(self, item: ItemRow, outcome: CaseOutcome | None) -> None:
        labels = item.body.get("labels")
        if labels is None:
            return
        stated = () if labels == CLEAN else labels
        expected = tuple(ExpectedFinding.model_validate(label) for label in stated)
        case = DefinedCase(custom_id=item.custom_id, expected=expected)
        unmeasured = CaseOutcome(item.custom_id, item.run, CaseState.OPEN)
        self._cases.append((case, outcome or unmeasured))

    def labelled(self, name: str, rules: ReadingRules) -> EvalResult | None:
        """The figures of the labelled items; None where there is none."""
        if not self._cases:
            return None
        panel = PanelOutcomes(name, tuple(self._participants), tuple(self._cases))
        return evaluated([name], ", ".join(self._workflows), [panel], rules)

    def costs(self) -> dict[str, ParticipantCost]:
        """What each participant's calls cost in all."""
        return {name: _summed(rows) for name, rows in self._costs.items()}


def _summed(rows: Sequence[CallsRow]) -> ParticipantCost:
    known = [row.cost_usd for row in rows if row.cost_usd is not None]
    return ParticipantCost(
        sum(row.calls for row in rows),
        sum(known) if known else None,
        sum(row.unknown for row in rows),
    )


def _spent(calls: Sequence[CallsRow]) -> Mapping[str, SpentOnCase]:
    return {row.participant: SpentOnCase(row.calls, row.cost_usd, row.unknown) for row in calls}


def _row(item: ItemRow, report: RunReport, calls: Sequence[CallsRow]) -> CohortRow:
    total = _summed(calls)
    findings, assessment = report.kept, report.assessment
    return CohortRow(
        custom_id=item.custom_id,
        run=item.run,
        workflow=item.workflow,
        state=item.state,
        verdict=None if report.verdict is None else str(report.verdict),
        ending=item.ending,
        reason=_reason(item, report),
        rounds=report.rounds,
        agreement=None if assessment is None else assessment.metrics.agreement_ratio,
        severities=Counter(finding.severity.value for finding in findings),
        statuses=Counter(finding.status.value for finding in findings),
        raised_by=_raisers(findings),
        accepted_of=_raisers(finding for finding in findings if finding.status in _COUNTED),
        said=_last_verdicts(report),
        calls=total.calls,
        cost_usd=total.cost_usd,
        unknown_costs=total.unknown,
        seconds=item.seconds,
        expected=tuple(Verdict(word) for word in item.body.get("expected_verdict", ())),
    )


def _raisers(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(name for finding in findings for name in finding.raised_by)


def _last_verdicts(report: RunReport) -> dict[str, str]:
    """The last word of each participant on the verdict."""
    stated = {}
    for step in report.steps:
        verdict = (step.reply or {}).get("verdict")
        if step.kind == "turn" and isinstance(verdict, str) and verdict in _VERDICTS:
            stated[step.participant] = verdict
    return stated


def _reason(item: ItemRow, report: RunReport) -> str | None:
    """Why nothing came of it: the kinds of its steps' failures, else how it ended or stands."""
    if item.state is not ItemState.FAILED:
        return None
    kinds = sorted({str(step.failure_kind) for step in report.steps if step.failure_kind})
    return ", ".join(kinds) or item.ending or report.run.status.value
