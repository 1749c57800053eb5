"""Runs submitted to an instance that is up, without a command each, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.application.report import load_report
from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.servers import ensure
from orchestrator.engine.advance import Engine
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.workflows.registry import workflow_of
from shared.delivery.signals import Signals
from shared.models.outcomes import Ending, RunStatus, Verdict
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.settings import ServiceSettings
from shared.store.database import Database
from tests.support.review_panel import Submission

STOPPED = frozenset({RunStatus.WAITING, RunStatus.BLOCKED})


@dataclass(frozen=True)
class Ended:
    """What came of a run: how it ended, and what a person is told."""

    run: str
    status: RunStatus
    ending: Ending | None
    verdict: Verdict | None
    exit_code: int
    summary: str
    warnings: Sequence[str]
    detail: Mapping[str, Any]
    steps: Mapping[str, str | None]  # key to the kind of its failure


class Submitter:
    """Submits runs and waits for all of them at once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """`environ` names an instance that is up."""
        endpoints = ensure(ServiceSettings.from_environment(environ).instance)
        self.database = Database(endpoints.database_url, patience_s=30)
        self.signals = Signals(endpoints.redis_url)
        self.engine = Engine(self.database)

    def submit(self, run: Submission, title: str = "a deliberation") -> str:
        """Submit; the run's id."""
        name = self.engine.submit(run.spec, title, run.documents)
        self.signals.send(name)
        return name

    def ended(self, runs: Sequence[str], within_s: float = 240.0) -> dict[str, Ended]:
        """What came of all of them. Fails when one does not end."""

        def going() -> list[str]:
            reports = map(self.look, runs)
            return [
                one.run for one in reports if not one.status.final and one.status not in STOPPED
            ]

        assert wait_until(lambda: not going(), within_s, 0.2), f"{going()} did not end"
        return {run: self.look(run) for run in runs}

    def look(self, run: str) -> Ended:
        """The run as it is."""
        report = self.database.run(lambda connection: load_report(connection, run))
        outcome = report.run.outcome or {}
        return Ended(
            run=run,
            status=report.run.status,
            ending=report.ending,
            verdict=report.verdict,
            exit_code=int(exit_code(report)),
            summary=outcome.get("summary", ""),
            warnings=tuple(outcome.get("warnings") or ()),
            detail=report.detail,
            steps={step.key: step.failure_kind for step in report.steps},
        )

    def close(self) -> None:
        """Let go of the connections."""
        self.database.close()
        self.signals.close()


def with_script(run: Submission, script: Sequence[Any], timeout_s: float = 60.0) -> Submission:
    """The same run, everybody reading from one script."""
    entries = json.loads(json.dumps(list(script)))

    def reading(one: Participant) -> Participant:
        update = {"provider": "scripted", "options": {"replies": entries}, "timeout_s": timeout_s}
        return one.model_copy(update=update)

    spec, panel = run.spec, run.spec.panel
    options = workflow_of(spec).options_of(spec)
    if getattr(options, "moderator", None) is not None:
        options = options.model_copy(update={"moderator": reading(options.moderator)})
    changed = panel.model_copy(
        update={
            "critics": tuple(map(reading, panel.critics)),
            "author": reading(panel.author),
            "chair": reading(panel.chair),
        }
    )
    update: dict[str, Any] = {"panel": changed, "options": options.model_dump(mode="json")}
    return Submission(RunSpec.model_validate({**dict(spec), **update}), run.documents)
