"""Where a supervisor is found: its folder, its lock with its pid, its record, and the wish that there be one.

A supervisor is the process that works in `supervisor` and whose pid is in the lock file; one that has made room for
another works in `leaving` instead.
"""

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from orchestrator.embedded.processes import working_in
from shared.folders import make_private, os_error_as_fault
from shared.instance import Instance
from shared.locks import try_lock

LOCK_VARIABLE = "QUORATE_SUPERVISOR_LOCK"
"""The descriptor of the lock, for a supervisor that inherits it."""
GUARD_VARIABLE = "QUORATE_SUPERVISOR_GUARD"
"""The descriptor that the lifeline of its start waits for, for a supervisor that inherits it."""
PROGRAMS = ("quorate", "python")


def home_of(instance: Instance) -> Path:
    """Where the instance's supervisor works."""
    return instance.state_dir / "supervisor"


def leaving_home_of(instance: Instance) -> Path:
    """Where those work that have made room."""
    return instance.state_dir / "leaving"


def make_room(instance: Instance, lock: int) -> None:
    """Be the instance's supervisor no more: another one can start from now on."""
    make_private(leaving_home_of(instance))
    fcntl.flock(lock, fcntl.LOCK_UN)  # open all the same: it is how a removed folder is noticed
    os.chdir(leaving_home_of(instance))  # last: whoever waits for this takes the lock next


def is_locked(instance: Instance) -> bool:
    """Whether the instance has a supervisor."""
    if (lock := try_lock(lock_path(instance))) is None:
        return True
    os.close(lock)
    return False


def lock_path(instance: Instance) -> Path:
    """The file that one supervisor at a time holds locked, and that has its pid."""
    return instance.state_dir / "supervisor.lock"


def record_of(instance: Instance) -> Path:
    """What the supervisor tells about itself."""
    return instance.state_dir / "supervisor.json"


def wanted_of(instance: Instance) -> Path:
    """There while a supervisor runs or should: nobody stopped it."""
    return instance.state_dir / "supervisor.wanted"


def scheduled_of(instance: Instance) -> Path:
    """There while the instance has schedules, and so needs a process that starts their runs."""
    return instance.state_dir / "scheduled"


def mark_scheduled(instance: Instance, *, scheduled: bool) -> None:
    """Say whether the instance has schedules; the supervisor looks every few seconds."""
    mark = scheduled_of(instance)
    with os_error_as_fault("write", mark):
        mark.touch(mode=0o600) if scheduled else mark.unlink(missing_ok=True)


def want(instance: Instance) -> None:
    """A supervisor is wanted from now on."""
    with os_error_as_fault("write", wanted_of(instance)):
        wanted_of(instance).touch(mode=0o600)


def make_folders(instance: Instance) -> None:
    """What a supervisor needs."""
    for folder in (instance.state_dir, instance.log_dir, home_of(instance)):
        make_private(folder)


def take_lock(instance: Instance) -> int | None:
    """The lock that `ensure_supervisor` left to us, or a new one, or None while another has it."""
    given = os.environ.get(LOCK_VARIABLE, "")
    if given.isdigit():
        with suppress(OSError):
            if os.path.samestat(os.fstat(int(given)), lock_path(instance).stat()):
                os.set_inheritable(int(given), False)
                return int(given)
    return try_lock(lock_path(instance))


def take_guard() -> int | None:
    """The descriptor that keeps the lifeline of our start waiting; None where nobody left one to us."""
    given = os.environ.get(GUARD_VARIABLE, "")
    if not given.isdigit():
        return None
    with suppress(OSError):
        if stat.S_ISFIFO(os.fstat(int(given)).st_mode):
            os.set_inheritable(int(given), False)
            return int(given)
    return None


def is_gone(instance: Instance, lock: int) -> bool:
    """Whether the instance's folder was removed, and perhaps recreated, under its supervisor."""
    try:
        return not os.path.samestat(os.fstat(lock), lock_path(instance).stat())
    except OSError:
        return True


def write_pid(lock: int, pid: int) -> None:
    """Say who holds the lock."""
    os.pwrite(lock, f"{pid:<12}\n".encode(), 0)


def pid_of(instance: Instance) -> int | None:
    """The instance's supervisor, if it has one."""
    try:
        text = lock_path(instance).read_text().strip()
    except OSError:
        # Removed under a supervisor, which notices within seconds and ends.
        orphans = [] if home_of(instance).exists() else working_in(home_of(instance), PROGRAMS)
        return orphans[0].pid if orphans else None
    there = {process.pid for process in working_in(home_of(instance))}
    return int(text) if text.isdigit() and int(text) in there else None
