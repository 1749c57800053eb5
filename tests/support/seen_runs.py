"""Runs of simulated workflows as the store would give them: whole with their outcome, or in the middle."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.replay.commands import Outcome, RoundRecord, Turn
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot
from orchestrator.presentation.report import RunReport
from shared.models.assessment import RecordedAssessment
from shared.models.outcomes import RunStatus
from shared.models.rows import RunRow, StepRow, UsageRow
from shared.models.steps import StepResult
from tests.support.notices import words
from tests.support.reports import MOMENT
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation, Step

SECONDS_A_STAGE = 3.0


def report_of(
    run: Submission,
    simulation: Simulation,
    outcome: Outcome | None,
    *,
    title: str = "Which architecture?",
    stages: int | None = None,
    usage: UsageRow | None = None,
) -> RunReport:
    """The run with its outcome; without one as far as the first `stages` came."""
    steps = steps_of(simulation, stages)
    rounds = {
        key: record for key, record in simulation.records.items() if isinstance(record, RoundRecord)
    }
    records = [RecordedAssessment(key, record.assessment) for key, record in rounds.items()]
    if outcome is None:
        latest = max((step.round for step in steps), default=0)
        records = [one for one in records if one.figures.round < latest]
    last = [record.findings for record in rounds.values()]
    body = None if outcome is None else _stored(outcome)
    status = RunStatus.RUNNING if outcome is None else RunStatus.COMPLETED
    row = RunRow(
        id="rabc",
        workflow=run.spec.workflow,
        title=title,
        status=status,
        phase=simulation.phases[-1],
        verdict=None if outcome is None else outcome.verdict.value,
        ending=None if outcome is None or outcome.ending is None else outcome.ending.value,
        open_steps=0,
        blocked_reason=None,
        spec=run.spec.model_dump(mode="json"),
        outcome=body,
        created_at=MOMENT,
        updated_at=MOMENT,
        finished_at=None if outcome is None else MOMENT,
        elapsed_s=42.5,
    )
    spent = usage or UsageRow(len(steps), 4321, 987, 0, 0.0123, 0)
    return RunReport(row, steps, tuple(records), last[-1] if last else (), (), spent)


def _stored(outcome: Outcome) -> dict[str, object]:
    return {
        "verdict": outcome.verdict.value,
        "ending": outcome.ending,
        "summary": outcome.summary if isinstance(outcome.summary, str) else words(outcome.summary),
        "findings": [one.model_dump(mode="json") for one in outcome.findings],
        "detail": outcome.detail,
        "warnings": [one.model_dump(mode="json") for one in outcome.warnings],
    }


def steps_of(simulation: Simulation, stages: int | None = None) -> tuple[StepRow, ...]:
    """The steps in the order in which they were scheduled; every stage takes a few seconds."""
    return tuple(
        _row(simulation.commands[key], simulation.steps[key].result, number, place)
        for number, stage in enumerate(simulation.stages[:stages])
        for place, key in enumerate(stage)
    )


def _row(step: Step, result: StepResult | None, stage: int, place: int) -> StepRow:
    began = stage * SECONDS_A_STAGE
    failure = None if result is None else result.failure
    status = "leased" if result is None else ("done" if failure is None else "failed")
    who = step.participant.name if isinstance(step, Turn) else step.participant
    return StepRow(
        key=step.key,
        kind="turn" if isinstance(step, Turn) else "tool",
        participant=who,
        role=getattr(step.role, "value", str(step.role)),
        round=step.round,
        status=status,
        attempts=1,
        queued_at_s=began + 0.1,
        leased_at_s=began + 0.2,
        finished_at_s=None if result is None else began + 1.2 + place * 0.5,
        reply=None if result is None else result.reply,
        failure_kind=None if failure is None else failure.kind.value,
        failure_message=None if failure is None else failure.message,
        note="",
        tokens=None if result is None else result.tokens,
        cost_usd=None if result is None else result.cost_usd,
        input_tokens=None,
        output_tokens=None,
    )


def snapshot_of(report: RunReport, *, elapsed_s: float = 42.5) -> RunSnapshot:
    """The report's run as a watcher sees it."""
    return RunSnapshot(
        run=report.run.id,
        status=report.run.status,
        phase=report.run.phase,
        elapsed_s=elapsed_s,
        steps=report.steps,
        assessments=report.assessments,
        usage=report.usage,
        header=RunHeader.of(report.run, report.spec),
    )


def opened(step: StepRow, *, leased: bool = True) -> StepRow:
    """The same step while it is worked on, or while it waits."""
    return replace(
        step,
        status="leased" if leased else "pending",
        leased_at_s=step.leased_at_s if leased else None,
        finished_at_s=None,
        reply=None,
        failure_kind=None,
        failure_message=None,
    )
