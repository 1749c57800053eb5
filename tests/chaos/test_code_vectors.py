"""A search by meaning whose processes die at every kind of step of the embedding: each vector is stored once.

More definitions than one round of turns embeds: what a round stored is there for the next search, whatever fails then.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.application.report import load_report
from orchestrator.core.discussion.embedding import TURNS_AT_ONCE
from orchestrator.workflows.agent.options import AgentOptions
from orchestrator.workflows.agent.result import AgentResult
from shared.models.outcomes import RunStatus
from shared.models.panel import Participant
from shared.models.workspace import Workspace
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import Figures, examine
from tests.chaos.workload import git
from tests.support.agent_cast import submitted_task

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]
SETTLE_S = 200.0
FILES, FUNCTIONS = 11, 100
SALT = 'def season(dish):\n    """Salt and brine."""\n    return dish\n'
STEP = "context_navigation/1/search"
TOOLS = {
    f"{STEP}/meaning/unembedded",
    f"{STEP}/meaning/embedded/1",
    f"{STEP}/meaning/embedded/{TURNS_AT_ONCE + 1}",
    STEP,
}


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    """A cluster with tool workers."""
    made = Cluster(with_tools=True)
    yield made
    made.close()


@pytest.fixture
def searching(cluster: Cluster) -> Cluster:
    """The cluster with an embedding model that takes a little time."""
    cluster.speak(latency="0.1..0.2")
    return cluster


def submit(cluster: Cluster, model: str) -> str:
    """A search for salt in other words, in more code than one round embeds; the model has seen none of it."""
    place = cluster.folder / model
    if not place.exists():
        place.mkdir()
        git(place, "init", "-q", "-b", "main")
        (place / "kitchen.py").write_text(SALT)
        for file in range(FILES):
            functions = (f"def f{file}_{n}():\n    return {n}\n\n\n" for n in range(FUNCTIONS))
            (place / f"part{file:02}.py").write_text("".join(functions))
        git(place, "add", ".")
        git(place, "commit", "-qm", "code")
    near = Participant(
        name="near",
        provider="embeddings",
        model=model,
        options={"base_url": cluster.models.base_url},
    )
    state = Workspace(repository=str(place), commit=git(place, "rev-parse", "HEAD").strip())
    run = submitted_task(
        "where is hypertension?",
        AgentOptions(embedder=near, intent="rules"),
        coder=False,
        workspace=state,
    )
    name = cluster.engine.submit(run.spec, "a search", run.documents)
    cluster.signals.send(name)
    return name


def turns(cluster: Cluster, run: str) -> int:
    (row,) = cluster.ask(
        "SELECT count(*) AS n FROM steps WHERE run_id = %s AND kind = 'turn' AND status = 'done'",
        run,
    )
    return int(row.n)


def kept(cluster: Cluster, run: str) -> int:
    """How many vectors the run's rounds have stored."""
    (row,) = cluster.ask(
        "SELECT sum((reply->>'kept')::int) AS n FROM steps WHERE run_id = %s AND key LIKE %s",
        run,
        "%/embedded/%",
    )
    return int(row.n)


def require_all_embedded(cluster: Cluster, model: str, run: str) -> Figures:
    """The run found by meaning, each definition was embedded once, and the next search embeds none."""
    settled = cluster.settle([run], SETTLE_S)
    report = cluster.database.run(lambda connection: load_report(connection, run))
    assert report.run.status is RunStatus.COMPLETED
    assert isinstance(report.result, AgentResult)
    assert (report.result.hits[0].symbol, report.result.hits[0].ways[0]) == (
        "kitchen.season",
        "vector",
    )
    assert not report.warnings
    assert {step.key for step in report.steps if step.kind == "tool"} == TOOLS
    assert turns(cluster, run) > 1 + TURNS_AT_ONCE
    assert kept(cluster, run) == FILES * FUNCTIONS + 1
    figures = examine(cluster, [run], settle_s=settled)
    cluster.restore()
    again = submit(cluster, model)
    cluster.settle([again], SETTLE_S)
    assert turns(cluster, again) == 1, "what was stored is not known"
    return figures


@pytest.mark.parametrize(
    ("point", "extra"),
    [
        ("claimed", 0),
        pytest.param("response-received", 1, marks=pytest.mark.slow),
        pytest.param("response-stored", 0, marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_while_it_embeds_pays_no_vectors_twice_that_it_has(
    searching: Cluster, measured: dict[str, object], point: str, extra: int
) -> None:
    searching.replace("turns", slots=1, kill_at=f"{point}:3")
    figures = require_all_embedded(searching, f"turn-{point}", submit(searching, f"turn-{point}"))
    measured.update(figures.told())
    assert (figures.extra_calls, figures.kills) == (extra, 1)


@pytest.mark.parametrize(
    "point",
    [
        "tool-done",
        pytest.param("claimed", marks=pytest.mark.slow),
        pytest.param("finished", marks=pytest.mark.slow),
    ],
)
def test_a_tool_worker_killed_with_every_step_stores_every_vector(
    searching: Cluster, measured: dict[str, object], point: str
) -> None:
    # The first step of a process is spared, but after its end a step is over: there every one can be struck.
    count = 1 if point == "finished" else 2
    searching.replace("tools", slots=1, env={"QUORATE_KILL_AT": f"{point}:{count}"})
    figures = require_all_embedded(searching, f"tool-{point}", submit(searching, f"tool-{point}"))
    measured.update(figures.told())
    assert figures.extra_calls == 0
    assert figures.kills >= len(TOOLS) + 1 - count


@pytest.mark.slow
@pytest.mark.parametrize("point", ["advance-uncommitted", "advance-committed", "stage-published"])
def test_an_orchestrator_killed_with_every_advance_embeds_each_definition_once(
    searching: Cluster, measured: dict[str, object], point: str
) -> None:
    searching.replace("orchestrator", env={"QUORATE_KILL_AT": f"{point}:2"})
    figures = require_all_embedded(searching, point, submit(searching, point))
    measured.update(figures.told())
    assert figures.extra_calls == 0
    # Six stages, and of the advances of each process every second one is struck.
    assert figures.kills >= 3
