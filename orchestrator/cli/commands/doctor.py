"""`quorate doctor`: check this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from orchestrator.application.brokers import broker_counts, missing_servers
from orchestrator.cli.options import example, json_option
from orchestrator.cli.ownership import diagnosis
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.embedded.crashes import why_nothing_starts
from orchestrator.embedded.scripts import script
from orchestrator.embedded.servers import status
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.participants.casting import build_cast
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.wrapping import filled
from orchestrator.settings.languages import DEFAULT, LANGUAGES
from orchestrator.settings.loading import load_configuration
from orchestrator.workflows.registry import workflow_of_everybody
from shared.build import read_build, this_digest
from shared.errors import EnvironmentFault, QuorateError
from shared.folders import FRESH_BYTES, require_space
from shared.programs import find_program
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import HEAD, newer_schema, older_schema
from shared.store.views import schema_revision
from shared.tools.catalogue import cards

_WALL_APART = re.compile(r", (?![^(]*\))")
"""Between two walls, not within the brackets of one."""


class CheckState(StrEnum):
    """How a check ended. Only `fail` prevents a review."""

    OK = "ok"
    NOTE = "note"
    FAIL = "fail"


@dataclass(frozen=True)
class MachineCheck:
    """One thing that was looked at."""

    name: str
    state: CheckState
    message: str


CheckFunction = Callable[[ServiceSettings, Mapping[str, str]], MachineCheck]


@click.command(epilog=example("quorate doctor", "quorate doctor --json"))
@json_option
def doctor(as_json: bool) -> int:
    """Check everything that a review needs and say how to fix what is missing. Starts nothing; exit code 5 if so."""
    return examine(os.environ, as_json=as_json)


def examine(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Check everything; the exit code: 5 when something prevents a review."""
    settings, words = ServiceSettings.from_environment(environ), words_in(environ=environ)
    language = DEFAULT if as_json else words.language
    # A terminal may speak none of ours (`C.UTF-8`); what somebody set is checked as it is.
    speaking = {**environ, "QUORATE_LANG": language} if language in LANGUAGES else environ
    checks = [_checked(test, settings, speaking) for test in CHECKS]
    terminal = Terminal.of(environ)
    failed = any(check.state is CheckState.FAIL for check in checks)
    if as_json:
        listed = [asdict(check) for check in checks]
        terminal.result(
            dumps({"schema_version": SCHEMA_VERSION, "ok": not failed, "checks": listed})
        )
    else:
        pointer = Sentence("What other messages mean: `quorate docs troubleshooting`")
        lines = [_line(check, words) for check in checks]
        terminal.result([*lines, line(Span(words.sentence(pointer), Style.DIM))])
    return ExitCode.UNREACHABLE if failed else ExitCode.OK


def _checked(
    test: CheckFunction, settings: ServiceSettings, environ: Mapping[str, str]
) -> MachineCheck:
    try:
        return test(settings, environ)
    except QuorateError as error:
        return MachineCheck(test.__name__.strip("_"), CheckState.FAIL, error.sentence)


def _line(check: MachineCheck, words: Translator) -> Line:
    styles = {CheckState.OK: Style.GOOD, CheckState.NOTE: Style.WARNING, CheckState.FAIL: Style.BAD}
    state = filled(words.message(f"check_{check.state}"), 4)
    name = words.message(f"check_of_{check.name}")
    return line(Span(f"{state} ", styles[check.state]), f"{name}: {words.sentence(check.message)}")


def _python(_settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    version = ".".join(map(str, sys.version_info[:3]))
    return MachineCheck(
        "python",
        CheckState.OK,
        Sentence("{version} in {folder}", version=version, folder=sys.prefix),
    )


def _packages(_settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    trouble = diagnosis()
    if trouble is not None:
        return MachineCheck("packages", CheckState.FAIL, trouble)
    for name in ("quorate", "quorate-worker"):
        script(name)
    for module in ("workers.app", "orchestrator.engine.service", "kombu.transport.redis"):
        try:
            import_module(module)
        except ImportError as missing:
            why = Sentence(
                "{module}, which every worker needs, cannot be loaded: {why}. Install Quorate again",
                module=module,
                why=str(missing),
            )
            return MachineCheck("packages", CheckState.FAIL, why)
    return MachineCheck(
        "packages", CheckState.OK, Sentence("shared, workers and orchestrator are Quorate's own")
    )


def _git(_settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    program = find_program("git")
    if program is None:
        return MachineCheck("git", CheckState.FAIL, Sentence("git is not on PATH: install it"))
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return MachineCheck("git", CheckState.OK, answer.stdout.strip())


def _analysers(_settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    needed = dict.fromkeys(package for card in cards() for package in card.packages)
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        named = ", ".join(missing)
        return MachineCheck(
            "analysers",
            CheckState.FAIL,
            Sentence("{names} missing: install Quorate again", names=named),
        )
    return MachineCheck("analysers", CheckState.OK, ", ".join(needed))


def _sandbox(_settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    """What confines tools here is asked of the workers' own program, which tries it."""
    answer = subprocess.run(
        [script("quorate-worker"), "sandbox"], capture_output=True, text=True, check=False
    )
    if answer.returncode not in (0, 1) or not answer.stdout.strip():
        return MachineCheck(
            "sandbox", CheckState.FAIL, answer.stderr.strip() or Sentence("it cannot be examined")
        )
    return MachineCheck(
        "sandbox",
        CheckState.NOTE if answer.returncode else CheckState.OK,
        _walls(answer.stdout.strip()),
    )


def _walls(described: str) -> str:
    """What the workers' program says of its walls, wall by wall, so that each can be told in another language."""
    here, apart, lacking = described.partition("; not available here: ")
    walls = Sentence.joined(", ", _WALL_APART.split(here))
    if not apart:
        return walls
    missing = Sentence.joined(", ", _WALL_APART.split(lacking))
    return Sentence("{walls}; not available here: {missing}", walls=walls, missing=missing)


def _disk(settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    if settings.external is not None:
        return MachineCheck("disk", CheckState.OK, Sentence("the servers are elsewhere"))
    folder = settings.instance.data_dir
    while not folder.exists():
        folder = folder.parent
    require_space(folder, FRESH_BYTES)
    if not os.access(folder, os.W_OK):
        raise EnvironmentFault(
            "no permission to write {folder}: set XDG_DATA_HOME to another one", folder=folder
        )
    free = shutil.disk_usage(folder).free
    return MachineCheck(
        "disk",
        CheckState.OK,
        Sentence(
            "{gb:.1f} GB free for {folder}", gb=free / 1e9, folder=str(settings.instance.data_dir)
        ),
    )


def _servers(settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    if settings.external is not None:
        return _external_servers(settings)
    servers = status(settings.instance)
    down = ", ".join(server.name for server in servers if not server.running)
    if silent := [f"{server.name} (pid {server.pid})" for server in servers if server.silent]:
        text = Sentence(
            "{servers} is running but does not answer: it is stopped, recovering or out of connections; see the logs "
            "in {folder}",
            servers=_and(silent),
            folder=str(settings.instance.log_dir),
        )
        return MachineCheck("servers", CheckState.FAIL, text)
    if not down:
        return MachineCheck(
            "servers", CheckState.OK, ", ".join(server.version or server.name for server in servers)
        )
    return MachineCheck(
        "servers",
        CheckState.NOTE,
        Sentence("{servers} not running; any command that needs them starts them", servers=down),
    )


def _external_servers(settings: ServiceSettings) -> MachineCheck:
    """Postgres is asked for its schema below."""
    queues, refused = broker_counts(settings)
    if missing := missing_servers({"queues": queues, "refused": refused}):
        text = Sentence(
            "{missing}: check QUORATE_REDIS_URL and QUORATE_BROKER_URL", missing=_and(missing)
        )
        return MachineCheck("servers", CheckState.FAIL, text)
    return MachineCheck(
        "servers", CheckState.OK, Sentence("external, and the broker and Redis answer")
    )


def _schema(settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    if settings.external is None and not all(
        server.running for server in status(settings.instance)
    ):
        return MachineCheck(
            "schema", CheckState.NOTE, Sentence("unknown while the servers do not answer")
        )
    database = Database(settings.endpoints.database_url, pool_size=1, patience_s=0.0)
    try:
        revision = database.run(schema_revision)
    finally:
        database.close()
    if revision == HEAD:
        return MachineCheck("schema", CheckState.OK, HEAD)
    return MachineCheck("schema", CheckState.FAIL, newer_schema(revision) or older_schema(revision))


def _workers(settings: ServiceSettings, _environ: Mapping[str, str]) -> MachineCheck:
    if settings.external is not None:
        return MachineCheck(
            "workers", CheckState.NOTE, Sentence("`quorate status` lists those that are connected")
        )
    supervisor = supervisor_status(settings.instance)
    if not supervisor.running:
        return MachineCheck(
            "workers", CheckState.NOTE, Sentence("none; any command that needs them starts them")
        )
    if supervisor.children and read_build(supervisor.build).digest != this_digest():
        other = read_build(supervisor.build).shown
        why = Sentence(
            "another version, {other}; the next command that needs them replaces them", other=other
        )
        return MachineCheck("workers", CheckState.NOTE, why)
    if (crashing := why_nothing_starts(settings.instance)) is not None:
        return MachineCheck("workers", CheckState.FAIL, crashing)
    restarts = sum(child.restarts for child in supervisor.children)
    names = ", ".join(child.name for child in supervisor.children)
    state = CheckState.NOTE if restarts > 3 else CheckState.OK
    text = Sentence("{names}; {restarts} restarts (`quorate logs`)", names=names, restarts=restarts)
    return MachineCheck("workers", state, text)


def _and(parts: Sequence[str]) -> Sentence:
    """Both, or the one that there is."""
    first, *second = parts
    return (
        Sentence("{first} and {second}", first=first, second=second[0])
        if second
        else Sentence("{first}", first=first)
    )


def _participants(_settings: ServiceSettings, environ: Mapping[str, str]) -> MachineCheck:
    directory = Path.cwd()
    workflow = workflow_of_everybody()
    configuration = load_configuration(directory, environ, workflow=workflow)
    tell = words_in(environ=environ).translate
    report = build_cast(workflow, None, configuration, environ, directory, tell=tell).report
    state = CheckState.NOTE if report.warnings else CheckState.OK
    present = ", ".join(tell(participant) for participant in report.participants)
    warnings = [tell(warning) for warning in report.warnings]
    return MachineCheck("participants", state, "; ".join([present, *warnings]))


CHECKS: tuple[CheckFunction, ...] = (
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
