"""`quorate doctor`: one check after the other, each with what to do about it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from orchestrator.cli.machine import look_at_broker, missing_servers
from orchestrator.cli.ownership import diagnosis
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.embedded.servers import status
from orchestrator.embedded.services import script
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.participants.panels import build_panel
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.settings.loading import load_configuration
from shared.errors import EnvironmentFault, QuorateError
from shared.folders import FRESH_BYTES, require_space
from shared.programs import find_program
from shared.settings import Settings
from shared.store.database import Database
from shared.store.migrate import HEAD
from shared.store.views import schema_revision
from shared.tools.catalogue import cards

UNREACHABLE = 5


class State(StrEnum):
    """How a check ended. Only `fail` stands in the way of a review."""

    OK = "ok"
    NOTE = "note"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    message: str


Test = Callable[[Settings, Mapping[str, str]], Check]


def examine(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Check everything; the exit code: 5 when something stands in the way."""
    settings = Settings.from_environment(environ)
    checks = [_checked(test, settings, environ) for test in CHECKS]
    terminal = Terminal.of(environ)
    failed = any(check.state is State.FAIL for check in checks)
    if as_json:
        listed = [asdict(check) for check in checks]
        terminal.result(
            dumps({"schema_version": SCHEMA_VERSION, "ok": not failed, "checks": listed})
        )
    else:
        terminal.result([_line(check) for check in checks])
    return UNREACHABLE if failed else 0


def _checked(test: Test, settings: Settings, environ: Mapping[str, str]) -> Check:
    try:
        return test(settings, environ)
    except QuorateError as error:
        return Check(test.__name__.strip("_"), State.FAIL, str(error))


def _line(check: Check) -> Line:
    styles = {State.OK: Style.GOOD, State.NOTE: Style.WARNING, State.FAIL: Style.BAD}
    return line(Span(f"{check.state:<4} ", styles[check.state]), f"{check.name}: {check.message}")


def _python(_settings: Settings, _environ: Mapping[str, str]) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", State.OK, f"{version} in {sys.prefix}")


def _packages(_settings: Settings, _environ: Mapping[str, str]) -> Check:
    trouble = diagnosis()
    if trouble is not None:
        return Check("packages", State.FAIL, trouble)
    for name in ("quorate", "quorate-worker"):
        script(name)
    return Check("packages", State.OK, "shared, workers and orchestrator are Quorate's own")


def _git(_settings: Settings, _environ: Mapping[str, str]) -> Check:
    program = find_program("git")
    if program is None:
        return Check("git", State.FAIL, "git is not on PATH: install it")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return Check("git", State.OK, said.stdout.strip())


def _analysers(_settings: Settings, _environ: Mapping[str, str]) -> Check:
    needed = dict.fromkeys(package for card in cards() for package in card.packages)
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        named = ", ".join(missing)
        return Check("analysers", State.FAIL, f"{named} missing: install Quorate again")
    return Check("analysers", State.OK, ", ".join(needed))


def _sandbox(_settings: Settings, _environ: Mapping[str, str]) -> Check:
    """What confines tools here is asked of the workers' own program, which tries it."""
    said = subprocess.run(
        [script("quorate-worker"), "sandbox"], capture_output=True, text=True, check=False
    )
    if said.returncode not in (0, 1) or not said.stdout.strip():
        return Check("sandbox", State.FAIL, said.stderr.strip() or "it cannot be examined")
    return Check("sandbox", State.NOTE if said.returncode else State.OK, said.stdout.strip())


def _disk(settings: Settings, _environ: Mapping[str, str]) -> Check:
    if settings.external is not None:
        return Check("disk", State.OK, "the servers are elsewhere")
    folder = settings.instance.data_dir
    while not folder.exists():
        folder = folder.parent
    require_space(folder, FRESH_BYTES)
    if not os.access(folder, os.W_OK):
        raise EnvironmentFault(f"no permission to write {folder}: set XDG_DATA_HOME to another one")
    free = shutil.disk_usage(folder).free
    return Check("disk", State.OK, f"{free / 1e9:.1f} GB free for {settings.instance.data_dir}")


def _servers(settings: Settings, _environ: Mapping[str, str]) -> Check:
    if settings.external is not None:
        return _external_servers(settings)
    found = status(settings.instance)
    if silent := [f"{one.name} (pid {one.pid})" for one in found if one.silent]:
        text = f"{' and '.join(silent)} runs and does not answer: it was stopped, recovers, or has no connection left"
        return Check("servers", State.FAIL, f"{text}; see the logs in {settings.instance.log_dir}")
    if all(one.running for one in found):
        return Check("servers", State.OK, ", ".join(one.version or one.name for one in found))
    down = ", ".join(one.name for one in found if not one.running)
    return Check(
        "servers", State.NOTE, f"{down} not running; any command that needs them starts them"
    )


def _external_servers(settings: Settings) -> Check:
    """Postgres is asked for its schema below."""
    queues, refused = look_at_broker(settings)
    if missing := missing_servers({"queues": queues, "refused": refused}):
        advice = "check QUORATE_REDIS_URL and QUORATE_BROKER_URL"
        return Check("servers", State.FAIL, f"{' and '.join(missing)}: {advice}")
    return Check("servers", State.OK, "external, and the broker and Redis answer")


def _schema(settings: Settings, _environ: Mapping[str, str]) -> Check:
    if settings.external is None and not all(one.running for one in status(settings.instance)):
        return Check("schema", State.NOTE, "unknown while the servers do not answer")
    database = Database(settings.endpoints.database_url, pool_size=1, patience_s=0.0)
    try:
        found = database.run(schema_revision)
    finally:
        database.close()
    if found == HEAD:
        return Check("schema", State.OK, HEAD)
    return Check(
        "schema", State.FAIL, f"{found or 'empty'}, needed {HEAD}: run `quorate db upgrade`"
    )


def _workers(settings: Settings, _environ: Mapping[str, str]) -> Check:
    if settings.external is not None:
        return Check("workers", State.NOTE, "`quorate status` lists those that are connected")
    supervisor = supervisor_status(settings.instance)
    if not supervisor.running:
        return Check("workers", State.NOTE, "none; any command that needs them starts them")
    restarts = sum(child.restarts for child in supervisor.children)
    names = ", ".join(child.name for child in supervisor.children)
    state = State.NOTE if restarts > 3 else State.OK
    return Check("workers", state, f"{names}; {restarts} restarts (`quorate logs`)")


def _participants(_settings: Settings, environ: Mapping[str, str]) -> Check:
    directory = Path.cwd()
    configuration = load_configuration(directory, environ, workflow="review")
    _, report = build_panel(None, configuration, environ, directory)
    state = State.NOTE if report.warnings else State.OK
    return Check("participants", state, "; ".join([", ".join(report.found), *report.warnings]))


CHECKS: tuple[Test, ...] = (
    _python,
    _packages,
    _git,
    _analysers,
    _sandbox,
    _disk,
    _servers,
    _schema,
    _workers,
    _participants,
)
