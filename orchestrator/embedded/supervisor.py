"""The supervisor: a process that keeps the workers, and under them the servers, alive.

One per instance, by a lock that dies with it. It is known by its working directory, like the servers,
and by the pid in its lock file: a pid alone is never trusted. When it is killed with -9 the lifeline ends
its children's groups at once and starts its successor; whatever escapes carries a mark that the successor looks for.
That it was killed and not stopped is known from a file, `supervisor.wanted`: made at its start, removed first of all
by whoever stops it.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from orchestrator.embedded.processes import (
    is_stopped,
    marked,
    signal_all,
    spawn_detached,
    wait_until,
    working_in,
)
from orchestrator.embedded.server_watch import ServerWatch
from orchestrator.embedded.servers import stop
from orchestrator.embedded.stop_signals import StopSignals
from orchestrator.embedded.supervised import MARK, Child, Lifeline, ProcessSpec, Successor
from orchestrator.embedded.supervisor_record import (
    ChildStatus,
    SupervisorStatus,
    read_record,
    write_record,
)
from shared.errors import EnvironmentFault
from shared.folders import appending, make_private, told_as_fault
from shared.instance import Instance
from shared.locks import try_lock

__all__ = [
    "ALREADY_RUNNING",
    "ChildStatus",
    "ProcessSpec",
    "SupervisorStatus",
    "end_stopped_supervisor",
    "ensure_supervisor",
    "is_wanted",
    "run_supervisor",
    "stop_supervisor",
    "supervisor_status",
]

ALREADY_RUNNING = 75
"""What `run_supervisor` returns when the instance has one (EX_TEMPFAIL of sysexits.h)."""

_LOCK_VARIABLE = "QUORATE_SUPERVISOR_LOCK"
_LONGEST_SLEEP_S = 5.0
_PROGRAMS = ("quorate", "python")


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
    _make_folders(instance)
    lock = _lock(instance)
    if lock is None:
        _say(f"instance {instance.name} has a supervisor already")
        return ALREADY_RUNNING
    try:
        os.chdir(_folder(instance))
        _write_pid(lock, os.getpid())
        _want(instance)
        _end_leftovers(instance)
        with StopSignals() as signals:
            is_gone = partial(_is_gone, instance, lock)
            supervisor = _Supervisor(instance, specs, signals, again, is_gone)
            watch = None
            if watch_servers:
                watch = ServerWatch(instance, durable, _say, supervisor.pids, is_gone)
                watch.start()
            supervisor.run()
            _wanted(instance).unlink(missing_ok=True)
            supervisor.stop(grace_s)
            if watch:
                watch.stop()
                if is_gone():
                    stop(instance)
        _record(instance).unlink(missing_ok=True)
    finally:
        os.close(lock)
    return 0


def ensure_supervisor(instance: Instance, argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Start `argv`, which calls `run_supervisor`, detached; False if the instance has one.

    The lock is taken here and inherited, so of many concurrent calls exactly one starts it and nobody
    waits for its start. Output goes to `log_dir/supervisor.log`.
    Raises EnvironmentFault if it cannot be started.
    """
    _make_folders(instance)
    lock = try_lock(_lock_path(instance))
    if lock is None:
        return False
    try:
        _want(instance)
        own = {name: value for name, value in env.items() if name != MARK}
        with appending(instance.log_dir / "supervisor.log") as log:
            pid = spawn_detached(
                tuple(argv),
                cwd=_folder(instance),
                env={**own, _LOCK_VARIABLE: str(lock)},
                log=log,
                keep=(lock,),
                umask=-1,
            )
        _write_pid(lock, pid)
    finally:
        os.close(lock)
    return True


def stop_supervisor(instance: Instance, timeout_s: float = 30.0) -> bool:
    """Ask the supervisor to end and wait for it; False if there was none, and nothing that a dead one had left.

    After `timeout_s` it is killed, and its children with it. One that was killed before is not started again.
    """
    _wanted(instance).unlink(missing_ok=True)
    pid = _pid(instance)
    if pid is not None:
        signal_all((pid,), signal.SIGTERM)
        if not wait_until(lambda: _pid(instance) != pid, timeout_s, poll_s=0.02):
            signal_all((pid,), signal.SIGKILL)
            wait_until(lambda: _pid(instance) != pid, 5)
    # One that has only just begun may not have ended yet what a killed predecessor left.
    return _end_leftovers(instance) or pid is not None


def end_stopped_supervisor(instance: Instance) -> bool:
    """Kill a supervisor that was stopped by a signal, so that the next one can start; False if there is none.

    It holds the lock, starts nothing again, and cannot be asked for anything.
    """
    pid = _pid(instance)
    if pid is None or not is_stopped(pid):
        return False
    signal_all((pid,), signal.SIGKILL)
    return wait_until(lambda: _pid(instance) != pid, 5)


def supervisor_status(instance: Instance) -> SupervisorStatus:
    """Whether a supervisor runs, since when, and how its children are."""
    pid = _pid(instance)
    if pid:
        return read_record(_record(instance), pid)
    return SupervisorStatus(running=False, killed=is_wanted(instance))


def is_wanted(instance: Instance) -> bool:
    """Whether the instance's supervisor runs or should: nobody stopped it."""
    return _wanted(instance).exists()


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
        environ = {name: value for name, value in os.environ.items() if name != _LOCK_VARIABLE}
        self._instance = instance
        self._signals = signals
        self._since = datetime.now(UTC)
        self._lifeline = Lifeline(
            Successor(tuple(again), environ, _wanted(instance)) if again else None
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
        while not self._signals.stops and not self._is_gone():
            now_s = time.monotonic()
            self._bury(now_s)
            for child in self._children:
                if child.pid is None and child.due_s <= now_s:
                    self._tell(child.start(now_s))
                    self._hold()
            self._publish()
            waiting = [child.due_s for child in self._children if child.pid is None]
            self._signals.sleep(min([*waiting, now_s + _LONGEST_SLEEP_S]) - now_s)

    def stop(self, grace_s: float) -> None:
        """End the children: asked first, killed after `grace_s` or at a second signal."""
        _say("asked to stop")
        deadline_s = time.monotonic() + grace_s
        for child in self._children:
            child.ask_to_stop()
        while self._living() and self._signals.stops < 2:
            now_s = time.monotonic()
            if now_s >= deadline_s:
                break
            self._signals.sleep(min(deadline_s - now_s, _LONGEST_SLEEP_S))
            self._bury(time.monotonic())
        for child in self._living():
            _say(f"{child.spec.name} did not stop in time and is killed")
            child.kill()
        self._lifeline.close()

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
            ChildStatus(child.spec.name, child.pid, child.restarts, child.since)
            for child in self._children
        )
        status = SupervisorStatus(True, os.getpid(), self._since, children)
        if status != self._recorded:
            try:
                write_record(_record(self._instance), status)
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


def _folder(instance: Instance) -> Path:
    return instance.state_dir / "supervisor"


def _lock_path(instance: Instance) -> Path:
    return instance.state_dir / "supervisor.lock"


def _record(instance: Instance) -> Path:
    return instance.state_dir / "supervisor.json"


def _wanted(instance: Instance) -> Path:
    return instance.state_dir / "supervisor.wanted"


def _want(instance: Instance) -> None:
    with told_as_fault("write", _wanted(instance)):
        _wanted(instance).touch(mode=0o600)


def _make_folders(instance: Instance) -> None:
    for folder in (instance.state_dir, instance.log_dir, _folder(instance)):
        make_private(folder)


def _lock(instance: Instance) -> int | None:
    """The lock that `ensure_supervisor` left to us, or a new one, or None while another has it."""
    given = os.environ.get(_LOCK_VARIABLE, "")
    if given.isdigit():
        with suppress(OSError):
            if os.path.samestat(os.fstat(int(given)), _lock_path(instance).stat()):
                os.set_inheritable(int(given), False)
                return int(given)
    return try_lock(_lock_path(instance))


def _is_gone(instance: Instance, lock: int) -> bool:
    """Whether the instance's folder was removed, and perhaps recreated, under its supervisor."""
    try:
        return not os.path.samestat(os.fstat(lock), _lock_path(instance).stat())
    except OSError:
        return True


def _write_pid(lock: int, pid: int) -> None:
    os.pwrite(lock, f"{pid:<12}\n".encode(), 0)


def _pid(instance: Instance) -> int | None:
    try:
        text = _lock_path(instance).read_text().strip()
    except OSError:
        # Removed under a supervisor, which notices within seconds and ends.
        orphans = [] if _folder(instance).exists() else working_in(_folder(instance), _PROGRAMS)
        return orphans[0].pid if orphans else None
    there = {process.pid for process in working_in(_folder(instance))}
    return int(text) if text.isdigit() and int(text) in there else None


def _end_leftovers(instance: Instance) -> bool:
    """Kill what a dead predecessor left; their turns' leases are taken over as after any kill."""

    def left() -> tuple[int, ...]:
        return tuple(p for p in marked(MARK, str(instance.state_dir)) if p != os.getpid())

    if not left():
        return False
    _say(f"ending what an earlier supervisor left: {', '.join(map(str, left()))}")

    def are_gone() -> bool:
        signal_all(left(), signal.SIGKILL)
        return not left()

    wait_until(are_gone, 5)
    return True
