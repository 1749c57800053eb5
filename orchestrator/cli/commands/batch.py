"""`quorate batch`: many runs submitted together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import (
    Finite,
    config_option,
    example,
    in_this_order,
    json_option,
    language_option,
    quiet_option,
    take,
)
from orchestrator.cli.work_options import (
    models_option,
    participants_option,
    reuse_option,
    watch_limit_option,
)
from orchestrator.core.parts import split_names
from orchestrator.workflows import ROWS
from shared.models.batches import LAST, BatchLimits
from shared.models.run import ASK

LISTED = 20

file_argument = click.argument("source", metavar="FILE.jsonl|-")
name_argument = click.argument("name", metavar="BATCH", default=LAST)
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


@batch.command(
    "validate",
    epilog=example("quorate batch validate reviews.jsonl", "... | quorate batch validate -"),
)
@file_argument
@json_option
def validate_(source: str, as_json: bool) -> int:
    """Check a file as a whole and name every line that is wrong. Nothing is stored or started."""
    from orchestrator.cli.batch_actions import check_file

    return check_file(source, as_json=as_json)


@batch.command("schema", epilog=example("quorate batch schema review > item.schema.json"))
@click.argument(
    "workflow", metavar="WORKFLOW", type=click.Choice([row.name for row in ROWS if row.summary])
)
def schema(workflow: str) -> int:
    """The JSON schema of a line of that workflow."""
    from orchestrator.cli.batch_actions import print_schema

    return print_schema(workflow)


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
    from orchestrator.cli.batch_actions import submit_file

    language, wanted = typed.pop("language"), (source, typed.pop("name"))
    chosen = {"language": language, "decision.mode": mode}
    return submit_file(
        wanted,
        take(BatchLimits, typed),
        language,
        quiet=quiet,
        panel=tuple(split_names(participants)),
        settings={key: value for key, value in chosen.items() if value},
        unattended=mode is None,
        **typed,
    )


@batch.command("list", epilog=example("quorate batch list", "quorate batch list --json"))
@click.option(
    "-n", "limit", type=click.IntRange(1, 1000), default=LISTED, metavar="N", help="How many (20)."
)
@json_option
@language_option
def list_(limit: int, as_json: bool, language: str | None) -> int:
    """The batches, newest first, with how their items stand."""
    from orchestrator.cli.batch_lists import list_all

    return list_all(limit, language, as_json=as_json)


@batch.command("status", epilog=example("quorate batch status", "quorate batch status last --json"))
@name_argument
@json_option
@language_option
def status(name: str, as_json: bool, language: str | None) -> int:
    """How a batch stands: its items by state, which add up to all of them, and what they cost."""
    from orchestrator.cli.batch_lists import show_status

    return show_status(name, language, as_json=as_json)


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
    from orchestrator.cli.batch_actions import follow

    return follow(name, watch_s, language, as_json=as_json, quiet=quiet)


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
    from orchestrator.cli.batch_actions import hand_over

    return hand_over(name, output, errors=errors)


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
    from orchestrator.cli.batch_results import check_report_files

    check_report_files(outputs)
    from orchestrator.cli.batch_actions import report_on

    return report_on(name, outputs, language, as_json=as_json)


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
    from orchestrator.cli.batch_actions import write_from_git

    return write_from_git(repository, output, **typed)


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
    from orchestrator.cli.batch_actions import retry_failed

    limits = BatchLimits(max_usd, max_running)
    return retry_failed(name, limits, language, cancelled=cancelled, as_json=as_json)


@batch.command(
    "cancel", epilog=example("quorate batch cancel last", "quorate batch cancel last --now")
)
@name_argument
@click.option("--now", "at_once", is_flag=True, help="End what is under way, too.")
@json_option
@language_option
def cancel(name: str, at_once: bool, as_json: bool, language: str | None) -> int:
    """Let nothing more of a batch begin. What is under way comes to its end, because it may have been paid for."""
    from orchestrator.cli.batch_actions import cancel_all

    return cancel_all(name, language, at_once=at_once, as_json=as_json)


@batch.command("pause", epilog=example("quorate batch pause last"))
@name_argument
@json_option
@language_option
def pause(name: str, as_json: bool, language: str | None) -> int:
    """Let nothing more of a batch begin until it is resumed; what is under way comes to its end."""
    from orchestrator.cli.batch_actions import set_paused

    return set_paused(name, language, paused=True, as_json=as_json)


@batch.command("resume", epilog=example("quorate batch resume last"))
@name_argument
@json_option
@language_option
def resume(name: str, as_json: bool, language: str | None) -> int:
    """Let a paused batch go on."""
    from orchestrator.cli.batch_actions import set_paused

    return set_paused(name, language, paused=False, as_json=as_json)
