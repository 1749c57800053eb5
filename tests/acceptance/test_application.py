"""The use cases, called by something that is not the command line: nothing is typed, nothing is printed."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrator.application.backend import Backend, connected
from orchestrator.application.decide import DecisionRequest, decide
from orchestrator.application.fork import ForkRequest, plan_run_fork, submit_fork
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.lifecycle import cancel
from orchestrator.application.listings import inbox, runs, spent
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.replay import ReplayRequest, compare_runs, replay
from orchestrator.application.report import report_of
from orchestrator.application.submit import submit_run
from orchestrator.application.undoing import submit_undo, undo_result
from orchestrator.application.watch import RunWatcher
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.report import RunReport
from shared.errors import DecisionConflict, UserError
from shared.models.notices import Notice
from shared.models.outcomes import RunStatus
from shared.store.run_filter import RunFilter
from shared.store.spending import Grouping
from tests.fixtures.instance import CommandLine, git

pytestmark = pytest.mark.acceptance


@dataclass
class Follower:
    """What an HTTP service would send on as events."""

    streams: bool = False
    seen: list[str] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)

    def changed(self, before: RunSnapshot | None, after: RunSnapshot) -> None:
        known = {step.key for step in before.steps} if before else set()
        self.seen += [step.key for step in after.steps if step.key not in known]

    def refreshed(self, snapshot: RunSnapshot) -> None:
        assert snapshot.run

    def warn(self, notice: Notice) -> None:
        self.warnings.append(notice)


def settled(backend: Backend, run: str) -> tuple[RunReport, Follower]:
    """Watch until the run asks or ends."""
    follower = Follower()
    assert RunWatcher(StoredInstallation(backend), run, follower).watch_until_settled(100)
    return report_of(backend, run), follower


def reviewed(backend: Backend, repository: Path) -> str:
    request = SubmissionRequest(directory=repository, panel=("ruff", "bandit"), batch="nightly")
    prepared = prepare_run(request, backend.environ)
    return submit_run(backend, prepared, NoticeList(), watched=True)


def answer(run: str, choice: str) -> DecisionRequest:
    return DecisionRequest(run=run, choice=choice, actor="ada", channel="web")


def test_a_review_is_submitted_watched_decided_and_undone_by_a_plain_function(
    live: CommandLine, changed_repository: Path, capfd: pytest.CaptureFixture[str]
):
    with connected(live.environ) as backend:
        run = reviewed(backend, changed_repository)
        report, follower = settled(backend, run)
        assert report.run.status is RunStatus.WAITING
        assert {"critique/1/ruff", "critique/1/bandit"} <= set(follower.seen)
        assert run in [row.run_id for row in inbox(backend).decisions]

        with pytest.raises(UserError, match="not offered"):
            decide(backend, answer(run, "perhaps"))
        row = decide(backend, answer(run, "apply_fix"))
        assert (row.answer or {})["actor"] == "ada"
        with pytest.raises(DecisionConflict):
            decide(backend, answer(run, "skip"))
        report, _ = settled(backend, run)
        assert report.run.status is RunStatus.COMPLETED
        assert report.applied
        assert "import sys" not in git(changed_repository, "show", f"quorate/fix-{run}:app.py")

        undo = submit_undo(backend, run)
        settled(backend, undo)
        assert undo_result(backend, undo).done
        assert git(changed_repository, "branch", "--list", f"quorate/fix-{run}") == ""
    assert capfd.readouterr() == ("", "")


def test_a_run_is_replayed_forked_compared_and_cancelled_by_a_plain_function(
    live: CommandLine, changed_repository: Path, capfd: pytest.CaptureFixture[str]
):
    with connected(live.environ) as backend:
        run = reviewed(backend, changed_repository)
        settled(backend, run)
        checked = replay(backend, ReplayRequest(run=run, rules={})).checked
        assert checked is not None
        assert checked.same
        other = replay(backend, ReplayRequest(run=run, rules={"agreement": "0.5"})).what_if
        assert other is not None
        assert len(other.variants) == 1

        request = ForkRequest(run=run, at="decision", directory=changed_repository, rules={})
        planned = plan_run_fork(backend, request, NoticeList())
        fork = submit_fork(backend, planned, NoticeList())
        settled(backend, fork)
        assert compare_runs(backend, run, fork).comparison.same

        for name in (run, fork):
            assert cancel(backend, name, "ada") == name
            assert report_of(backend, name).run.status is RunStatus.CANCELLED
        assert {run, fork} <= {
            row.id for row in runs(backend, limit=10, wanted=RunFilter(status="cancelled")).rows
        }
        assert spent(backend, Grouping.RUN, run=run, since_s=None).run == run
    assert capfd.readouterr() == ("", "")
