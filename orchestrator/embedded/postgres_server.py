"""Starting Postgres on one data folder, made on the first start."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

from orchestrator.embedded.binaries import Program, choose_postgres, postgres_paths, within_reach
from orchestrator.embedded.launch import Escalation, Launch, Waiting, ended_at_start, until_up
from orchestrator.embedded.passwords import make_password, postgres_verifier, replace_private
from orchestrator.embedded.processes import leaders, signal_all, spawn_detached, working_in
from orchestrator.embedded.wire import PostgresWire, ServerState, postgres_state
from shared.errors import EnvironmentFault
from shared.folders import (
    FRESH_BYTES,
    appending,
    hand_over,
    make_private,
    os_error_as_fault,
    require_space,
)
from shared.instance import DATABASE, POSTGRES_SOCKET, Instance

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
    "--auth=reject",  # pg_hba.conf is written at every start
    "--no-instructions",
)
_ACCESS = """# Written by Quorate at every start. The password is in the file `password` next to this folder.
local  all  postgres  scram-sha-256
"""
_BUILTIN_LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
_BUILTIN_LOCALE_SINCE = 17
_ATTEMPTS = 3
MAKING_S = 120.0
"""Copying an empty database takes a quarter of a second, and half a minute was too short on a loaded disk."""
# A backend that outlived its postmaster may hold the shared memory for another moment.
_PASSING = ("pre-existing shared memory block", "postmaster.pid")


def bring_up(launch: Launch) -> Waiting:
    """Start the server and make our database, or find that it came up meanwhile.

    Raises EnvironmentFault when it cannot be started.
    """
    instance = launch.instance
    folder = instance.postgres_dir
    mark = folder / "PG_VERSION"
    with os_error_as_fault("read", mark):
        major = int(mark.read_text().strip()) if mark.exists() else None
    program = choose_postgres(postgres_paths(launch.environ), major)
    executable = within_reach(program.path, launch.account)
    if major is None:
        yield from _initialise(launch, program, executable.with_name("initdb"))
    state = yield from _until_started(launch, executable)
    if state is ServerState.MISMATCHED:
        # Made before there were passwords, or its file was lost: the owner of the data sets a new one.
        yield from _until_clear(launch)
        yield from _set_password(launch, executable, folder)
        state = yield from _until_started(launch, executable)
    if state is ServerState.MISMATCHED:
        log = instance.log_dir / "postgres.log"
        raise EnvironmentFault(
            "Postgres does not take its password; see {log} for what went wrong.", log=log
        )
    if state is ServerState.NO_DATABASE:
        make_database(instance)


def make_database(instance: Instance, timeout_s: float = MAKING_S) -> None:
    """Make our database in a server that has none. Raises EnvironmentFault where that takes too long."""
    try:
        with PostgresWire.to(instance, "postgres", timeout_s) as postgres:
            postgres.query(f'CREATE DATABASE "{DATABASE}"')
    except OSError as error:
        raise EnvironmentFault(
            "Postgres did not make its database ({error}; it has {timeout_s:g} s): the machine or "
            "its disk is very busy. Type the command again; {log} says more.",
            error=error,
            timeout_s=timeout_s,
            log=instance.log_dir / "postgres.log",
        ) from error


def _until_started(launch: Launch, executable: Path) -> Generator[None, None, ServerState]:
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
    return state


def _start(launch: Launch, executable: Path) -> Generator[None, None, ServerState]:
    instance = launch.instance
    folder = instance.postgres_dir
    log = instance.log_dir / "postgres.log"
    hand_over(folder, launch.account)
    with os_error_as_fault("write", folder / "pg_hba.conf"):
        replace_private(folder / "pg_hba.conf", _ACCESS, launch.owner)
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

    A postmaster without a socket or with another password, or backends without a postmaster, are asked to leave.
    """
    instance = launch.instance
    escalation = Escalation((3, signal.SIGINT), (6, signal.SIGQUIT), (9, signal.SIGKILL))
    replacing = Escalation((0, signal.SIGINT), (6, signal.SIGQUIT), (9, signal.SIGKILL))
    while found := working_in(instance.postgres_dir, PROGRAMS):
        state = postgres_state(instance)
        if state in {ServerState.UP, ServerState.NO_DATABASE}:
            return state
        if state in {ServerState.DOWN, ServerState.MISMATCHED}:
            impatience = escalation if state is ServerState.DOWN else replacing
            impatience.press(tuple(process.pid for process in leaders(found)))
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
            "The folder {final} holds files but no Postgres database; move it away and try again.",
            final=final,
        )
    signal_all((process.pid for process in working_in(scratch, PROGRAMS)), signal.SIGKILL)
    with os_error_as_fault("clear the folder", scratch):
        if scratch.exists():
            shutil.rmtree(scratch)
    make_private(scratch, launch.account)
    require_space(scratch, FRESH_BYTES)
    builtin = _BUILTIN_LOCALE if program.version[0] >= _BUILTIN_LOCALE_SINCE else ()
    unsafe = () if launch.durable else ("--no-sync",)
    yield from _run(launch, (str(initdb),), scratch, (*_INITDB, *builtin, *unsafe))
    yield from _set_password(launch, initdb.with_name("postgres"), scratch)
    with os_error_as_fault("make the folder", final):
        scratch.rename(final)
        if launch.durable:
            _sync_folder(instance.data_dir)


def _set_password(launch: Launch, executable: Path, folder: Path) -> Waiting:
    """Give the superuser our password while no server runs: single-user mode asks nobody for one."""
    verifier = postgres_verifier(make_password(launch.instance))
    unsafe = () if launch.durable else ("-F",)
    sql = f"ALTER ROLE postgres WITH LOGIN PASSWORD '{verifier}'\n"
    hand_over(folder, launch.account)
    yield from _run(launch, (str(executable), "--single"), folder, (*unsafe, "postgres"), sql=sql)


def _run(
    launch: Launch, program: tuple[str, ...], folder: Path, options: tuple[str, ...], sql: str = ""
) -> Waiting:
    """Run a program of Postgres on `folder` to its end."""
    account = launch.account
    log = launch.instance.log_dir / "postgres.log"
    executable = Path(program[0])
    with (
        appending(log) as output,
        os_error_as_fault("run", executable),
        tempfile.TemporaryFile() as statements,
    ):
        statements.write(sql.encode())
        statements.seek(0)
        process = subprocess.Popen(
            (*program, "-D", launch.own_folder(folder), *options),
            cwd=folder,
            env={**launch.server_environment, **_stale_pid(folder)},
            stdin=statements,
            stdout=subprocess.DEVNULL if sql else output,
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
        raise ended_at_start(f"Postgres ({' '.join((executable.name, *program[1:]))})", log)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
