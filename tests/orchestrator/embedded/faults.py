"""Faults for tests: kill a server of an instance as a machine would."""

import os
import pwd
import signal
from collections.abc import Callable
from pathlib import Path

from orchestrator.embedded import postgres_server, redis_server
from orchestrator.embedded.processes import is_alive, leaders, wait_until, working_in
from shared.instance import Instance


def kill_redis(instance: Instance) -> int:
    """SIGKILL the instance's Redis; returns its pid once it is dead."""
    return _kill_leader(instance.redis_dir, redis_server.PROGRAMS)


def kill_postgres(instance: Instance) -> int:
    """SIGKILL the instance's postmaster; returns its pid once it is dead."""
    return _kill_leader(instance.postgres_dir, postgres_server.PROGRAMS)


def _kill_leader(folder: Path, programs: tuple[str, ...]) -> int:
    found = leaders(working_in(folder, programs))
    assert len(found) == 1, f"expected one server in {folder}, found {found}"
    os.kill(found[0].pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(found[0].pid), 30)
    return found[0].pid


def as_ordinary_user(work: Callable[[], str]) -> str:
    """Run `work` in a fork that has given up root for good, and return its result or its error.

    Without root it is just a fork. A fork and not a new program: root's Python may stand in a folder
    that others cannot enter.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            if os.geteuid() == 0:
                entry = pwd.getpwnam("nobody")
                os.setgroups([])
                os.setgid(entry.pw_gid)
                os.setuid(entry.pw_uid)
            answer = work()
        except BaseException as error:  # noqa: BLE001  the fork must end here
            answer = f"{type(error).__name__}: {error}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read().decode()
    os.waitpid(child, 0)
    return answer
