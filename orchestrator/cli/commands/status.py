"""`quorate status`: what runs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click

from orchestrator.application.brokers import broker_counts, missing_servers, paused_calls
from orchestrator.application.company import ProcessState, VersionFit, stored_status
from orchestrator.cli.options import example, json_option
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.embedded.servers import status as server_status
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.wrapping import folded
from shared.build import read_build, this_build
from shared.errors import EnvironmentFault
from shared.instance import Instance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import HEAD, newer_schema
from shared.store.views import schema_revision

REPLACED = (
    "another version than this command: the next command that needs them replaces them, and calls under way are "
    "finished"
)
LEAVING = (
    "another version than this command, which has replaced them: they finish the calls under way"
)
SIDE_BY_SIDE = (
    "another version than this command; both work side by side (`quorate docs upgrading`)"
)
APART = (
    "a version with other messages than this command's, and take no work together with it: bring all to one version "
    "(`quorate docs upgrading`)"
)
_NOT_RUNNING = "not running; any command that needs the servers starts them (`quorate up`)"


@click.command(epilog=example("quorate status", "quorate status --json"))
@json_option
def status(as_json: bool) -> int:
    """Servers, processes, versions and runs at a glance. Starts nothing; exit code 5 when the database is not up."""
    return show_status(os.environ, as_json=as_json)


def show_status(environ: Mapping[str, str], *, as_json: bool) -> int:
    """What runs; the exit code."""
    settings = ServiceSettings.from_environment(environ)
    facts: dict[str, Any] = {"version": str(this_build()), "instance": None}
    if settings.external is None:
        facts |= _embedded(settings.instance)
        if not any(server["running"] or server["silent"] for server in facts["servers"]):
            down = {"fault": _NOT_RUNNING, "queues": None, "refused": None, "paused": None}
            return _show(environ, {**facts, **down}, as_json=as_json)
    fault: str | None = None
    database = Database(settings.endpoints.database_url, pool_size=1, patience_s=0.0)
    try:
        facts["schema"] = {"found": database.run(schema_revision), "needed": HEAD}
        if facts["schema"]["found"] == HEAD:
            facts |= database.run(partial(stored_status, embedded=settings.external is None))
    except EnvironmentFault as error:
        fault = error.sentence
    finally:
        database.close()
    facts["queues"], facts["refused"] = broker_counts(settings)
    pauses = paused_calls(settings)
    facts["paused"] = None if pauses is None else [asdict(pause) for pause in pauses]
    return _show(environ, {**facts, "fault": fault}, as_json=as_json)


def _show(environ: Mapping[str, str], facts: Mapping[str, Any], *, as_json: bool) -> int:
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **facts}))
    else:
        terminal.result(_fitted(facts, terminal.columns))
    return 0 if facts["fault"] is None else EnvironmentFault.exit_code


def _fitted(facts: Mapping[str, Any], width: int | None) -> list[Line]:
    lines = _lines(facts, width)
    return lines if width is None else folded(lines, width, 2)


def _embedded(instance: Instance) -> dict[str, Any]:
    supervisor = supervisor_status(instance)
    return {
        "instance": {
            "name": instance.name,
            "data": str(instance.data_dir),
            "logs": str(instance.log_dir),
        },
        "servers": [asdict(server) for server in server_status(instance)],
        "supervisor": asdict(supervisor),
    }


def _lines(facts: Mapping[str, Any], width: int | None) -> list[Line]:
    external = facts["instance"] is None
    lines = [line(f"quorate {read_build(facts['version']).shown}")]
    lines += [line("external servers")] if external else _instance_lines(facts, width)
    if facts["fault"] is not None:
        return [*lines, line(Span(facts["fault"], Style.BAD))]
    lines.append(_schema_line(**facts["schema"]))
    lines += _process_lines(facts.get("processes", ()))
    lines += _version_lines(facts)
    about = "about " if facts.get("runs_estimated") else ""
    lines.append(line(f"runs: {about}{_counts(facts.get('runs', {}))}"))
    lines += _queue_lines(facts.get("queued", {}))
    lines += _pause_lines(facts["paused"] or (), facts.get("paused_batches", ()))
    lines += _held_lines(facts.get("held", ()))
    if external:
        lines += [line(Span(text, Style.BAD)) for text in missing_servers(facts)]
    return [*lines, *_message_lines(facts["queues"] or {}, facts["refused"] or {})]


def _counts(runs: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in runs.items()) or "none"


def _queue_lines(queued: Mapping[str, int]) -> list[Line]:
    """Who waits their turn, batch by batch; a single line of no batch is told by the counts already."""
    if not any(queued):
        return []
    lines = (f"{count} of {batch or 'no batch'}" for batch, count in queued.items())
    return [line(f"queued: {', '.join(lines)}")]


def _pause_lines(pauses: Iterable[Mapping[str, Any]], batches: Iterable[str]) -> list[Line]:
    """What an operator holds, until when, and how it goes on."""
    lines = [
        line(Span(f"paused: {pause['name']} until {_until(pause)}{_why(pause)}", Style.WARNING))
        for pause in pauses
    ]
    texts = (
        f"paused: batch {batch} until `quorate batch resume {shlex.quote(batch)}`"
        for batch in batches
    )
    return [*lines, *(line(Span(text, Style.WARNING)) for text in texts)]


def _held_lines(turns: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Whom runs wait for, why, and when it is tried again."""
    return [
        line(
            Span(
                f"held up: {each['turns']} of {each['participant']} in {each['runs']} "
                f"{'run' if each['runs'] == 1 else 'runs'}, tried again at {each['again_at']:%H:%M:%S} UTC: "
                f"{each['why']}",
                Style.WARNING,
            )
        )
        for each in turns
    ]


def _until(pause: Mapping[str, Any]) -> str:
    if pause["until"] is None:
        return f"`quorate participants resume {shlex.quote(pause['name'])}`"
    return f"{datetime.fromtimestamp(pause['until'], UTC):%Y-%m-%d %H:%M:%S} UTC"


def _why(pause: Mapping[str, Any]) -> str:
    return f" ({pause['reason']})" if pause["reason"] else ""


def _schema_line(found: str | None, needed: str) -> Line:
    if found == needed:
        return line(f"schema {found}, as needed")
    if found is not None and found > needed:
        return line(Span(newer_schema(found), Style.BAD))
    by = (
        "the next command that works with it upgrades it; servers of your own: `quorate db upgrade`"
    )
    return line(Span(f"schema {found or 'none'}, needed {needed}: {by}", Style.WARNING))


def _process_lines(processes: Iterable[Mapping[str, Any]]) -> list[Line]:
    lines = []
    for process in processes:
        where = f"{process['kind']} on {process['host']}, pid {process['pid']}"
        if process["presence"] == ProcessState.LIVING:
            version = read_build(process["version"]).shown
            lines.append(line(f"{where}, {version}, seen {process['silent_s']:.1f} s ago"))
        elif process["presence"] == ProcessState.SILENT:
            text = f"{where}: no sign of life for {process['silent_s']:.0f} s; its steps are taken over"
            lines.append(line(Span(text, Style.WARNING)))
    return lines


def _version_lines(facts: Mapping[str, Any]) -> list[Line]:
    """Living processes of other versions, and what becomes of them."""
    fits = [
        process["fit"]
        for process in facts.get("processes", ())
        if process["presence"] == ProcessState.LIVING
    ]
    effect = SIDE_BY_SIDE
    if facts["instance"] is not None:
        ours, running = read_build(facts["version"]), read_build(facts["supervisor"]["build"])
        effect = LEAVING if ours.digest == running.digest else REPLACED
    groups = (
        (fits.count(VersionFit.COMPATIBLE), effect, Style.WARNING),
        (fits.count(VersionFit.INCOMPATIBLE), APART, Style.BAD),
    )
    return [line(Span(f"{_processes(n)} {text}", style)) for n, text, style in groups if n]


def _processes(number: int) -> str:
    return "1 process runs" if number == 1 else f"{number} processes run"


def _instance_lines(facts: Mapping[str, Any], width: int | None) -> list[Line]:
    """The embedded servers, and the processes that are kept alive beside them."""
    columns = ("server", "runs", "version", "pid", "memory", "socket")
    lines = [
        line(f"instance {facts['instance']['name']} in {facts['instance']['data']}"),
        *table(columns, [_server(server) for server in facts["servers"]], width, spare=(5, 4)),
    ]
    children = facts["supervisor"]["children"]
    if not children:
        return [*lines, line(_why_no_workers(facts["supervisor"]))]
    rows = [(c["name"], str(c["pid"] or "-"), str(c["restarts"])) for c in children]
    return [*lines, *table(("process", "pid", "restarts"), rows)]


def _message_lines(queues: Mapping[str, int], refusals: Mapping[str, int]) -> list[Line]:
    lines = []
    if waiting := [f"{n} in {queue}" for queue, n in queues.items() if n]:
        lines.append(line(f"messages waiting: {', '.join(waiting)}"))
    if refused := [f"{n} in {queue}" for queue, n in refusals.items()]:
        text = (
            f"messages refused: {', '.join(refused)}; they were not written here; the logs say why"
        )
        lines.append(line(Span(text, Style.WARNING)))
    return lines


def _why_no_workers(supervisor: Mapping[str, Any]) -> str:
    if supervisor["killed"]:
        return "the supervisor was killed: no workers; `quorate up`, or any command that waits for a run, restarts it"
    return "no supervisor runs: no workers"


def _server(server: Mapping[str, Any]) -> tuple[str, ...]:
    memory = server["memory_bytes"]
    return (
        server["name"],
        "yes" if server["running"] else "no answer" if server["silent"] else "no",
        server["version"] or "-",
        str(server["pid"] or "-"),
        "-" if memory is None else f"{memory / 1e6:.0f} MB",
        str(server["path"]),
    )
