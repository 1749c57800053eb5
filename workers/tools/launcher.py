"""First program in the sandbox: starts the real one under limits and ends with it (stdlib only, run by path).

    python -I -S launcher.py LIFELINE TIMEOUT_S NAME=VALUE,... PROGRAM ARGUMENT...

LIFELINE is an inherited descriptor whose other end the worker holds. When the worker is gone, even by
kill -9, or TIMEOUT_S is over, the whole process group ends; in a process namespace this is process 1, so that
with its end the kernel kills whatever else was started, whichever session it fled to.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import time

# `signal` and `ctypes` are not imported: they cost more than all the rest of this program.
SIGKILL = 9
POLL_S = 0.01


def limit(settings: str) -> None:
    """Lower this process's limits: `RLIMIT_CPU=10,...`; one that the system refuses is left as it is."""
    for setting in settings.split(","):
        name, _, value = setting.partition("=")
        wanted = int(value)
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        try:
            resource.setrlimit(kind, (wanted, wanted))
        except (ValueError, OSError):  # macOS has no address space limit
            continue


def become(settings: str, program: list[str]) -> None:
    """Turn into the program; never returns."""
    try:
        limit(settings)
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
    """Start, wait, and pass the exit code on (128 + n for signal n)."""
    lifeline, timeout_s, settings = int(arguments[0]), float(arguments[1]), arguments[2]
    os.set_inheritable(lifeline, False)
    child = os.fork()
    if child == 0:
        become(settings, arguments[3:])
    if not watch(child, lifeline, timeout_s):
        os.kill(child, SIGKILL)
        os.killpg(0, SIGKILL)
        os._exit(137)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(sys.argv[1:])
