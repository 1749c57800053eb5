"""Agents whose processes die at every kind of step, whose Redis forgets and whose messages come twice.

Whatever happens: the run ends, by the same path, with one record for each transition, one answer for each approval,
one child run and one commit.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrator.application.report import load_report
from orchestrator.application.undoing import undo_spec
from orchestrator.workflows.agent.options import AgentOptions
from shared.errors import EnvironmentFault
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import RunStatus
from shared.models.panel import Participant
from shared.models.workspace import Workspace
from shared.store.decisions import answer_decision
from shared.store.listed_decisions import list_decisions
from tests.chaos.cluster import ENDED, Cluster, Repeated
from tests.chaos.invariants import Figures, examine
from tests.chaos.nemesis import Nemesis
from tests.chaos.workload import KEY_VARIABLE, git
from tests.support.agent_cast import submitted_task

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]
SETTLE_S = 200.0

USER = "class User:\n    def __init__(self, email):\n        self.email = email\n"
TEST = 'from user import User\n\n\ndef test_email():\n    assert User("a@b").email == "a@b"\n'
PATCH = (
    "--- a/user.py\n+++ b/user.py\n@@ -1,3 +1,6 @@\n class User:\n     def __init__(self, email):\n"
    "         self.email = email\n+\n+    def validate_email(self):\n+        return '@' in self.email\n"
)
TOOLS = (
    "context_navigation/1/search",
    "implementation/2/files",
    "implementation/2/patch/1",
    "test/3/tests",
    "qa/4/change",
    "git_workflow/5/commit",
)
PATH = ["context_navigation", "implementation", "test", "qa", "git_workflow", "idle"]


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    """A cluster with tool workers."""
    made = Cluster(with_tools=True)
    yield made
    made.close()


@pytest.fixture
def agents(cluster: Cluster) -> Cluster:
    """The cluster with a coder who writes the method."""
    proposal = {"patch": PATCH, "explanation": "User has a method that checks its address."}
    cluster.tell(
        {"*": {"latency": "0.1"}, "coder": {"latency": "0.2", "text": json.dumps(proposal)}}
    )
    return cluster


def submit(cluster: Cluster) -> str:
    """An agent on a repository of its own."""
    place = cluster.folder / f"agent-{len(list(cluster.folder.glob('agent-*')))}"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "user.py").write_text(USER)
    (place / "test_user.py").write_text(TEST)
    git(place, "add", ".")
    git(place, "commit", "-qm", "first")
    coder = Participant(
        name="coder",
        provider="openai",
        model="coder",
        family="coder",
        timeout_s=60.0,
        options={"base_url": cluster.models.base_url, "api_key_env": KEY_VARIABLE},
    )
    options = AgentOptions(tests=f"{sys.executable} -m pytest -q -p no:cacheprovider", coder=coder)
    commit = git(place, "rev-parse", "HEAD").strip()
    workspace = Workspace(repository=str(place), commit=commit)
    run = submitted_task(
        "User 클래스에 validate_email 메서드 추가해줘", options, workspace=workspace
    )
    name = cluster.engine.submit(run.spec, "an agent", run.documents)
    cluster.signals.send(name)
    return name


def answer(cluster: Cluster, run: str, choice: str = "approve", message: str = "") -> str | None:
    """Answer the run's open decision as `quorate decide` does; its key."""
    rows = cluster.database.run(lambda c: list_decisions(c, run=run, only_open=True))
    if not rows:
        return None
    given = DecisionAnswer(choice=choice, actor="kim", channel="cli", message=message)
    cluster.database.run(
        lambda c: answer_decision(c, run, rows[0].key, given, rows[0].shown_sha256), atomic=True
    )
    cluster.signals.send(run)
    return rows[0].key


def approve_all(cluster: Cluster, *runs: str) -> float:
    """Approve whatever they ask until they have ended; how long that took."""
    started = time.monotonic()

    def ended() -> bool:
        for run in runs:
            answer(cluster, run)
        return {*cluster.statuses(runs).values()} <= {*ENDED}

    cluster.wait_for(ended, "every agent ends", SETTLE_S)
    return time.monotonic() - started


@dataclass(frozen=True)
class Account:
    """What a run did, as its journal, its decisions, its child runs and its repository have it."""

    status: RunStatus
    verdict: str | None
    path: list[str]
    numbers: list[int]
    answers: Counter[str]
    children: Counter[str]
    commits: list[str]
    steps: frozenset[str]


def children(cluster: Cluster, run: str) -> list[Any]:
    return cluster.ask("SELECT id, workflow FROM runs WHERE parent_run = %s ORDER BY id", run)


def commits(cluster: Cluster, run: str) -> list[str]:
    """The subjects of what was committed for the run, in whichever repository."""
    subjects = []
    for place in cluster.folder.glob("agent-*"):
        listed = git(place, "branch", "--list", f"*{run}*", "--format=%(refname:short)")
        for branch in listed.split():
            subjects += git(place, "log", "--format=%s", f"main..{branch}").splitlines()
    return subjects


def account(cluster: Cluster, run: str) -> Account:
    report = cluster.database.run(lambda connection: load_report(connection, run))
    rows = [row.body for row in report.records if row.kind == "transition"]
    decisions = cluster.database.run(lambda c: list_decisions(c, run=run, only_open=False))
    return Account(
        status=report.run.status,
        verdict=report.verdict,
        path=[row["to_mode"] for row in rows],
        numbers=[row["number"] for row in rows],
        answers=Counter(row.answer["choice"] for row in decisions if row.answer),
        children=Counter(row.workflow for row in children(cluster, run)),
        commits=commits(cluster, run),
        steps=frozenset(step.key for step in report.steps),
    )


def require_once(cluster: Cluster, run: str, settled: float) -> Figures:
    """The run did all of it, once. Fails with what it did otherwise."""
    done = account(cluster, run)
    assert (done.status, done.verdict) == (RunStatus.COMPLETED, "DONE")
    assert done.path == PATH
    assert done.numbers == list(range(1, len(PATH) + 1))
    assert done.answers == {"approve": 2}
    assert done.children == {"review": 1}
    assert done.commits == ["User 클래스에 validate_email 메서드 추가해줘"]
    runs = [run, *(row.id for row in children(cluster, run))]
    return examine(cluster, runs, settle_s=settled)


def tool_attempts(cluster: Cluster, run: str) -> dict[str, int]:
    """How often each tool run of the agent was begun."""
    sql = "SELECT key, attempts FROM steps WHERE run_id = %s AND kind = 'tool'"
    return {row.key: row.attempts for row in cluster.ask(sql, run)}


def test_a_commit_whose_worker_died_before_it_could_say_so_is_made_once(
    agents: Cluster, measured: dict[str, object]
) -> None:
    agents.replace("tools", slots=1, kill_at=f"tool-done:{len(TOOLS)}")
    run = submit(agents)
    measured.update(require_once(agents, run, approve_all(agents, run)).told())
    again = {key for key, begun in tool_attempts(agents, run).items() if begun > 1}
    assert again == {TOOLS[-1]}, "the worker was killed elsewhere"


@pytest.mark.slow
@pytest.mark.parametrize(
    "point",
    [
        pytest.param("claimed", id="before-its-effect"),
        pytest.param("tool-done", id="after-its-effect"),
        pytest.param("finished", id="after-its-end"),
    ],
)
def test_a_tool_worker_killed_with_every_step_does_each_once(
    agents: Cluster, measured: dict[str, object], point: str
) -> None:
    # A process ends one step and is killed with its second, as is the one in its place: only the first is spared.
    # After its end a step is over: there every one can be struck.
    count = 1 if point == "finished" else 2
    agents.replace("tools", slots=1, env={"QUORATE_KILL_AT": f"{point}:{count}"})
    run = submit(agents)
    settled = approve_all(agents, run)
    measured.update(require_once(agents, run, settled).told())
    attempts = tool_attempts(agents, run)
    again = {key for key, begun in attempts.items() if begun > 1}
    assert attempts.keys() == {*TOOLS}
    assert agents.kills() >= len(TOOLS) + 1 - count
    assert again == (set() if point == "finished" else {*TOOLS[1:]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("point", "extra"), [("claimed", 0), ("response-received", 1), ("response-stored", 0)]
)
def test_a_worker_killed_in_the_coder_s_turn_pays_no_answer_twice_that_it_has(
    agents: Cluster, measured: dict[str, object], point: str, extra: int
) -> None:
    agents.replace("turns", slots=1, kill_at=point)
    agents.replace("tools", slots=1, kill_at="claimed")
    run = submit(agents)
    figures = require_once(agents, run, approve_all(agents, run))
    measured.update(figures.told())
    assert figures.extra_calls == extra
    assert figures.kills == 2


@pytest.mark.slow
@pytest.mark.parametrize("point", ["advance-uncommitted", "advance-committed", "stage-published"])
def test_an_orchestrator_killed_with_every_advance_writes_each_transition_once(
    agents: Cluster, measured: dict[str, object], point: str
) -> None:
    agents.replace("orchestrator", env={"QUORATE_KILL_AT": f"{point}:2"})
    run = submit(agents)
    figures = require_once(agents, run, approve_all(agents, run))
    measured.update(figures.told())
    assert figures.kills >= len(PATH) - 1


@pytest.mark.slow
@pytest.mark.parametrize("point", ["child-committed", "child-ended"])
def test_an_orchestrator_killed_around_the_review_starts_one_review(
    agents: Cluster, measured: dict[str, object], point: str
) -> None:
    agents.replace("orchestrator", kill_at=point)
    run = submit(agents)
    figures = require_once(agents, run, approve_all(agents, run))
    measured.update(figures.told())
    assert figures.kills == 1, "the kill point was not reached"


@pytest.mark.slow
def test_every_message_doubled_and_a_redis_that_forgets_change_nothing(
    agents: Cluster, measured: dict[str, object]
) -> None:
    runs = [submit(agents), submit(agents)]
    published: set[tuple[str, str]] = set()

    def deliver_again() -> None:
        family = [*runs, *(row.id for run in runs for row in children(agents, run))]
        agents.republish(family, 3, leaving_out=published)

    with Repeated(deliver_again, 0.05), Repeated(agents.redis.flushall, 0.7):
        settled = approve_all(agents, *runs)
    for run in runs:
        measured.update(require_once(agents, run, settled).told())


def wait_for_question(cluster: Cluster, run: str) -> None:
    cluster.settle([run], SETTLE_S, waiting=True)
    assert cluster.statuses([run])[run] is RunStatus.WAITING, account(cluster, run)


def test_an_approval_outlives_every_process_and_a_redis_that_was_wiped(
    agents: Cluster, measured: dict[str, object]
) -> None:
    run = submit(agents)
    wait_for_question(agents, run)
    names = ("orchestrator", "turns", "tools")
    for name in names:
        agents.keeper[name].revived = False
        agents.kill(name)
    agents.redis.flushall()
    rejected = answer(agents, run, "reject", "keep the old name")
    assert rejected is not None
    assert answer(agents, run) is None, "it was answered"
    for name in names:
        agents.keeper[name].revived = True
    wait_for_question(agents, run)
    settled = approve_all(agents, run)
    measured["settle s"] = round(settled, 1)
    done = account(agents, run)
    assert (done.status, done.verdict) == (RunStatus.COMPLETED, "DONE")
    assert done.path == [PATH[0], PATH[1], *PATH]
    assert done.numbers == list(range(1, len(done.path) + 1))
    assert done.answers == {"reject": 1, "approve": 2}
    assert len(done.commits) == 1
    figures = examine(agents, [run], settle_s=settled)
    assert figures.extra_calls == 0


@pytest.mark.slow
@pytest.mark.parametrize("point", ["claimed", "tool-done", "finished", "advance-uncommitted"])
def test_an_undoing_that_is_killed_takes_the_commit_back_once(
    agents: Cluster, measured: dict[str, object], point: str
) -> None:
    run = submit(agents)
    approve_all(agents, run)
    report = agents.database.run(lambda connection: load_report(connection, run))
    victim = "orchestrator" if point.startswith("advance") else "tools"
    agents.replace(victim, kill_at=point)
    undo = agents.engine.submit(undo_spec(report), "undo", {})
    agents.signals.send(undo)
    measured["settle s"] = round(agents.settle([undo], SETTLE_S), 1)
    assert agents.kills() == 1, "the kill point was not reached"
    assert commits(agents, run) == []
    (step,) = agents.database.run(lambda connection: load_report(connection, undo)).steps
    assert step.failure_message is None, step.failure_message


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_agents_under_a_random_nemesis_end_once(
    agents: Cluster, measured: dict[str, object], seed: int
) -> None:
    runs = [submit(agents) for _ in range(4)]
    nemesis = Nemesis(agents, seed)

    def approve() -> None:
        with suppress(EnvironmentFault):
            for run in runs:
                answer(agents, run)

    with Repeated(approve, 0.5):
        nemesis.rage(40)
    settled = approve_all(agents, *runs)
    for run in runs:
        measured.update(require_once(agents, run, settled).told())
    measured["faults"] = sum(nemesis.done.values())
