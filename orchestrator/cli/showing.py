"""The flow of `quorate show`: one run, whole or one side of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.application.backend import Backend, connected
from orchestrator.application.report import load_report
from orchestrator.cli.terminal import Terminal
from orchestrator.cli.watching import Wish, fitted, rendered, write_file
from orchestrator.core.document import Line, exact
from orchestrator.presentation.forks import origin
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.formats.text import DEFAULT_MAX_FINDINGS
from orchestrator.presentation.live.progress import held_up
from orchestrator.presentation.question import question
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.results.registry import OF_CHANGES, result_lines
from orchestrator.presentation.sent import prompt
from orchestrator.presentation.timeline import events, rounds
from shared.models.panel import Participant
from shared.providers.locality import leaves_machine
from shared.store.database import Connection
from shared.store.documents import get_documents
from shared.store.views import list_events, step_request


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate show RUN`."""

    step: str | None = None
    rounds: bool = False
    events: bool = False
    patch: bool = False
    markdown: bool = False
    everything: bool = False
    output: Path | None = None
    as_json: bool = False
    language: str | None = None


def run_show(run: str, options: Options, environ: Mapping[str, str]) -> int:
    """Show; the exit code."""
    with connected(environ, workers=False) as backend:
        report = backend.read(lambda connection: load_report(connection, run))
        language = options.language or report.spec.language
        if options.output is not None:
            write_file(options.output, report, Wish(language=language))
            return 0
        Terminal.of(environ).result(_shown(backend, report, language, options))
    return 0


def _shown(
    backend: Backend, report: RunReport, language: str, options: Options
) -> list[Line] | str:
    if options.step is not None:
        return _prompt(backend, report.run.id, options.step)
    if options.events:
        return _events(backend, report.run.id, as_json=options.as_json)
    if options.patch:
        patch = report.fixes.patch if report.fixes is not None else ""
        # Whoever reads it sees everything; `git apply` gets every byte.
        return exact(patch) if sys.stdout.isatty() else patch
    if options.as_json:
        return rendered(report, ".json", language)
    if options.markdown:
        return rendered(report, ".md", language)
    if options.rounds:
        return rounds(report, language)
    limit = None if options.everything else DEFAULT_MAX_FINDINGS
    shown = result_lines(report, language=language, max_findings=limit)
    asked = question(report, language) if report.run.workflow in OF_CHANGES else []
    waits = [] if report.run.status.final else held_up(report.steps, language)
    return fitted(report, [*origin(report, language), *shown, *waits, *asked], sys.stdout)


def _events(backend: Backend, run: str, *, as_json: bool) -> list[Line] | str:
    log = backend.read(lambda connection: list_events(connection, run))
    if not as_json:
        return events(log)
    listed = [{"seq": number, "type": kind, "body": body} for number, kind, body in log]
    return dumps({"schema_version": SCHEMA_VERSION, "events": listed})


def _prompt(backend: Backend, run: str, step: str) -> list[Line]:
    def read(connection: Connection) -> list[Line]:
        request = step_request(connection, run, step)
        kind = "tool" if "tool" in request else "turn"
        leaves = kind == "turn" and leaves_machine(
            Participant.model_validate(request["participant"])
        )
        return prompt(
            request, kind, lambda name: get_documents(connection, [name])[name], leaves=leaves
        )

    return backend.read(read)
