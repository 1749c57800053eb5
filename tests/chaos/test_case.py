"""A case whose workers are killed in the middle of every node of its graph ends as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from orchestrator.application.report import load_report
from orchestrator.workflows.case.options import CaseOptions
from tests.chaos.cluster import Cluster
from tests.support.case_cast import THE_LENSES, submitted_case
from tests.support.debates import member
from tests.support.review_panel import Submission

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(600)]

CAST: list[Any] = [
    {
        "when": {"role": "routing"},
        "reply": {
            "tools": [
                {"tool": "lens_severity_risk", "reason": "the pressure is low"},
                {"tool": "lens_monitoring_response", "reason": "she takes drugs"},
            ]
        },
    },
    {"when": {"role": "diagnosis"}, "reply": {"analysis": "sepsis", "queries": ["lactate"]}},
    {"when": {"role": "rewriting"}, "reply": {"queries": {"lactate": "lactic acid"}}},
    {"when": {"role": "feedback"}, "reply": {"ok": True}},
    {
        "when": {"role": "verification"},
        "reply": {"solutions": [{"point": "F1", "action": "look", "citations": ["E1"]}]},
    },
    {
        "when": {"role": "critique"},
        "reply": {
            "critique_points": [{"point": "No source is looked for", "quote": "a fever for 3 days"}]
        },
    },
    {"reply": {"analysis": "nothing"}},
]
ONCE: dict[str, Any] = {"kill_at": "claimed"}
"""The first step that a process takes is struck."""
ALWAYS: dict[str, Any] = {"env": {"QUORATE_KILL_AT": "claimed:2"}}
"""A process ends one step and is killed with its second, as is the one in its place: only the first is not struck."""


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    """A cluster with tool workers."""
    made = Cluster(with_tools=True)
    yield made
    made.close()


def a_case() -> Submission:
    """Everybody takes part; the router is a model."""
    ada, bob, ann = (
        member(name).model_copy(update={"options": {"replies": CAST}, "timeout_s": 60.0})
        for name in ("ada", "bob", "ann")
    )
    options = CaseOptions(router="llm", analyst=ann, verifier=ann, max_iterations=1)
    return submitted_case(options, critics=(ada, bob, THE_LENSES))


def submit(cluster: Cluster) -> str:
    run = a_case()
    name = cluster.engine.submit(run.spec, "killed in every node", run.documents)
    cluster.signals.send(name)
    return name


def outcome(cluster: Cluster, run: str) -> Any:
    row = cluster.database.run(lambda connection: load_report(connection, run)).run
    return json.loads(json.dumps(row.outcome))


def roles(cluster: Cluster, run: str, at_least: int) -> set[str]:
    """The nodes of which a step was begun so often."""
    sql = "SELECT role FROM steps WHERE run_id = %s AND kind IN ('turn', 'tool') AND attempts >= %s"
    return {row.role for row in cluster.ask(sql, run, at_least)}


def test_a_worker_that_is_killed_in_the_middle_of_every_node_changes_nothing(
    cluster: Cluster,
) -> None:
    untouched = submit(cluster)
    cluster.settle([untouched], 150)
    struck: set[str] = set()
    for faults in (ONCE, ALWAYS):
        for name in ("turns", "tools"):
            cluster.replace(name, slots=1, **faults)
        killed = submit(cluster)
        cluster.settle([killed], 300)
        assert outcome(cluster, killed) == outcome(cluster, untouched)
        struck |= roles(cluster, killed, 2)
    assert struck == roles(cluster, untouched, 1)
