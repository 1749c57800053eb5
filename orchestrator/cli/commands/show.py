"""`quorate show`: one run, whole or one side of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from orchestrator.application.run_details import StepRequest
from orchestrator.cli.archives import archive
from orchestrator.cli.options import example, json_option, language_option, run_argument, take
from orchestrator.cli.results import OutputOptions, write_file
from orchestrator.cli.work_options import check_outputs, output_option
from orchestrator.core.formats import FORMATS, format_named
from orchestrator.core.lines import Line, exact
from orchestrator.presentation import timeline
from orchestrator.presentation.fork_origin import heading, origin
from orchestrator.presentation.formats.json import workflow_schema
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.live.progress_events import held_up
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import view_of
from orchestrator.presentation.terminal import Terminal, columns_of
from shared.models.panel import Participant
from shared.models.run_file import Imported

Event = tuple[int, str, Mapping[str, Any], datetime]


@click.command(
    epilog=example(
        "quorate show last --all",
        "quorate show last --json | jq .findings",
        "quorate show r3k --prompt critique/1/claude",
        "quorate show last -o review.md",
    )
)
@run_argument
@click.option("--prompt", "step", metavar="STEP", help="Exactly what a step was asked.")
@click.option("--rounds", is_flag=True, help="Everything that was said, step by step.")
@click.option("--events", is_flag=True, help="The event log.")
@click.option("--patch", is_flag=True, help="The exact patch, alone: `... --patch | git apply`.")
@click.option(
    "--format",
    "form",
    type=click.Choice([row.name for row in FORMATS]),
    help="The whole result in this format.",
)
@click.option("--markdown", "form", flag_value="markdown", help="As Markdown.")
@click.option("--schema", is_flag=True, help="The JSON schema of what its workflow adds.")
@click.option(
    "--all", "everything", is_flag=True, help="All findings; for a discussion, also what was said."
)
@output_option
@json_option
@language_option
def show(run: str, step: str | None, **typed: Any) -> int:
    """A run's result. RUN is an id, its beginning, or `last`; STEP is a key that --rounds shows."""
    options = take(OutputOptions, typed)
    check_outputs(options.outputs)
    with archive(os.environ) as place:
        report = place.report(run)
        words = options.words(report.spec)
        for path in options.outputs:
            write_file(path, report, words)
        if options.outputs:
            return 0
        if step is not None:
            shown: list[Line] | str = _prompt(place.asked(report.run.id, step))
        elif typed["events"]:
            shown = _events(place.events(report.run.id), as_json=options.as_json)
        else:
            shown = _shown(report, words, options, place.imported(report.run.id), **typed)
    Terminal.of(os.environ).result(shown)
    return 0


def _shown(
    report: RunReport,
    words: Translator,
    options: OutputOptions,
    imported: Imported | None,
    *,
    patch: bool,
    form: str | None,
    schema: bool,
    rounds: bool,
    **_others: bool,
) -> list[Line] | str:
    if patch:
        return _patch(report)
    if schema:
        return dumps(workflow_schema(report.workflow))
    if options.as_json or form:
        return format_named(form or "json").render(report, words)
    if rounds:
        return timeline.rounds(report, words)
    width = columns_of(sys.stdout)
    shown = result_lines(
        report,
        words=words,
        max_findings=options.most_findings(report.spec.panel),
        deciding=view_of(report).always_whole,
        width=width,
    )
    waits = [] if report.run.status.final else held_up(report.steps, words)
    return [heading(report, words), *origin(report, words, imported), *shown, *waits]


def _patch(report: RunReport) -> list[Line] | str:
    """People see everything; `git apply` gets every byte."""
    whole = "" if report.result is None else report.result.whole_patch
    text = report.fixes.patch if report.fixes is not None else whole
    return exact(text) if sys.stdout.isatty() else text


def _events(log: Sequence[Event], *, as_json: bool) -> list[Line] | str:
    if not as_json:
        return timeline.events(log)
    listed = [
        {"seq": number, "at": at.isoformat(), "type": kind, "body": body}
        for number, kind, body, at in log
    ]
    return dumps({"schema_version": SCHEMA_VERSION, "events": listed})


def _prompt(asked: StepRequest) -> list[Line]:
    from orchestrator.presentation.sent import prompt  # loads what masks
    from shared.providers.locality import leaves_machine  # loads the catalogue of providers

    leaves = asked.kind == "turn" and leaves_machine(
        Participant.model_validate(asked.request["participant"])
    )
    return prompt(dict(asked.request), asked.kind, asked.document, leaves=leaves)
