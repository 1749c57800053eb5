"""Starting Postgres on one data folder, made on the first start."""

import os
import shutil
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

from shared.embedded.binaries import Program, choose_postgres, postgres_paths, within_reach
from shared.embedded.folders import (
    FRESH_BYTES,
    appending,
    make_private,
    require_space,
    told_as_fault,
)
from shared.embedded.instance import DATABASE, POSTGRES_SOCKET
from shared.embedded.launch import Escalation, Launch, Waiting, ended_at_start, until_up
from shared.embedded.processes import leaders, signal_all, spawn_detached, working_in
from shared.embedded.wire import PostgresWire, ServerState, postgres_state
from shared.errors import EnvironmentFault

PROGRAMS = ("postgres", "initdb")

# Given on the command line and not in postgresql.conf: an instance of yesterday gets today's settings.
_ALWAYS = (
    ("listen_addresses", ""),
    ("unix_socket_permissions", "0700"),
    ("max_connections", "200"),
    ("shared_buffers", "64MB"),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
    ("log_checkpoints", "off"),
    ("jit", "off"),
)
_THROWAWAY = (
    ("fsync", "off"),
    ("synchronous_commit", "off"),
    ("full_page_writes", "off"),
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    ("autovacuum", "off"),
)
_INITDB = (
    "--username=postgres",
    "--encoding=UTF8",
    "--locale=C",
    "--auth-local=trust",  # The socket's folder is 0700 and nothing listens on TCP.
    "--auth-host=reject",
    "--no-instructions",
)
_BUILTIN_LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
_BUILTIN_LOCALE_SINCE = 17
_ATTEMPTS = 3
# A backend that outlived its postmaster may hold the shared memory for another moment.
_PASSING = ("pre-existing shared memory block", "postmaster.pid")


def bring_up(launch: Launch) -> Waiting:
    """Start the server and make our database, or find that it came up meanwhile.

    Raises EnvironmentFault when it cannot be started.
    """
    instance = launch.instance
    folder = instance.postgres_dir
    mark = folder / "PG_VERSION"
    with told_as_fault("read", mark):
        major = int(mark.read_text().strip()) if mark.exists() else None
    program = choose_postgres(postgres_paths(launch.environ), major)
    executable = within_reach(program.path, launch.account)
    if major is None:
        yield from _initialise(launch, program, executable.with_name("initdb"))
    state = yield from _until_clear(launch)
    attempts = 0
    while state is ServerState.DOWN:
        attempts += 1
        try:
            state = yield from _start(launch, executable)
        except EnvironmentFault as fault:
            if attempts == _ATTEMPTS or not any(word in str(fault) for word in _PASSING):
                raise
            state = yield from _until_clear(launch)
    if state is ServerState.NO_DATABASE:
        with PostgresWire(instance.postgres_socket, "postgres", timeout_s=30) as postgres:
            postgres.query(f'CREATE DATABASE "{DATABASE}"')


def _start(launch: Launch, executable: Path) -> Generator[None, None, ServerState]:
    instance = launch.instance
    folder = instance.postgres_dir
    log = instance.log_dir / "postgres.log"
    with appending(log) as output, launch.socket_folder() as (sockets, inherited):
        settings = (*_ALWAYS, *(() if launch.durable else _THROWAWAY))
        settings = (*settings, ("unix_socket_directories", sockets))
        pid = spawn_detached(
            (
                str(executable),
                *("-D", launch.own_folder(folder)),
                *(word for name, value in settings for word in ("-c", f"{name}={value}")),
            ),
            cwd=folder,
            env={**launch.server_environment, **_stale_pid(folder)},
            log=output,
            account=launch.account,
            keep=inherited,
        )
    state = yield from until_up("Postgres", log, pid, lambda: postgres_state(instance))
    return state


def _stale_pid(folder: Path) -> dict[str, str]:
    """Tell Postgres that the pid in its lock file is not a postmaster, as pg_ctl does for its own.

    Only called when nothing works in `folder`: the number belongs to a stranger by now, and Postgres
    would refuse to start because that stranger lives. Its own checks stay in force.
    """
    try:
        pid = (folder / "postmaster.pid").read_text().split("\n", 1)[0].strip()
    except OSError:
        return {}
    return {"PG_GRANDPARENT_PID": pid} if pid.isdigit() else {}


def _until_clear(launch: Launch) -> Generator[None, None, ServerState]:
    """Wait while processes work in the data folder; DOWN once there are none, else the answer of theirs.

    A postmaster without a socket, or backends without a postmaster, are asked to leave.
    """
    instance = launch.instance
    escalation = Escalation((3, signal.SIGINT), (6, signal.SIGQUIT), (9, signal.SIGKILL))
    while found := working_in(instance.postgres_dir, PROGRAMS):
        state = postgres_state(instance)
        if state in {ServerState.UP, ServerState.NO_DATABASE}:
            return state
        if state is ServerState.DOWN:
            escalation.press(tuple(process.pid for process in leaders(found)))
        else:
            escalation.restart()
        yield
    # Nobody owns them: the folder is ours alone and nothing works on the data.
    for name in (POSTGRES_SOCKET, f"{POSTGRES_SOCKET}.lock"):
        (instance.run_dir / name).unlink(missing_ok=True)
    return ServerState.DOWN


def _initialise(launch: Launch, program: Program, initdb: Path) -> Waiting:
    """Make the data folder in `pg.init` and rename it: a half-made one is never taken for whole."""
    instance = launch.instance
    scratch = instance.data_dir / "pg.init"
    final = instance.postgres_dir
    if final.exists() and any(final.iterdir()):
        raise EnvironmentFault(
            f"The folder {final} holds files but no Postgres database; move it away and try again."
        )
    signal_all((process.pid for process in working_in(scratch, PROGRAMS)), signal.SIGKILL)
    with told_as_fault("clear the folder", scratch):
        if scratch.exists():
            shutil.rmtree(scratch)
    make_private(scratch, launch.account)
    require_space(scratch, FRESH_BYTES)
    yield from _run_initdb(launch, program, initdb, scratch)
    with told_as_fault("make the folder", final):
        scratch.rename(final)
        if launch.durable:
            _sync_folder(instance.data_dir)


def _run_initdb(launch: Launch, program: Program, initdb: Path, scratch: Path) -> Waiting:
    account = launch.account
    log = launch.instance.log_dir / "postgres.log"
    builtin = _BUILTIN_LOCALE if program.version[0] >= _BUILTIN_LOCALE_SINCE else ()
    unsafe = () if launch.durable else ("--no-sync",)
    argv = (initdb, "-D", launch.own_folder(scratch), *_INITDB, *builtin, *unsafe)
    with appending(log) as output, told_as_fault("run", initdb):
        process = subprocess.Popen(
            argv,
            cwd=scratch,
            env=launch.server_environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
    try:
        while process.poll() is None:
            yield
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode != 0:
        raise ended_at_start("Postgres (initdb)", log)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
