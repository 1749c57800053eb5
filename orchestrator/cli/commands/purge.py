"""`quorate purge`: remove runs that ended long ago."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from orchestrator.application import retention
from orchestrator.application.backend import Backend, connected
from orchestrator.application.retention import PurgeRequest
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.options import example, json_option
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.since import seconds_of
from orchestrator.cli.watching import actor
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows import ROWS
from shared.sentences import Sentence
from shared.store.purging import Fitting, PurgeRow

SHOWN = 50


@click.command(
    epilog=example(
        "quorate purge --older-than 90d --dry-run",
        "quorate purge --older-than 30d --workflow agent",
        "quorate purge                 (by `retention` of the configuration)",
        "quorate purge --log",
    )
)
@click.option("--older-than", metavar="AGE", help="Runs that ended so long ago: 90d, 12w.")
@click.option(
    "--workflow", type=click.Choice([row.name for row in ROWS]), help="Only runs of this workflow."
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
@click.option("--log", "logged", is_flag=True, help="What was purged, when and by whom.")
@json_option
def purge(
    older_than: str | None, workflow: str | None, dry_run: bool, logged: bool, as_json: bool
) -> int:
    """Remove ended runs with their texts, child runs and events; without an age by `retention` of the configuration.

    Runs that have not ended are never removed, nor is what is held (`quorate hold`). What they cost stays in the sums
    of days. Exit code 5 while another purge is under way.
    """
    older_than_s = None if older_than is None else seconds_of("--older-than", older_than)
    request = PurgeRequest(Path.cwd(), older_than_s, workflow)
    with connected(os.environ, workers=False) as backend:
        if logged:
            return _log(backend, os.environ, as_json=as_json)
        if dry_run:
            return _preview(backend, request, os.environ, as_json=as_json)
        gone = retention.purge(backend, request, actor())
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "purged": asdict(gone)}))
    else:
        terminal.result(
            [
                sentence_line(
                    Sentence(
                        "removed: runs {runs:,}, batches {batches:,}, documents {documents:,}; held: {held:,}",
                        runs=gone.runs,
                        batches=gone.batches,
                        documents=gone.documents,
                        held=gone.held,
                    )
                )
            ]
        )
    return ExitCode.OK


def _preview(
    backend: Backend, request: PurgeRequest, environ: Mapping[str, str], *, as_json: bool
) -> int:
    fitting = retention.preview(backend, request)
    return show_list(FITTING, fitting, environ, as_json=as_json)


def _fitting_row(fitting: Fitting, words: Translator) -> tuple[str, ...]:
    note = words.sentence(Sentence("held: stays")) if fitting.held else ""
    status = words.word(f"state_{fitting.status}", fitting.status)
    return fitting.workflow, status, f"{fitting.runs:,}", note


def _log(backend: Backend, environ: Mapping[str, str], *, as_json: bool) -> int:
    listed = retention.purges(backend, SHOWN)
    return show_list(PURGES, listed, environ, as_json=as_json)


def _purge_row(purge: PurgeRow, words: Translator) -> tuple[str, ...]:
    return (
        f"{purge.began_at.astimezone():%Y-%m-%d %H:%M}",
        purge.actor,
        f"{purge.runs:,}",
        f"{purge.batches:,}",
        f"{purge.documents:,}",
        "" if purge.ended_at else words.sentence(Sentence("under way, or killed")),
    )


FITTING = Listing(
    "would_purge",
    ("workflow", "status", "runs", "note"),
    _fitting_row,
    Sentence("Nothing is old enough."),
)
PURGES = Listing(
    "purges",
    ("began", "by", "runs", "batches", "documents", "note"),
    _purge_row,
    Sentence("Nothing was purged yet."),
)
