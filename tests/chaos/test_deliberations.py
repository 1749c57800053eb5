"""A forum and a panel whose workers are killed in the middle of a call end as if nothing had happened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.application.report import load_report
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from shared.models.outcomes import Ending
from tests.chaos.cluster import Cluster
from tests.support import debates, question_panel
from tests.support.review_panel import Submission
from tests.support.scripted_casts import FORUM, PANEL, Cast
from tests.support.submitted_runs import with_script

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]


THOUGHT_S = (0.7, 6.0)  # longer where the machine stood still while somebody was to be killed


def slow(cast: Cast, thought_s: float) -> list[dict[str, Any]]:
    """The same cast, whose members think for a while: there is a middle to be killed in."""
    return [{**entry, "latency_s": thought_s} for entry in cast]


def forum(thought_s: float) -> Submission:
    """Three rounds, and everybody agrees."""
    run = question_panel.submitted("forum", ForumOptions(max_rounds=8))
    return with_script(run, slow(FORUM["agree"], thought_s))


def panel(thought_s: float) -> Submission:
    """Two camps that stay apart, and a judge."""
    options = PanelOptions(strategy="parallel", max_rounds=4)
    return with_script(debates.submitted(options), slow(PANEL["disagree"], thought_s))


def submit(cluster: Cluster, run: Submission) -> str:
    name = cluster.engine.submit(run.spec, "killed in the middle", run.documents)
    cluster.signals.send(name)
    return name


def outcome(cluster: Cluster, run: str) -> Any:
    """All that a report is made from, as JSON."""
    row = cluster.database.run(lambda connection: load_report(connection, run)).run
    return json.loads(json.dumps(row.outcome))


def kill_during(cluster: Cluster, run: str, like: str, victim: str = "turns") -> str | None:
    """SIGKILL a process while a step is being worked on; the step's key, or None when it was done too soon."""
    sql = "SELECT key, status FROM steps WHERE run_id = %s AND key LIKE %s || '%%' ORDER BY key"

    def is_worked_on_or_was() -> bool:
        return any(row.status in ("leased", "done") for row in cluster.ask(sql, run, like))

    cluster.wait_for(is_worked_on_or_was, f"{like}* is worked on")
    cluster.kill(victim)
    return next((row.key for row in cluster.ask(sql, run, like) if row.status == "leased"), None)


@pytest.mark.parametrize(
    ("made", "ending", "places"),
    [
        (forum, Ending.CONVERGED, ("speech/1/", "ballot/")),
        (panel, Ending.STALLED, ("argument/2/",)),
        pytest.param(forum, Ending.CONVERGED, ("opening/", "selection/2"), marks=pytest.mark.slow),
        pytest.param(
            panel, Ending.STALLED, ("argument/1/", "ballot/", "judgement/"), marks=pytest.mark.slow
        ),
    ],
    ids=["forum", "panel", "forum-elsewhere", "panel-elsewhere"],
)
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    cluster: Cluster, made: Any, ending: Ending, places: tuple[str, ...]
) -> None:
    untouched = submit(cluster, made(0.1))
    cluster.settle([untouched], 150)
    for thought_s in THOUGHT_S:
        killed = submit(cluster, made(thought_s))
        struck = [kill_during(cluster, killed, place) for place in places]
        cluster.settle([killed], 150)
        if None not in struck:
            break

    expected, got = outcome(cluster, untouched), outcome(cluster, killed)
    assert got["ending"] == ending
    assert got == expected
    sql = "SELECT key, attempts FROM steps WHERE run_id = %s"
    attempts = {row.key: row.attempts for row in cluster.ask(sql, killed)}
    assert all(attempts[key] >= 2 for key in struck), attempts
    assert len(attempts) == len(cluster.ask(sql, untouched)), "no step came twice"


def test_an_orchestrator_that_is_killed_between_rounds_changes_nothing(cluster: Cluster) -> None:
    untouched, killed = submit(cluster, forum(0.7)), submit(cluster, forum(0.7))
    for place in ("bid/1/", "speech/1/", "bid/3/"):
        kill_during(cluster, killed, place, "orchestrator")
    cluster.settle([untouched, killed], 150)

    assert outcome(cluster, killed) == outcome(cluster, untouched)
