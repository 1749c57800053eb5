"""Starting the Redis-compatible server on one data folder, never twice and never silently empty."""

import os
import signal
from collections.abc import Generator

from orchestrator.embedded.binaries import choose_redis, redis_paths, within_reach
from orchestrator.embedded.launch import Escalation, Launch, Waiting, until_up
from orchestrator.embedded.passwords import make_password, redis_user, replace_private
from orchestrator.embedded.processes import spawn_detached, working_in
from orchestrator.embedded.wire import ServerState, redis_state
from shared.errors import EnvironmentFault
from shared.folders import appending, hand_over, make_private, os_error_as_fault
from shared.instance import REDIS_SOCKET
from shared.locks import try_lock

PROGRAMS = ("valkey", "redis")

_ALWAYS = (
    ("port", "0"),
    ("unixsocketperm", "700"),
    ("dir", "."),
    ("daemonize", "no"),
    ("databases", "16"),
    ("maxmemory-policy", "noeviction"),
)
_DURABLE = (("appendonly", "yes"), ("appendfsync", "everysec"), ("save", "3600 1"))
_THROWAWAY = (("appendonly", "no"), ("save", ""))


def bring_up(launch: Launch) -> Waiting:
    """Start the server, or find that it came up meanwhile; ends when it answers PING.

    Raises EnvironmentFault when it cannot be started.
    """
    instance = launch.instance
    folder = instance.redis_dir
    flavour = folder / "flavour"
    recorded = flavour.read_text().strip() if flavour.exists() else None
    program = choose_redis(redis_paths(launch.environ), recorded)
    executable = within_reach(program.path, launch.account)
    lock = yield from _data_lock(launch)
    if lock is None:
        return
    log = instance.log_dir / "redis.log"
    try:
        hand_over(folder, launch.account)
        make_private(folder, launch.account)
        with os_error_as_fault("write", flavour):
            replace_private(flavour, f"{program}\n", launch.owner)
        with appending(log) as output, launch.socket_folder() as (sockets, inherited):
            settings = (*_ALWAYS, *(_DURABLE if launch.durable else _THROWAWAY))
            settings = (*settings, ("unixsocket", f"{sockets}/{REDIS_SOCKET}"))
            pid = spawn_detached(
                (
                    str(executable),
                    *(word for name, value in settings for word in (f"--{name}", value)),
                    *("--user", *redis_user(make_password(instance))),
                ),
                cwd=folder,
                env=launch.server_environment,
                log=output,
                account=launch.account,
                keep=(lock, *inherited),
            )
    finally:
        os.close(lock)  # The server holds its copy, and with it the lock, as long as it lives.
    state = yield from until_up("Redis", log, pid, lambda: redis_state(instance))
    if state is ServerState.MISMATCHED:
        raise EnvironmentFault(
            "Redis does not take its password; see {log} for what went wrong.", log=log
        )


def _data_lock(launch: Launch) -> Generator[None, None, int | None]:
    """The lock on the data folder, or None once its holder turns out to be a server that answers.

    A holder that does not listen has lost its socket or its parent: it is asked to leave.
    """
    instance = launch.instance
    escalation = Escalation((3, signal.SIGTERM), (8, signal.SIGKILL))
    replacing = Escalation((0, signal.SIGTERM), (8, signal.SIGKILL))
    while (lock := try_lock(instance.state_dir / "redis.lock")) is None:
        match redis_state(instance):
            case ServerState.UP:
                return None
            case (ServerState.DOWN | ServerState.MISMATCHED) as state:
                impatience = escalation if state is ServerState.DOWN else replacing
                impatience.press(tuple(p.pid for p in working_in(instance.redis_dir, PROGRAMS)))
            case _:
                escalation.restart()
        yield
    return lock
