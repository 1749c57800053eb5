"""The supervisor: a process that keeps the workers, and under them the servers, alive.

One per instance, by a lock that dies with it. It is known by its working directory, like the servers,
and by the pid in its lock file: a pid alone is never trusted. When it is killed with -9 the lifeline ends
its children's groups at once and starts its successor; whatever escapes carries a mark that the successor looks for.
Until it has loaded, another lifeline stands by for it, made by whoever started it.
That it was killed and not stopped is known from a file, `supervisor.wanted`: made at its start, removed first of all
by whoever stops it.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from orchestrator.embedded.processes import (
    descends_from,
    is_stopped,
    marked,
    signal_all,
    spawn_detached,
    wait_until,
    working_in,
)
from orchestrator.embedded.server_watch import ServerWatch
from orchestrator.embedded.servers import stop
from orchestrator.embedded.stop_signals import LEAVE, StopSignals
from orchestrator.embedded.supervised import (
    MARK,
    Child,
    Lifeline,
    ProcessSpec,
    Successor,
    guarded_start,
    release_guard,
)
from orchestrator.embedded.supervisor_files import (
    GUARD_VARIABLE,
    LOCK_VARIABLE,
    PROGRAMS,
    home_of,
    is_gone,
    is_locked,
    leaving_home_of,
    lock_path,
    make_folders,
    make_room,
    pid_of,
    record_of,
    take_guard,
    take_lock,
    want,
    wanted_of,
    write_pid,
)
from orchestrator.embedded.supervisor_record import (
    ChildStatus,
    SupervisorStatus,
    read_build_of_record,
    read_record,
    write_record,
)
from shared.build import this_build, this_mark
from shared.errors import EnvironmentFault
from shared.folders import appending
from shared.instance import Instance
from shared.locks import try_lock

__all__ = [
    "ALREADY_RUNNING",
    "ChildStatus",
    "ProcessSpec",
    "SupervisorStatus",
    "ask_to_leave",
    "end_stopped_supervisor",
    "ensure_supervisor",
    "is_wanted",
    "leaving_supervisors",
    "recorded_build",
    "run_supervisor",
    "stop_supervisor",
    "supervisor_status",
]

ALREADY_RUNNING = 75
"""What `run_supervisor` returns when the instance has one (EX_TEMPFAIL of sysexits.h)."""

_LONGEST_SLEEP_S = 5.0
LONGEST_FINISH_S = 3600.0
"""Above the time that any call may take: one that is finished is not paid again."""


def run_supervisor(
    instance: Instance,
    specs: Sequence[ProcessSpec],
    *,
    grace_s: float = 20.0,
    watch_servers: bool = True,
    durable: bool = True,
    again: Sequence[str] = (),
) -> int:
    """Keep `specs` running until SIGTERM or SIGINT; returns 0, or ALREADY_RUNNING at once.

    `again` is the command that starts the supervisor; when it is killed, its lifeline runs it.

    Children run in `state_dir`, write to `log_dir/<name>.log`, get SIGTERM at the end and SIGKILL (their
    whole group) after `grace_s` or at a second signal. `watch_servers` revives the embedded servers.
    Call it from the main thread of a process of its own: it changes the working directory.
    """
    make_folders(instance)
    lock, guard = take_lock(instance), take_guard()
    if lock is None:
        _say(f"instance {instance.name} has a supervisor already")
        release_guard(guard)
        return ALREADY_RUNNING
    try:
        os.chdir(home_of(instance))
        write_pid(lock, os.getpid())
        want(instance)
        _end_leftovers(instance)
        with StopSignals() as signals:
            gone = partial(is_gone, instance, lock)
            supervisor = _Supervisor(instance, specs, signals, again, gone)
            release_guard(guard)
            watch = None
            if watch_servers:
                watch = ServerWatch(instance, durable, _say, supervisor.pids, gone)
                watch.start()
            supervisor.run()
            if signals.leaves and not signals.stops and not gone():
                make_room(instance, lock)
                supervisor.leave(grace_s)
            else:
                wanted_of(instance).unlink(missing_ok=True)
                supervisor.stop(grace_s)
                record_of(instance).unlink(missing_ok=True)
            if watch:
                watch.stop()
                if gone():
                    stop(instance)
    finally:
        os.close(lock)
    return 0


def ensure_supervisor(instance: Instance, argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Start `argv`, which calls `run_supervisor`, detached; False if the instance has one.

    The lock is taken here and inherited, so of many concurrent calls exactly one starts it and nobody
    waits for its start. Output goes to `log_dir/supervisor.log`.
    Raises EnvironmentFault if it cannot be started.
    """
    make_folders(instance)
    lock = try_lock(lock_path(instance))
    if lock is None:
        return False
    try:
        want(instance)
        own = {name: value for name, value in env.items() if name != MARK}
        successor = Successor(tuple(argv), own, wanted_of(instance))
        with (
            appending(instance.log_dir / "supervisor.log") as log,
            guarded_start(successor, log) as guard,
        ):
            pid = spawn_detached(
                tuple(argv),
                cwd=home_of(instance),
                env={**own, LOCK_VARIABLE: str(lock), GUARD_VARIABLE: str(guard)},
                log=log,
                keep=(lock, guard),
                umask=-1,
            )
        write_pid(lock, pid)
    finally:
        os.close(lock)
    return True


def stop_supervisor(instance: Instance, timeout_s: float = 30.0) -> bool:
    """Ask the supervisor to end and wait for it; False if there was none, and nothing that a dead one had left.

    So do those that are leaving. After `timeout_s` they are killed, and their children with them. One that was
    killed before is not started again.
    """
    wanted_of(instance).unlink(missing_ok=True)
    pid = pid_of(instance)
    asked = {*leaving_supervisors(instance), *([] if pid is None else [pid])}

    def remain() -> set[int]:
        return asked & {*leaving_supervisors(instance), pid_of(instance)}

    signal_all(asked, signal.SIGTERM)
    if asked and not wait_until(lambda: not remain(), timeout_s, poll_s=0.02):
        signal_all(remain(), signal.SIGKILL)
        wait_until(lambda: not remain(), 5)
    # One that has only just begun may not have ended yet what a killed predecessor left.
    return _end_leftovers(instance) or bool(asked)


def ask_to_leave(instance: Instance, timeout_s: float = 5.0) -> bool:
    """Have the supervisor make room for another one while its processes finish what they have begun.

    False if it did not within `timeout_s`, or if it is of a version that cannot.
    """
    status = supervisor_status(instance)
    if status.pid is None or not status.build:
        return False
    signal_all((status.pid,), LEAVE)
    return wait_until(lambda: pid_of(instance) != status.pid, timeout_s, poll_s=0.01)


def leaving_supervisors(instance: Instance) -> tuple[int, ...]:
    """Those that have made room, as long as a process of theirs works on something."""
    return tuple(process.pid for process in working_in(leaving_home_of(instance), PROGRAMS))


def end_stopped_supervisor(instance: Instance) -> bool:
    """Kill a supervisor that was stopped by a signal, so that the next one can start; False if there is none.

    It holds the lock, starts nothing again, and cannot be asked for anything.
    """
    pid = pid_of(instance)
    if pid is None or not is_stopped(pid):
        return False
    signal_all((pid,), signal.SIGKILL)
    return wait_until(lambda: pid_of(instance) != pid, 5)


def supervisor_status(instance: Instance) -> SupervisorStatus:
    """Whether a supervisor runs, since when, and how its children are."""
    pid = pid_of(instance)
    if pid:
        return read_record(record_of(instance), pid)
    return SupervisorStatus(running=False, killed=is_wanted(instance))


def recorded_build(instance: Instance) -> tuple[str, str] | None:
    """What the last supervisor that wrote runs or ran, with the mark of its files; None if none did."""
    return read_build_of_record(record_of(instance))


def is_wanted(instance: Instance) -> bool:
    """Whether the instance's supervisor runs or should: nobody stopped it."""
    return wanted_of(instance).exists()


class _Supervisor:
    def __init__(
        self,
        instance: Instance,
        specs: Sequence[ProcessSpec],
        signals: StopSignals,
        again: Sequence[str],
        is_gone: Callable[[], bool],
    ) -> None:
        self._is_gone = is_gone
        inherited = (LOCK_VARIABLE, GUARD_VARIABLE)
        environ = {name: value for name, value in os.environ.items() if name not in inherited}
        self._instance = instance
        self._signals = signals
        self._since = datetime.now(UTC)
        # First the mark: what is written in between must not look as if it were running.
        self._mark = this_mark()
        self._build = str(this_build())
        self._lifeline = Lifeline(
            Successor(tuple(again), environ, wanted_of(instance)) if again else None
        )
        self._recorded: SupervisorStatus | None = None
        self._children = tuple(
            Child(spec, environ, instance.state_dir, instance.log_dir / f"{spec.name}.log")
            for spec in specs
        )

    def pids(self) -> frozenset[int]:
        """The children that run, each the leader of a session."""
        return frozenset(child.pid for child in self._children if child.pid is not None)

    def run(self) -> None:
        """Start and restart children until a signal asks to stop, or the instance's folders are removed."""
        while not self._signals.stops and not self._signals.leaves and not self._is_gone():
            now_s = time.monotonic()
            self._bury(now_s)
            for child in self._absent():
                if child.due_s <= now_s:
                    self._tell(child.start(now_s))
                    self._hold()
            self._publish()
            waiting = [child.due_s for child in self._absent()]
            self._signals.sleep(min([*waiting, now_s + _LONGEST_SLEEP_S]) - now_s)

    def stop(self, grace_s: float) -> None:
        """End the children: asked first, killed after `grace_s` or at a second signal."""
        _say("asked to stop")
        for child in self._children:
            child.ask_to_stop()
        self._wait_for_children(time.monotonic() + grace_s, stops=2)
        self._kill_the_rest()
        self._lifeline.close()

    def leave(self, grace_s: float) -> None:
        """Let the children finish what they have begun; killed `grace_s` after a signal asks to stop."""
        _say("asked to make room: the processes finish what they have begun")
        for child in self._children:
            child.ask_to_stop()
        self._wait_for_children(time.monotonic() + LONGEST_FINISH_S, stops=1)
        self._wait_for_children(time.monotonic() + grace_s, stops=2)
        self._kill_the_rest()
        if not is_wanted(self._instance) or is_locked(self._instance):
            self._lifeline.end()
        else:
            self._lifeline.leave()

    def _wait_for_children(self, deadline_s: float, stops: int) -> None:
        """Until they have ended, `stops` signals have asked to stop, or it is too late."""
        while self._living() and self._signals.stops < stops:
            now_s = time.monotonic()
            if now_s >= deadline_s:
                return
            self._signals.sleep(min(deadline_s - now_s, _LONGEST_SLEEP_S))
            self._bury(time.monotonic())

    def _kill_the_rest(self) -> None:
        for child in self._living():
            _say(f"{child.spec.name} did not stop in time and is killed")
            child.kill()

    def _absent(self) -> tuple[Child, ...]:
        return tuple(
            child for child in self._children if child.pid is None and child.spec.is_needed
        )

    def _living(self) -> tuple[Child, ...]:
        return tuple(child for child in self._children if child.pid is not None)

    def _bury(self, now_s: float) -> None:
        for child in self._children:
            self._tell(child.bury_if_ended(now_s))
        self._hold()

    def _hold(self) -> None:
        self._lifeline.hold(child.pid for child in self._children if child.pid is not None)

    def _publish(self) -> None:
        children = tuple(
            ChildStatus(child.spec.name, child.pid, child.restarts, child.since, child.crashes)
            for child in self._children
            if child.pid is not None or child.spec.is_needed
        )
        status = SupervisorStatus(
            True, os.getpid(), self._since, children, build=self._build, mark=self._mark
        )
        if status != self._recorded:
            try:
                write_record(record_of(self._instance), status)
            except EnvironmentFault as fault:  # a full disk must not end the children
                _say(str(fault))
            self._recorded = status

    @staticmethod
    def _tell(event: str | None) -> None:
        if event:
            _say(event)


def _say(text: str) -> None:
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    sys.stderr.write(f"{stamp} supervisor: {text}\n")
    sys.stderr.flush()


def _end_leftovers(instance: Instance) -> bool:
    """Kill what a dead predecessor left; their turns' leases are taken over as after any kill."""

    leaving = leaving_supervisors(instance)

    def left() -> tuple[int, ...]:
        found = marked(MARK, str(instance.state_dir))
        return tuple(p for p in found if p != os.getpid() and not descends_from(p, leaving))

    if not left():
        return False
    _say(f"ending what an earlier supervisor left: {', '.join(map(str, left()))}")

    def are_gone() -> bool:
        signal_all(left(), signal.SIGKILL)
        return not left()

    wait_until(are_gone, 5)
    return True
