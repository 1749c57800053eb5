"""Finding, starting and ending processes without ever trusting a pid file.

A process is identified by its working directory, which no other process shares by accident and
which the kernel keeps true: pid files outlive their process and name whoever got the number next.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from shared.accounts import Account
from shared.errors import EnvironmentFault

_PROC = Path("/proc")
HAS_PROC = sys.platform.startswith("linux") and (_PROC / "self/cwd").exists()

# The job that sh leaves behind belongs to init, so nobody collects zombies and no parent is needed.
_DETACH = '"$@" >&2 & echo "$!"'


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A live process, as seen at one moment."""

    pid: int
    parent: int
    program: str
    """The kernel's short name of the executable, 15 characters at most."""


def working_in(folder: Path, programs: tuple[str, ...] = ()) -> tuple[LiveProcess, ...]:
    """The live processes whose working directory is `folder`, also one removed under them; zombies have none.

    With `programs`, only those whose name contains one of the words: a person's shell that stands
    in the folder is not a server.
    """
    found = _scan_proc(folder) if HAS_PROC else _scan_psutil(folder)
    return tuple(p for p in found if not programs or any(word in p.program for word in programs))


def leaders(processes: Iterable[LiveProcess]) -> tuple[LiveProcess, ...]:
    """Those whose parent is not among them: a server without its workers."""
    found = tuple(processes)
    pids = {process.pid for process in found}
    return tuple(process for process in found if process.parent not in pids)


def is_alive(pid: int) -> bool:
    """Whether `pid` runs; a zombie does not."""
    if HAS_PROC:
        return _stat(pid) is not None
    import psutil

    return bool(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)


def age_s(pid: int) -> float | None:
    """For how long `pid` has run; None if it is gone."""
    if HAS_PROC:
        try:
            text = (_PROC / str(pid) / "stat").read_text(errors="replace")
            uptime_s = float((_PROC / "uptime").read_text().split()[0])
        except OSError:
            return None
        # proc_pid_stat(5): the 22nd field is when it was started, in ticks since the machine was.
        return uptime_s - int(text[text.rindex(")") + 2 :].split()[19]) / os.sysconf("SC_CLK_TCK")
    import psutil

    try:
        return time.time() - float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_stopped(pid: int) -> bool:
    """Whether `pid` was stopped by a signal (SIGSTOP) and can do nothing until it is told to go on."""
    if HAS_PROC:
        try:
            text = (_PROC / str(pid) / "stat").read_text(errors="replace")
        except OSError:
            return False
        return text[text.rindex(")") + 2 :].startswith("T ")
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def foreign_programs(
    uid: int, programs: tuple[str, ...], settled_s: float = 10.0
) -> tuple[str, ...]:
    """What runs as `uid` besides `programs`.

    Not what began less than `settled_s` ago: a server on its way is a shell first.
    """
    names = set()
    for pid in _all_pids():
        try:
            is_theirs = (_PROC / str(pid)).stat().st_uid == uid
        except OSError:
            continue
        age = age_s(pid) if is_theirs else None
        process = _stat(pid) if age is not None and age >= settled_s else None
        if process is not None and not any(word in process.program for word in programs):
            names.add(process.program)
    return tuple(sorted(names))


def memory_bytes(pid: int) -> int:
    """The process's share of physical memory (PSS); 0 where the kernel does not tell."""
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def marked(variable: str, value: str) -> tuple[int, ...]:
    """The pids of our own processes whose environment says `variable=value`."""
    return tuple(pid for pid in _all_pids() if environment_of(pid).get(variable) == value)


def descends_from(pid: int, ancestors: Container[int]) -> bool:
    """Whether a parent of `pid`, or a parent's parent and so on, is one of `ancestors`."""
    while (process := _process(pid)) is not None and process.parent > 1:
        if process.parent in ancestors:
            return True
        pid = process.parent
    return False


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Send `number` to each of `pids` that still exists."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def wait_until(condition: Callable[[], bool], timeout_s: float, poll_s: float = 0.005) -> bool:
    """Poll `condition`; False if it did not come true in `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(poll_s)
    return True


def spawn_detached(
    argv: tuple[str, ...],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: int,
    account: Account | None = None,
    keep: tuple[int, ...] = (),
    umask: int = 0o077,
) -> int:
    """Start `argv` in a session of its own, child of init, and return its pid.

    `log` receives its output, `keep` are descriptors that it inherits, a `umask` of -1 keeps ours.
    Raises EnvironmentFault if it cannot be started; a program that is missing shows as a death.
    """
    try:
        shell = subprocess.run(
            ("/bin/sh", "-c", _DETACH, "sh", *argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            pass_fds=keep,
            check=True,
            umask=umask,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        role = f" as {account.name}" if account else ""
        raise EnvironmentFault(
            "Cannot start {program}{role} in {cwd}: {error}; check the limits on processes and the "
            "right to change accounts.",
            program=argv[0],
            role=role,
            cwd=cwd,
            error=error,
        ) from error
    return int(shell.stdout)


def _scan_proc(folder: Path) -> list[LiveProcess]:
    try:
        wanted = folder.stat()
    except OSError:
        wanted = None
    removed = f"{os.path.realpath(folder)} (deleted)"  # as proc_pid_cwd(5) shows it
    found = []
    for pid in _all_pids():
        link = f"/proc/{pid}/cwd"
        try:
            # Stat follows the magic link.
            is_there = wanted is not None and os.path.samestat(os.stat(link), wanted)
            is_there = is_there or os.readlink(link) == removed
        except OSError:
            continue
        if is_there:
            process = _stat(pid)
            if process is not None:
                found.append(process)
    return found


def _stat(pid: int) -> LiveProcess | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # proc_pid_stat(5): the name is in parentheses and may hold anything, parentheses too.
    program = text[text.index("(") + 1 : text.rindex(")")]
    state, parent = text[text.rindex(")") + 2 :].split()[:2]
    return None if state in "ZX" else LiveProcess(pid, int(parent), program)


def _process(pid: int) -> LiveProcess | None:
    if HAS_PROC:
        return _stat(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        return LiveProcess(pid, process.ppid(), process.name())
    except psutil.Error:
        return None


def _all_pids() -> list[int]:
    if HAS_PROC:
        return [int(entry) for entry in os.listdir(_PROC) if entry.isdigit()]
    import psutil

    return list(psutil.pids())


def environment_of(pid: int) -> dict[str, str]:
    """What `pid` was started with; empty if it is gone or somebody else's."""
    if not HAS_PROC:
        return _environment_psutil(pid)
    try:
        entries = (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    pairs = (os.fsdecode(entry).partition("=") for entry in entries)
    return {name: value for name, _, value in pairs}


def _environment_psutil(pid: int) -> dict[str, str]:
    import psutil

    try:
        return dict(psutil.Process(pid).environ())
    except psutil.Error:
        return {}


def _scan_psutil(folder: Path) -> list[LiveProcess]:
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).samefile(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(LiveProcess(process.pid, process.ppid(), process.name()))
        except (psutil.Error, OSError):
            continue
    return found
