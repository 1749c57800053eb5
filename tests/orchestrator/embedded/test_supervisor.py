import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.embedded.crashes import why_nothing_starts
from orchestrator.embedded.processes import is_alive, is_stopped, marked, wait_until, working_in
from orchestrator.embedded.servers import ensure, is_up
from orchestrator.embedded.supervised import MARK, Lifeline, next_delay_s
from orchestrator.embedded.supervisor import (
    ALREADY_RUNNING,
    ChildStatus,
    SupervisorStatus,
    end_stopped_supervisor,
    ensure_supervisor,
    stop_supervisor,
    supervisor_status,
)
from shared.instance import Instance
from tests.orchestrator.embedded.faults import kill_postgres, kill_redis

pytestmark = pytest.mark.component

RUN = """
import sys
from pathlib import Path
from shared.instance import Instance
from orchestrator.embedded.supervisor import ProcessSpec, run_supervisor
root, watch, grace, *scripts = sys.argv[1:]
specs = [ProcessSpec(f"child{n}", ("/bin/sh", "-c", script)) for n, script in enumerate(scripts)]
sys.exit(run_supervisor(Instance.at(Path(root)), specs, grace_s=float(grace),
                        watch_servers=watch == "watch", durable=False))
"""
SLEEP = "exec sleep 300"


def argv(root: Path, *scripts: str, watch: bool = False, grace_s: float = 5) -> tuple[str, ...]:
    word = "watch" if watch else "no"
    return (sys.executable, "-c", RUN, str(root), word, str(grace_s), *scripts)


def start(instance: Instance, *command: str) -> None:
    assert ensure_supervisor(instance, command, os.environ)


def children(instance: Instance) -> dict[str, ChildStatus]:
    return {child.name: child for child in supervisor_status(instance).children}


def child_pid(instance: Instance, name: str = "child0", besides: int | None = None) -> int:
    """The child's pid once it runs, and is not `besides`."""

    def runs() -> bool:
        child = children(instance).get(name)
        return child is not None and child.pid not in {None, besides}

    log = instance.log_dir / "supervisor.log"
    assert wait_until(runs, 30), log.read_text()
    pid = children(instance)[name].pid
    assert pid is not None
    return pid


def supervised(instance: Instance) -> tuple[int, ...]:
    return marked(MARK, str(instance.state_dir))


def kill_supervisor(instance: Instance) -> None:
    pid = supervisor_status(instance).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


@pytest.fixture(autouse=True)
def _nothing_is_left(instance: Instance) -> Iterator[None]:
    yield
    stop_supervisor(instance)
    for pid in supervised(instance):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("last_s", "lived_s", "expected_s"),
    [(None, 0, 0.1), (0.1, 1, 0.2), (3.2, 1, 5.0), (5.0, 29.9, 5.0), (5.0, 30, 0.1)],
)
def test_the_delay_doubles_to_five_seconds_and_a_good_life_resets_it(
    last_s: float | None, lived_s: float, expected_s: float
) -> None:
    assert next_delay_s(last_s, lived_s) == expected_s


def test_a_child_killed_with_9_is_started_again(instance: Instance, tmp_path: Path) -> None:
    start(instance, *argv(tmp_path, SLEEP, SLEEP))
    first, other = child_pid(instance), child_pid(instance, "child1")

    os.kill(first, signal.SIGKILL)

    assert is_alive(child_pid(instance, besides=first))
    assert children(instance)["child0"].restarts == 1
    assert children(instance)["child1"].pid == other
    assert children(instance)["child1"].restarts == 0


def test_the_rest_of_a_dead_childs_group_goes_before_the_next_start(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "sleep 300 & exec sleep 300"))
    first = child_pid(instance)
    assert wait_until(lambda: len(supervised(instance)) == 2, 30)
    before = supervised(instance)

    os.kill(first, signal.SIGKILL)

    child_pid(instance, besides=first)
    assert wait_until(lambda: len(supervised(instance)) == 2, 30)
    assert not set(before) & set(supervised(instance))


def test_a_supervisor_killed_with_9_leaves_no_child_and_no_grandchild(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "sleep 300 & exec sleep 300", SLEEP))
    child_pid(instance)
    child_pid(instance, "child1")
    assert wait_until(lambda: len(supervised(instance)) == 3, 30)

    kill_supervisor(instance)

    assert wait_until(lambda: not supervised(instance), 30)
    assert supervisor_status(instance) == SupervisorStatus(running=False, killed=True)
    assert not stop_supervisor(instance)
    assert supervisor_status(instance) == SupervisorStatus(running=False)


def test_the_next_supervisor_ends_what_escaped_the_group_of_a_dead_one(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "setsid sleep 300 & exec sleep 300"))
    child_pid(instance)
    assert wait_until(lambda: len(supervised(instance)) == 2, 30)
    before = supervised(instance)
    kill_supervisor(instance)
    assert wait_until(lambda: len(supervised(instance)) == 1, 30)  # the one that escaped

    start(instance, *argv(tmp_path, SLEEP))

    new = child_pid(instance)
    assert wait_until(lambda: supervised(instance) == (new,), 30)
    assert new not in before


def test_killed_before_it_has_loaded_it_is_started_again(
    instance: Instance, tmp_path: Path
) -> None:
    assert ensure_supervisor(instance, argv(tmp_path, SLEEP), os.environ)
    killed = supervisor_status(instance).pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)  # Python has not even begun

    assert wait_until(lambda: supervisor_status(instance).pid not in {None, killed}, 30)
    assert child_pid(instance)


def test_stopped_before_it_has_loaded_it_stays_away(instance: Instance, tmp_path: Path) -> None:
    assert ensure_supervisor(instance, argv(tmp_path, SLEEP), os.environ)

    assert stop_supervisor(instance)

    assert not wait_until(lambda: supervisor_status(instance).pid is not None, 3)


def test_stopping_ends_what_a_supervisor_that_was_killed_with_its_lifeline_left(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "setsid sleep 300 & exec sleep 300"))
    child_pid(instance)
    assert wait_until(lambda: len(supervised(instance)) == 2, 30)
    kill_supervisor(instance)
    assert wait_until(lambda: len(supervised(instance)) == 1, 30)  # the one that escaped

    assert stop_supervisor(instance)

    assert not supervised(instance)
    assert not stop_supervisor(instance)


def test_a_stopped_supervisor_is_ended_and_leaves_its_place(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, SLEEP))
    before = child_pid(instance)
    assert not end_stopped_supervisor(instance)
    pid = supervisor_status(instance).pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert wait_until(lambda: is_stopped(pid), 30)

    assert end_stopped_supervisor(instance)

    start(instance, *argv(tmp_path, SLEEP))
    assert child_pid(instance, besides=before) != before


def test_a_second_supervisor_refuses(instance: Instance, tmp_path: Path) -> None:
    start(instance, *argv(tmp_path, SLEEP))
    first = child_pid(instance)

    assert not ensure_supervisor(instance, argv(tmp_path, SLEEP), os.environ)
    refused = subprocess.run(argv(tmp_path, SLEEP), stderr=subprocess.PIPE, check=False)

    assert refused.returncode == ALREADY_RUNNING
    assert b"has a supervisor already" in refused.stderr
    assert supervised(instance) == (first,)


def test_of_eight_concurrent_calls_one_starts_the_supervisor(
    instance: Instance, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(8) as threads:
        calls = [
            threads.submit(ensure_supervisor, instance, argv(tmp_path, SLEEP), os.environ)
            for _ in range(8)
        ]

    assert sorted(call.result() for call in calls) == [False] * 7 + [True]
    child_pid(instance)


def test_a_stop_right_after_the_start_stops(instance: Instance, tmp_path: Path) -> None:
    start(instance, *argv(tmp_path, SLEEP))

    assert stop_supervisor(instance)

    assert not stop_supervisor(instance)
    assert not supervised(instance)


def test_a_stop_ends_what_a_killed_predecessor_left_as_well(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, SLEEP))
    child_pid(instance)
    environ = {**os.environ, MARK: str(instance.state_dir)}
    left = subprocess.Popen(("sleep", "600"), env=environ, start_new_session=True)
    try:
        assert stop_supervisor(instance)
        assert left.wait(10) == -signal.SIGKILL
    finally:
        left.kill()


def test_children_are_asked_first_and_killed_after_the_grace(
    instance: Instance, tmp_path: Path
) -> None:
    polite = "trap 'echo goodbye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    logs = [instance.log_dir / f"child{number}.log" for number in (0, 1)]

    def are_ready() -> bool:
        return all(log.exists() and "ready" in log.read_text() for log in logs)

    for grace_s in (0.5, 15.0):
        start(instance, *argv(tmp_path, polite, stubborn, grace_s=grace_s))
        assert wait_until(are_ready, 30)
        assert stop_supervisor(instance)
        assert not supervised(instance)
        if "goodbye" in logs[0].read_text():  # else the machine stood still for all of the grace
            break
        for log in (*logs, instance.log_dir / "supervisor.log"):
            log.unlink()

    assert "goodbye" in logs[0].read_text()
    said = (instance.log_dir / "supervisor.log").read_text()
    assert "child1 did not stop in time" in said
    assert "child0 did not stop in time" not in said


def test_a_child_that_keeps_failing_is_tried_ever_more_slowly(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "date +%s.%N; exit 3", SLEEP))
    log = instance.log_dir / "child0.log"

    def tried_at() -> list[float]:
        return [float(line) for line in log.read_text().splitlines()] if log.exists() else []

    assert wait_until(lambda: len(tried_at()) >= 4, 30)

    waits_s = [later - earlier for earlier, later in pairwise(tried_at())]
    assert all(
        waited > at_least for waited, at_least in zip(waits_s, (0.1, 0.2, 0.4), strict=False)
    )
    assert "child0 ended with code 3" in (instance.log_dir / "supervisor.log").read_text()
    assert is_alive(child_pid(instance, "child1"))


def test_what_ends_at_every_start_is_named_with_the_last_line_of_its_log(
    instance: Instance, tmp_path: Path
) -> None:
    broken = "echo 'ModuleNotFoundError: No module named x' >&2; exit 1"
    start(instance, *argv(tmp_path, broken, SLEEP))
    assert wait_until(lambda: why_nothing_starts(instance) is not None, 60)

    why = str(why_nothing_starts(instance, ["child0"]))
    assert "The process child0 was started " in why
    assert "each time: ModuleNotFoundError: No module named x (" in why
    assert why_nothing_starts(instance, ["child1"]) is None


def test_what_is_killed_or_leaves_by_itself_is_no_crash(instance: Instance, tmp_path: Path) -> None:
    start(instance, *argv(tmp_path, "kill -KILL $$", "exit 0"))
    assert wait_until(lambda: all(child.restarts >= 6 for child in children(instance).values()), 60)
    assert why_nothing_starts(instance) is None


def test_children_find_a_mark_but_no_lock_in_their_environment(
    instance: Instance, tmp_path: Path
) -> None:
    start(instance, *argv(tmp_path, "env; ls -l /proc/self/fd; " + SLEEP))
    child_pid(instance)
    log = instance.log_dir / "child0.log"
    assert wait_until(lambda: "/dev/null" in log.read_text(), 30)

    assert f"{MARK}={instance.state_dir}" in log.read_text()
    assert "supervisor.lock" not in log.read_text()
    assert "QUORATE_SUPERVISOR_LOCK" not in log.read_text()


def test_dead_servers_are_revived(instance: Instance, tmp_path: Path) -> None:
    ensure(instance, durable=False)
    start(instance, *argv(tmp_path, SLEEP, watch=True))
    child = child_pid(instance)

    kill_redis(instance)
    assert wait_until(lambda: is_up(instance), 30)
    kill_postgres(instance)
    assert wait_until(lambda: is_up(instance), 30)

    assert children(instance)["child0"].restarts == 0
    assert children(instance)["child0"].pid == child


def test_a_supervisor_whose_folders_are_removed_ends_and_takes_everything_with_it(
    instance: Instance, tmp_path: Path
) -> None:
    ensure(instance, durable=False)
    start(instance, *argv(tmp_path, SLEEP, watch=True))
    pids = [child_pid(instance), supervisor_status(instance).pid or 0]
    pids += [
        process.pid
        for folder in (instance.redis_dir, instance.postgres_dir)
        for process in working_in(folder)
    ]
    assert len(pids) >= 4

    shutil.rmtree(instance.state_dir)
    shutil.rmtree(instance.data_dir)

    assert wait_until(lambda: not any(is_alive(pid) for pid in pids), 60)
    assert not instance.data_dir.exists()
    assert not instance.state_dir.exists()


def test_without_a_supervisor_the_status_is_empty_and_a_stale_pid_is_not_believed(
    instance: Instance,
) -> None:
    assert supervisor_status(instance) == SupervisorStatus(running=False)
    instance.state_dir.mkdir(parents=True)
    (instance.state_dir / "supervisor.lock").write_text(f"{os.getpid()}\n")

    assert supervisor_status(instance) == SupervisorStatus(running=False)
    assert not stop_supervisor(instance)


def test_a_killed_lifeline_is_replaced_and_still_ends_its_groups() -> None:
    victim = subprocess.Popen(("sleep", "300"), start_new_session=True)
    lifeline = Lifeline()
    lifeline.hold([victim.pid])
    os.kill(lifeline.pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(lifeline.pid), 30)

    lifeline.hold([victim.pid])
    lifeline.cut()

    assert victim.wait(30) == -signal.SIGKILL
