"""The pair of embedded servers: bring it up when it is needed, ask how it is, take it down.

`ensure` is cheap enough for every command: it asks both sockets, and only if one does not answer takes
the instance's lock and starts what is missing, both at once. The servers are nobody's children, so they
outlive the command that started them. Callers with external URLs do not call it at all.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from orchestrator.embedded import postgres_server, redis_server
from orchestrator.embedded.launch import Escalation, Launch, Waiting
from orchestrator.embedded.passwords import make_password
from orchestrator.embedded.processes import (
    HAS_PROC,
    LiveProcess,
    foreign_programs,
    is_alive,
    leaders,
    memory_bytes,
    signal_all,
    working_in,
)
from orchestrator.embedded.wire import (
    PostgresWire,
    RedisWire,
    ServerState,
    postgres_state,
    redis_state,
)
from shared.accounts import Account, other_users, say, server_account
from shared.errors import EnvironmentFault
from shared.folders import prepare
from shared.instance import Endpoints, Instance
from shared.locks import exclusive

START_TIMEOUT_S = 60.0
"""Long enough for a crash recovery; a start takes a twentieth of a second."""
_POLL_S = 0.004

REDIS = "redis"
POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How one server is; what only a running one can tell is None otherwise."""

    name: str
    running: bool
    path: Path
    """Its socket."""
    pid: int | None = None
    version: str | None = None
    memory_bytes: int | None = None
    """Its processes' share of physical memory."""
    since: datetime | None = None
    silent: bool = False
    """Its processes are there and it does not answer: stopped, recovering, or every connection is taken."""


def ensure(
    instance: Instance,
    *,
    durable: bool = True,
    environ: Mapping[str, str] = os.environ,
    timeout_s: float = START_TIMEOUT_S,
    is_gone: Callable[[], bool] = lambda: False,
) -> Endpoints:
    """Return the endpoints of a pair of servers that has just answered, started if need be.

    `durable=False` is for tests: no fsync, no append-only file. `environ` may name the programs
    (`QUORATE_REDIS_SERVER`, `QUORATE_POSTGRES_BIN`). Concurrent calls share one pair.
    `is_gone` is asked before anything is made: whoever watches an instance must not make its folders again.
    Raises EnvironmentFault: no program, no disk, no permission, no answer within `timeout_s`, or `is_gone`.
    """
    if not is_up(instance):
        _bring_up(instance, durable, environ, timeout_s, is_gone)
    return instance.endpoints


def is_up(instance: Instance) -> bool:
    """Whether both servers answer now, and only to whoever knows their password."""
    up = ServerState.UP
    return (
        bool(instance.password) and redis_state(instance) is up and postgres_state(instance) is up
    )


def stop(instance: Instance, *, immediate: bool = False) -> list[str]:
    """Take down what runs and return its names; a supervisor must be stopped first or it revives them.

    `immediate` gives up what is not written yet: for data that are thrown away.
    Raises EnvironmentFault if a server survives even SIGKILL.
    """
    if not instance.state_dir.is_dir():  # never made, or removed under them
        running = _running(instance)
        _end(running, immediate=immediate or not instance.data_dir.is_dir())
        return [name for name, processes in running.items() if processes]
    with exclusive(instance.state_dir / "servers.lock", START_TIMEOUT_S):
        scratch = working_in(instance.data_dir / "pg.init", postgres_server.PROGRAMS)
        signal_all((process.pid for process in scratch), signal.SIGKILL)
        running = _running(instance)
        _end(running, immediate=immediate)
    return [name for name, processes in running.items() if processes]


def status(instance: Instance) -> tuple[ServerStatus, ...]:
    """How Redis and Postgres are, asked on their sockets."""
    return (_redis_status(instance), _postgres_status(instance))


def _bring_up(
    instance: Instance,
    durable: bool,
    environ: Mapping[str, str],
    timeout_s: float,
    is_gone: Callable[[], bool],
) -> None:
    account = _account(environ)
    _require(instance, is_gone)
    prepare(instance, account)
    deadline = time.monotonic() + timeout_s
    with exclusive(instance.state_dir / "servers.lock", timeout_s):
        make_password(instance)
        starts = _starts(Launch(instance, account, durable, environ))
        begun = {name.lower() for name in starts}
        try:
            while starts and time.monotonic() <= deadline:
                _require(instance, is_gone)
                _step(starts)
        except EnvironmentFault:
            # One server without the other is of use to nobody, and nobody would know of it.
            left = {name: found for name, found in _running(instance).items() if name in begun}
            _end(left, immediate=True)
            raise
        finally:
            for start in starts.values():
                start.close()
    if starts:
        raise _no_answer(instance, tuple(starts), timeout_s)


def _starts(launch: Launch) -> dict[str, Waiting]:
    """What has to be started, by the server's name."""
    starts = {}
    if redis_state(launch.instance) is not ServerState.UP:
        starts["Redis"] = redis_server.bring_up(launch)
    if postgres_state(launch.instance) is not ServerState.UP:
        starts["Postgres"] = postgres_server.bring_up(launch)
    return starts


def _require(instance: Instance, is_gone: Callable[[], bool]) -> None:
    if is_gone():
        raise EnvironmentFault(
            "The folders of the instance {instance} were removed.", instance=instance.name
        )


def _account(environ: Mapping[str, str]) -> Account | None:
    if os.geteuid() == 0 and not HAS_PROC:
        raise EnvironmentFault(
            "As root the embedded servers need Linux's /proc; run Quorate as an ordinary user, "
            "or set QUORATE_REDIS_URL and QUORATE_DATABASE_URL to servers that exist."
        )
    account = server_account(environ)
    if account:
        programs = (*redis_server.PROGRAMS, *postgres_server.PROGRAMS)
        for sign in other_users(account, foreign_programs(account.uid, programs)):
            say(f"the account {account.name!r} should be the embedded servers' alone, but {sign}")
    return account


def _step(starts: dict[str, Waiting]) -> None:
    """Drive every start one step further; those that have ended leave `starts`."""
    for name, start in tuple(starts.items()):
        if next(start, StopIteration) is StopIteration:
            del starts[name]
    time.sleep(_POLL_S if starts else 0)


def _no_answer(instance: Instance, names: tuple[str, ...], timeout_s: float) -> EnvironmentFault:
    return EnvironmentFault(
        "{names} did not answer within {timeout_s:g} s; it may still be recovering: see the logs "
        "in {log_dir} and try again.",
        names=" and ".join(names),
        timeout_s=timeout_s,
        log_dir=instance.log_dir,
    )


def _running(instance: Instance) -> dict[str, tuple[LiveProcess, ...]]:
    return {
        REDIS: working_in(instance.redis_dir, redis_server.PROGRAMS),
        POSTGRES: working_in(instance.postgres_dir, postgres_server.PROGRAMS),
    }


def _end(running: Mapping[str, tuple[LiveProcess, ...]], *, immediate: bool) -> None:
    """Postgres leaves on SIGINT (fast); SIGTERM would wait for every client.

    An immediate end is SIGQUIT and not SIGKILL: the postmaster gives its shared memory back.
    """
    gentle = {REDIS: signal.SIGTERM, POSTGRES: signal.SIGINT}
    harsh = {REDIS: signal.SIGKILL, POSTGRES: signal.SIGQUIT}
    for name, processes in running.items():
        first = (harsh if immediate else gentle)[name]
        signal_all((process.pid for process in leaders(processes)), first)
    left = tuple(process.pid for processes in running.values() for process in processes)
    escalation = Escalation((10, signal.SIGQUIT), (15, signal.SIGKILL))
    deadline = time.monotonic() + 20
    while left := tuple(pid for pid in left if is_alive(pid)):
        if time.monotonic() > deadline:
            raise EnvironmentFault(
                "The processes {left} do not end, not even on SIGKILL; look at them with `ps` (a disk "
                "that hangs is the usual reason).",
                left=", ".join(map(str, left)),
            )
        escalation.press(left)
        time.sleep(_POLL_S)


def _redis_status(instance: Instance) -> ServerStatus:
    try:
        with RedisWire(instance) as redis:
            facts = redis.information("server")
    except (OSError, EnvironmentFault):
        return _without_answer(REDIS, instance, instance.redis_socket)
    seconds = int(facts.get("uptime_in_seconds", "0"))
    return ServerStatus(
        name=REDIS,
        running=True,
        path=instance.redis_socket,
        pid=int(facts["process_id"]) if "process_id" in facts else None,
        version=_redis_version(facts),
        memory_bytes=_memory(_running(instance)[REDIS]),
        since=datetime.now(UTC) - timedelta(seconds=seconds),
    )


def _without_answer(name: str, instance: Instance, path: Path) -> ServerStatus:
    found = leaders(_running(instance)[name])
    return ServerStatus(name, False, path, next((p.pid for p in found), None), silent=bool(found))


def _redis_version(facts: Mapping[str, str]) -> str:
    if "valkey_version" in facts:
        return f"valkey {facts['valkey_version']}"
    return f"redis {facts.get('redis_version', 'unknown')}"


def _postgres_status(instance: Instance) -> ServerStatus:
    sql = "SELECT current_setting('server_version'), extract(epoch FROM pg_postmaster_start_time())"
    try:
        with PostgresWire.to(instance) as postgres:
            version, since = postgres.query(sql)[0]
    except (OSError, EnvironmentFault):
        return _without_answer(POSTGRES, instance, instance.postgres_socket)
    processes = _running(instance)[POSTGRES]
    return ServerStatus(
        name=POSTGRES,
        running=True,
        path=instance.postgres_socket,
        pid=next((process.pid for process in leaders(processes)), None),
        version=f"postgres {version}",
        memory_bytes=_memory(processes),
        since=datetime.fromtimestamp(float(since), UTC),
    )


def _memory(processes: tuple[LiveProcess, ...]) -> int:
    return sum(memory_bytes(process.pid) for process in processes)
