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
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.embedded.servers import status as server_status
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.wrapping import folded
from shared.build import read_build, this_build
from shared.errors import EnvironmentFault
from shared.instance import Instance
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import HEAD, newer_schema
from shared.store.views import schema_revision

REPLACED = Sentence(
    "another version than this command: the next command that needs them replaces them, and calls under way are "
    "finished"
)
LEAVING = Sentence(
    "another version than this command, which has replaced them: they finish the calls under way"
)
SIDE_BY_SIDE = Sentence(
    "another version than this command; both work side by side (`quorate docs upgrading`)"
)
APART = Sentence(
    "a version with other messages than this command's, and take no work together with it: bring all to one version "
    "(`quorate docs upgrading`)"
)
_NOT_RUNNING = Sentence(
    "not running; any command that needs the servers starts them (`quorate up`)"
)


@click.command(epilog=example("quorate status", "quorate status --json"))
@json_option
def status(as_json: bool) -> int:
    """Servers, processes, versions and runs at a glance. Starts nothing; exit code 5 when the database is not up."""
    return show_status(os.environ, as_json=as_json)


def show_status(environ: Mapping[str, str], *, as_json: bool) -> int:
    """What runs; the exit code."""
    settings, words = ServiceSettings.from_environment(environ), words_in(environ=environ)
    reading = ENGLISH if as_json else words
    facts: dict[str, Any] = {"version": str(this_build()), "instance": None}
    if settings.external is None:
        facts |= _embedded(settings.instance)
        if not any(server["running"] or server["silent"] for server in facts["servers"]):
            down = {"fault": _NOT_RUNNING, "queues": None, "refused": None, "paused": None}
            return _show(environ, {**facts, **down}, words, as_json=as_json)
    fault: str | None = None
    database = Database(settings.endpoints.database_url, pool_size=1, patience_s=0.0)
    try:
        facts["schema"] = {"found": database.run(schema_revision), "needed": HEAD}
        if facts["schema"]["found"] == HEAD:
            facts |= database.run(
                partial(stored_status, embedded=settings.external is None, words=reading)
            )
    except EnvironmentFault as error:
        fault = error.sentence
    finally:
        database.close()
    facts["queues"], facts["refused"] = broker_counts(settings)
    pauses = paused_calls(settings)
    facts["paused"] = None if pauses is None else [asdict(pause) for pause in pauses]
    return _show(environ, {**facts, "fault": fault}, words, as_json=as_json)


def _show(
    environ: Mapping[str, str], facts: Mapping[str, Any], words: Translator, *, as_json: bool
) -> int:
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **facts}))
    else:
        terminal.result(_fitted(facts, words, terminal.columns))
    return 0 if facts["fault"] is None else EnvironmentFault.exit_code


def _fitted(facts: Mapping[str, Any], words: Translator, width: int | None) -> list[Line]:
    lines = _lines(facts, words, width)
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


def _lines(facts: Mapping[str, Any], words: Translator, width: int | None) -> list[Line]:
    external, say = facts["instance"] is None, words.sentence
    lines = [line(f"quorate {read_build(facts['version']).shown}")]
    if external:
        lines.append(line(say(Sentence("external servers"))))
    else:
        lines += _instance_lines(facts, words, width)
    if facts["fault"] is not None:
        return [*lines, line(Span(say(facts["fault"]), Style.BAD))]
    lines.append(_schema_line(**facts["schema"], words=words))
    lines += _process_lines(facts.get("processes", ()), words)
    lines += _version_lines(facts, words)
    counts = _counts(facts.get("runs", {}), words)
    about = facts.get("runs_estimated")
    runs = (
        Sentence("runs: about {runs}", runs=counts)
        if about
        else Sentence("runs: {runs}", runs=counts)
    )
    lines.append(line(say(runs)))
    lines += _queue_lines(facts.get("queued", {}), words)
    lines += _pause_lines(facts["paused"] or (), facts.get("paused_batches", ()), words)
    lines += _held_lines(facts.get("held", ()), words)
    if external:
        lines += [line(Span(say(text), Style.BAD)) for text in missing_servers(facts)]
    return [*lines, *_message_lines(facts["queues"] or {}, facts["refused"] or {}, words)]


def _counts(runs: Mapping[str, int], words: Translator) -> str:
    counts = (
        words.message("status_runs", n=count, state=words.word(f"state_{status}", status))
        for status, count in runs.items()
    )
    return ", ".join(counts) or Sentence("none")


def _queue_lines(queued: Mapping[str, int], words: Translator) -> list[Line]:
    """Who waits their turn, batch by batch; a single line of no batch is told by the counts already."""
    if not any(queued):
        return []
    lines = [
        Sentence("{n} of {batch}", n=count, batch=batch or Sentence("no batch"))
        for batch, count in queued.items()
    ]
    return [
        line(words.sentence(Sentence("queued: {batches}", batches=Sentence.joined(", ", lines))))
    ]


def _pause_lines(
    pauses: Iterable[Mapping[str, Any]], batches: Iterable[str], words: Translator
) -> list[Line]:
    """What an operator holds, until when, and how it goes on."""
    texts = [
        Sentence(
            "paused: {name} until {end}{why}",
            name=pause["name"],
            end=_until(pause),
            why=_why(pause),
        )
        for pause in pauses
    ]
    texts += [
        Sentence(
            "paused: batch {batch} until `quorate batch resume {typed}`",
            batch=batch,
            typed=shlex.quote(batch),
        )
        for batch in batches
    ]
    return [line(Span(words.sentence(text), Style.WARNING)) for text in texts]


def _held_lines(turns: Iterable[Mapping[str, Any]], words: Translator) -> list[Line]:
    """Whom runs wait for, why, and when it is tried again."""
    return [
        line(
            Span(
                words.message(
                    "status_held",
                    turns=each["turns"],
                    who=each["participant"],
                    n=each["runs"],
                    at=f"{each['again_at']:%H:%M:%S} UTC",
                    why=each["why"],
                ),
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


def _schema_line(found: str | None, needed: str, words: Translator) -> Line:
    if found == needed:
        return line(words.sentence(Sentence("schema {found}, as needed", found=found)))
    if found is not None and found > needed:
        return line(Span(words.sentence(newer_schema(found)), Style.BAD))
    text = Sentence(
        "schema {found}, needed {needed}: the next command that works with it upgrades it; servers of your own: "
        "`quorate db upgrade`",
        found=found or Sentence("none"),
        needed=needed,
    )
    return line(Span(words.sentence(text), Style.WARNING))


def _process_lines(processes: Iterable[Mapping[str, Any]], words: Translator) -> list[Line]:
    lines = []
    for process in processes:
        where = {name: process[name] for name in ("kind", "host", "pid")}
        if process["presence"] == ProcessState.LIVING:
            living = Sentence(
                "{kind} on {host}, pid {pid}, {version}, seen {s:.1f} s ago",
                **where,
                version=read_build(process["version"]).shown,
                s=process["silent_s"],
            )
            lines.append(line(words.sentence(living)))
        elif process["presence"] == ProcessState.SILENT:
            silent = Sentence(
                "{kind} on {host}, pid {pid}: no sign of life for {s:.0f} s; its steps are taken over",
                **where,
                s=process["silent_s"],
            )
            lines.append(line(Span(words.sentence(silent), Style.WARNING)))
    return lines


def _version_lines(facts: Mapping[str, Any], words: Translator) -> list[Line]:
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
    return [
        line(Span(words.message("status_versions", n=n, effect=words.sentence(text)), style))
        for n, text, style in groups
        if n
    ]


def _instance_lines(facts: Mapping[str, Any], words: Translator, width: int | None) -> list[Line]:
    """The embedded servers, and the processes that are kept alive beside them."""
    columns = heads(("server", "runs_now", "version", "pid", "memory", "socket"), words)
    rows = [_server(server, words) for server in facts["servers"]]
    lines = [
        line(words.sentence(Sentence("instance {name} in {data}", **_named(facts["instance"])))),
        *table(columns, rows, width, spare=(5, 4)),
    ]
    children = facts["supervisor"]["children"]
    if not children:
        return [*lines, line(words.sentence(_why_no_workers(facts["supervisor"])))]
    rows = [(c["name"], str(c["pid"] or "-"), str(c["restarts"])) for c in children]
    return [*lines, *table(heads(("process", "pid", "restarts"), words), rows)]


def _named(instance: Mapping[str, str]) -> dict[str, str]:
    return {name: instance[name] for name in ("name", "data")}


def _message_lines(
    queues: Mapping[str, int], refusals: Mapping[str, int], words: Translator
) -> list[Line]:
    lines = []
    if waiting := [_in_queue(n, queue) for queue, n in queues.items() if n]:
        text = Sentence("messages waiting: {waiting}", waiting=Sentence.joined(", ", waiting))
        lines.append(line(words.sentence(text)))
    if refused := [_in_queue(n, queue) for queue, n in refusals.items()]:
        text = Sentence(
            "messages refused: {refused}; they were not written here; the logs say why",
            refused=Sentence.joined(", ", refused),
        )
        lines.append(line(Span(words.sentence(text), Style.WARNING)))
    return lines


def _in_queue(number: int, queue: str) -> Sentence:
    return Sentence("{n} in {queue}", n=number, queue=queue)


def _why_no_workers(supervisor: Mapping[str, Any]) -> str:
    if supervisor["killed"]:
        return Sentence(
            "the supervisor was killed: no workers; `quorate up`, or any command that waits for a run, restarts it"
        )
    return Sentence("no supervisor runs: no workers")


def _server(server: Mapping[str, Any], words: Translator) -> tuple[str, ...]:
    memory = server["memory_bytes"]
    runs = "yes" if server["running"] else "no_answer" if server["silent"] else "no"
    return (
        server["name"],
        words.message(f"server_runs_{runs}"),
        server["version"] or "-",
        str(server["pid"] or "-"),
        "-" if memory is None else f"{memory / 1e6:.0f} MB",
        str(server["path"]),
    )
