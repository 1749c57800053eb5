"""First program in the sandbox: builds its walls, starts the real one and ends with it (stdlib only, run by name).

    launcher LIFELINE TIMEOUT_S LIMITS WALLS [-r PATH | -w PATH | -x PATH]... PROGRAM ARGUMENT...

LIFELINE is an inherited descriptor whose other end the worker holds. When the worker is gone, even by
kill -9, or TIMEOUT_S is over, the whole process group ends; in a process namespace this is process 1, so that
with its end the kernel kills whatever else was started, whichever session it fled to.
LIMITS is `RLIMIT_CPU=10,...`. WALLS are words: `namespaces`, `user` (a user namespace around them), `landlock`,
`seccomp`, `uid=N`. A wall that cannot be built ends the launcher with UNBUILT: nothing is started.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import time

from workers.tools.sandbox import confine

# `signal` is not imported: it costs more than all the rest of this program.
SIGKILL = 9
POLL_S = 0.01
UNBUILT = 125
KNOWN = ("namespaces", "user", "landlock", "seccomp")


class Walls:
    """What stands around a program: the walls' words, what it may read and where it may write. Raises OSError."""

    def __init__(self, words: str, reads: list[str], writes: list[str]) -> None:
        named = [word for word in words.split(",") if word]
        if not all(word in KNOWN or word.startswith("uid=") for word in named):
            raise OSError(0, f"no such wall in {words}")
        self.any = bool(named)
        self.namespaces = "namespaces" in named
        self.own_user = "user" in named
        self.uid = next((int(word[4:]) for word in named if word.startswith("uid=")), None)
        landlock = "landlock" in named
        self.rules = confine.ruleset(reads, writes) if landlock else None
        self.filter = confine.filter_program() if "seccomp" in named else None

    def enter(self) -> None:
        """Enter Landlock and the filter, without rights. Nothing can be undone."""
        confine.drop_rights(self.uid)
        if self.rules is not None:
            confine.restrict(self.rules)
        if self.filter is not None:
            confine.filter_calls(self.filter)


def limit(settings: str) -> None:
    """Lower this process's limits: `RLIMIT_CPU=10,...`; one that the system refuses is left as it is."""
    for setting in settings.split(","):
        name, _, value = setting.partition("=")
        wanted = int(value)
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        try:
            resource.setrlimit(kind, (wanted, wanted))
        except (ValueError, OSError):  # macOS has no address space limit
            continue


def become(settings: str, walls: Walls, program: list[str]) -> None:
    """Turn into the program; never returns."""
    try:
        limit(settings)
        if walls.any:
            walls.enter()
    except OSError as error:
        _unbuilt(error)
    try:
        os.execv(program[0], program)  # noqa: S606  (this is what it is for)
    except OSError as error:
        os.write(2, f"cannot start {program[0]}: {error.strerror}\n".encode())
    os._exit(127)


def watch(child: int, lifeline: int, timeout_s: float) -> bool:
    """Wait until the child has ended (True), or the worker is gone or the time is over (False)."""
    until = time.monotonic() + timeout_s
    ends = select.poll()
    ends.register(lifeline, select.POLLIN | select.POLLHUP)
    step_s = timeout_s
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        ends.register(os.pidfd_open(child), select.POLLIN)
    else:
        step_s = POLL_S
    while (left_s := until - time.monotonic()) > 0:
        ready = [descriptor for descriptor, _ in ends.poll(min(step_s, left_s) * 1000)]
        if lifeline in ready:
            return False
        if ready or os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
    return False


def main(arguments: list[str]) -> None:
    """Build, start, wait, and pass the exit code on (128 + n for signal n)."""
    lifeline, timeout_s, settings, words = (
        int(arguments[0]),
        float(arguments[1]),
        arguments[2],
        arguments[3],
    )
    os.set_inheritable(lifeline, False)
    reads, writes, runs, program = _places(arguments[4:])
    try:
        walls = Walls(words, [*reads, *runs], writes)
        if walls.namespaces:
            _isolate(walls, reads, writes)
    except OSError as error:
        return _unbuilt(error)
    child = os.fork()
    if child == 0:
        become(settings, walls, program)
    if not watch(child, lifeline, timeout_s):
        os.kill(child, SIGKILL)
        os.killpg(0, SIGKILL)
        os._exit(137)
    os._exit(_code(child))


def _places(arguments: list[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    places: dict[str, list[str]] = {"-r": [], "-w": [], "-x": []}
    at = 0
    while arguments[at] in places:
        places[arguments[at]].append(arguments[at + 1])
        at += 2
    return places["-r"], places["-w"], places["-x"], arguments[at:]


def _isolate(walls: Walls, reads: list[str], writes: list[str]) -> None:
    """Go on as process 1 of new namespaces; the process that was started waits for it and passes its code on."""
    here = os.getcwd()
    confine.leave_namespaces(walls.own_user)
    first = os.fork()
    if first:
        os._exit(_code(first))
    confine.new_root(reads, writes)
    if walls.rules is not None:
        confine.allow_own_processes(walls.rules)
    os.chdir(here)


def _code(child: int) -> int:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _unbuilt(error: OSError) -> None:
    os.write(2, f"the sandbox cannot be built: {error.strerror}\n".encode())
    os._exit(UNBUILT)
