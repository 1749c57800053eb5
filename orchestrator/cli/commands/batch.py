"""`quorate batch`: many runs submitted together."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from orchestrator.application import batch as batches
from orchestrator.application.backend import connected
from orchestrator.application.batch_from_git import HistoryRange
from orchestrator.application.batch_input import SUBMITTED, item_schema
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.cli.batch_results import (
    check_report_files,
    write_history,
    write_report,
    write_results,
)
from orchestrator.cli.batches import BatchWanted, show, submit, validate, watch
from orchestrator.cli.options import (
    Finite,
    config_option,
    example,
    in_this_order,
    json_option,
    language_option,
    models_option,
    participants_option,
    quiet_option,
    reuse_option,
    take,
    watch_limit_option,
)
from orchestrator.cli.watching import actor
from orchestrator.core.document import line
from orchestrator.core.parts import split_names
from orchestrator.presentation.batches import batches_table, status_json
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.batches import BatchLimits, BatchStatus
from shared.models.run import ASK

LISTED = 20

file_argument = click.argument("source", metavar="FILE.jsonl|-")
name_argument = click.argument("name", metavar="BATCH", default=batches.LAST)
limit_options = in_this_order(
    click.option(
        "--max-usd", type=Finite(0), metavar="USD", help="Make no call beyond this cost in all."
    ),
    click.option(
        "--concurrency",
        "max_running",
        type=click.IntRange(1),
        metavar="N",
        help="At most N of its runs at the same time.",
    ),
)


@click.group(epilog=example("quorate batch submit reviews.jsonl", "quorate batch watch last"))
def batch() -> None:
    """Many runs of any workflow from one file, below the work that people wait for: `quorate docs batch`."""


def _words(language: str | None) -> Translator:
    return Translator(language or "en")


@batch.command(
    "validate",
    epilog=example("quorate batch validate reviews.jsonl", "... | quorate batch validate -"),
)
@file_argument
@json_option
def validate_(source: str, as_json: bool) -> int:
    """Check a file as a whole and name every line that is wrong. Nothing is stored or started."""
    return validate(source, Path.cwd(), Terminal.of(os.environ), as_json=as_json)


@batch.command("schema", epilog=example("quorate batch schema review > item.schema.json"))
@click.argument("workflow", metavar="WORKFLOW", type=click.Choice(SUBMITTED))
def schema(workflow: str) -> int:
    """The JSON schema of a line of that workflow."""
    Terminal.of(os.environ).result(dumps(item_schema(workflow)))
    return 0


@batch.command(
    "submit",
    epilog=example(
        "quorate batch submit reviews.jsonl",
        "quorate batch submit reviews.jsonl -p claude,gemini --max-usd 20 --concurrency 50",
        "quorate batch from-git . --since 2w | quorate batch submit -",
    ),
)
@file_argument
@participants_option
@models_option
@limit_options
@click.option("--name", metavar="NAME", help="Call the batch so.")
@click.option(
    "--decide",
    "mode",
    type=click.Choice([ASK]),
    help="Leave decisions open for a person; else things stay as they are.",
)
@reuse_option
@config_option
@json_option
@language_option
@quiet_option
def submit_(
    source: str, participants: tuple[str, ...], mode: str | None, quiet: bool, **typed: Any
) -> int:
    """Check a file as a whole, capture every item, and queue them.

    The same file again is the same batch: a submission that was interrupted goes on, and one that is complete is only
    named again. Prints the batch's name.
    """
    language, as_json = typed.pop("language"), typed.pop("as_json")
    limits, name = take(BatchLimits, typed), typed.pop("name")
    chosen = {"language": language, "decision.mode": mode}
    common = SubmissionRequest(
        directory=Path.cwd(),
        panel=tuple(split_names(participants)),
        settings={key: value for key, value in chosen.items() if value},
        unattended=mode is None,
        **typed,
    )
    terminal = Terminal.of(os.environ, quiet=quiet)
    wanted = BatchWanted(source, common, limits, name)
    return submit(wanted, os.environ, terminal, _words(language), as_json=as_json)


@batch.command("list", epilog=example("quorate batch list", "quorate batch list --json"))
@click.option(
    "-n", "limit", type=click.IntRange(1, 1000), default=LISTED, metavar="N", help="How many (20)."
)
@json_option
@language_option
def list_(limit: int, as_json: bool, language: str | None) -> int:
    """The batches, newest first, with how their items stand."""
    with connected(os.environ, workers=False) as backend:
        listed = batches.all_batches(backend, limit)
    terminal = Terminal.of(os.environ)
    if as_json:
        rows = [status_json(each) for each in listed]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "batches": rows}))
    else:
        terminal.result(batches_table(listed, _words(language)))
    return 0


@batch.command("status", epilog=example("quorate batch status", "quorate batch status last --json"))
@name_argument
@json_option
@language_option
def status(name: str, as_json: bool, language: str | None) -> int:
    """How a batch stands: its items by state, which add up to all of them, and what they cost."""
    with connected(os.environ, workers=False) as backend:
        found = batches.batch_status(backend, name)
    show(found, Terminal.of(os.environ), _words(language), as_json=as_json)
    return 0


@batch.command(
    "watch", epilog=example("quorate batch watch", "quorate batch watch last --timeout 600 --json")
)
@name_argument
@watch_limit_option
@json_option
@language_option
@quiet_option
def watch_(
    name: str, watch_s: float | None, as_json: bool, language: str | None, quiet: bool
) -> int:
    """Follow a batch until all of it has ended, or until a person has to do something.

    Exit code 0: every item succeeded; 3: some failed or were cancelled; 8: not all have ended.
    """
    terminal = Terminal.of(os.environ, quiet=quiet)
    return watch(name, os.environ, terminal, _words(language), watch_s, as_json=as_json)


@batch.command(
    "results",
    epilog=example(
        "quorate batch results last -o results.jsonl", "quorate batch results last --errors"
    ),
)
@name_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write them into this file.",
)
@click.option("--errors", is_flag=True, help="Only what failed or was cancelled.")
def results(name: str, output: Path | None, errors: bool) -> int:
    """What came of each item that has ended: a JSON object a line, with its custom_id.

    Exit code 8 while items have not ended; those that have are written.
    """
    with connected(os.environ, workers=False) as backend:
        return write_results(backend, name, output, errors=errors)


@batch.command(
    "report",
    epilog=example(
        "quorate batch report last",
        "quorate batch report last -o report.html -o rows.csv",
    ),
)
@name_argument
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Result file: .md, .html, .json; rows: .csv, .jsonl.",
)
@json_option
@language_option
def report(name: str, outputs: tuple[Path, ...], as_json: bool, language: str | None) -> int:
    """What a batch came to: verdicts, findings, agreement, time and cost, by participant too.

    Where items have labels: precision, recall and the cost of a true finding, of each participant and of the panel.
    Exit code 8 while items have not ended.
    """
    check_report_files(outputs)
    with connected(os.environ, workers=False) as backend:
        return write_report(
            backend, name, outputs, Terminal.of(os.environ), _words(language), as_json=as_json
        )


@batch.command(
    "from-git",
    epilog=example(
        "quorate batch from-git . --since 2w > reviews.jsonl",
        "quorate batch from-git ../shop --commits v1.0..HEAD -o reviews.jsonl",
        "quorate batch from-git . --prs --since 2026-01-01 | quorate batch submit -",
    ),
)
@click.argument("repository", metavar="REPO", type=click.Path(path_type=Path))
@click.option("--since", metavar="DATE", help="Commits since a date, or of the last 12h, 7d, 4w.")
@click.option("--commits", metavar="A..B", help="The commits of a range (default: all of HEAD).")
@click.option(
    "--prs",
    "pull_requests",
    is_flag=True,
    help="Pull requests that subjects of merges and squashed commits name, each as a whole.",
)
@click.option(
    "-n", "newest", type=click.IntRange(1), metavar="N", help="At most the newest N commits."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write them into this file.",
)
def from_git(repository: Path, output: Path | None, **typed: Any) -> int:
    """A file for a batch from a repository's history: a review of each commit, oldest first, without merges."""
    return write_history(repository, HistoryRange(**typed), output, os.environ)


@batch.command(
    "retry",
    epilog=example(
        "quorate batch retry last --failed", "quorate batch retry last --failed --max-usd 30"
    ),
)
@name_argument
@click.option("--failed", is_flag=True, required=True, help="Ask again for what failed.")
@click.option("--cancelled", is_flag=True, help="And for runs that were cancelled one by one.")
@limit_options
@json_option
@language_option
def retry(
    name: str,
    cancelled: bool,
    max_usd: float | None,
    max_running: int | None,
    as_json: bool,
    language: str | None,
    **_typed: bool,
) -> int:
    """Ask again for the items that failed, with what was captured then. A blocked run goes on where it stopped."""
    limits = BatchLimits(max_usd, max_running)
    with connected(os.environ) as backend:
        found, items = batches.retry(backend, name, limits, cancelled=cancelled)
    terminal, words = Terminal.of(os.environ), _words(language)
    if not as_json:
        terminal.talk([line(words.message("batch_retried", n=items))])
    show(found, terminal, words, as_json=as_json)
    return 0


@batch.command(
    "cancel", epilog=example("quorate batch cancel last", "quorate batch cancel last --now")
)
@name_argument
@click.option("--now", "at_once", is_flag=True, help="End what is under way, too.")
@json_option
@language_option
def cancel(name: str, at_once: bool, as_json: bool, language: str | None) -> int:
    """Let nothing more of a batch begin. What is under way comes to its end, because it may have been paid for."""
    return _changed(
        lambda backend: batches.cancel(backend, name, actor(), at_once=at_once), language, as_json
    )


@batch.command("pause", epilog=example("quorate batch pause last"))
@name_argument
@json_option
@language_option
def pause(name: str, as_json: bool, language: str | None) -> int:
    """Let nothing more of a batch begin until it is resumed; what is under way comes to its end."""
    return _changed(lambda backend: batches.pause(backend, name, paused=True), language, as_json)


@batch.command("resume", epilog=example("quorate batch resume last"))
@name_argument
@json_option
@language_option
def resume(name: str, as_json: bool, language: str | None) -> int:
    """Let a paused batch go on."""
    return _changed(lambda backend: batches.pause(backend, name, paused=False), language, as_json)


def _changed(change: Callable[[Any], BatchStatus], language: str | None, as_json: bool) -> int:
    with connected(os.environ) as backend:
        found = change(backend)
    show(found, Terminal.of(os.environ), _words(language), as_json=as_json)
    return 0
