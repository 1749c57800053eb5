"""Options of commands that submit runs or wait for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from orchestrator.cli.options import Finite, in_this_order
from orchestrator.core.formats import USUAL_SUFFIXES, output_of
from orchestrator.core.parts import split_names
from orchestrator.core.pipelines import OnError
from orchestrator.core.setting import TIMEOUT
from shared.sentences import Sentence

output_option = click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help=f"Result file: {USUAL_SUFFIXES}; or FORMAT:FILE.",
)

no_wait_option = click.option("--no-wait", is_flag=True, help="Submit, print the run's id, exit 0.")

reuse_option = click.option(
    "--reuse", is_flag=True, help="Reuse stored answers for identical turns."
)

pipeline_options = in_this_order(
    click.option("--comment", is_flag=True, help="Comment on the request (GitHub, GitLab)."),
    click.option(
        "--on-error",
        type=click.Choice([choice.value for choice in OnError]),
        default=OnError.FAIL.value,
        envvar="QUORATE_ON_ERROR",
        help="Without a conclusion: fail the job, pass it, or pass with a warning.",
    ),
)
"""What a job of a pipeline takes that reviews, or waits for a review."""

watch_limit_option = click.option(
    TIMEOUT,
    "watch_s",
    type=Finite(0, min_open=True),
    metavar="S",
    help="Watch for S seconds.",
)


def _somebody(
    _ctx: click.Context, _param: click.Parameter, typed: tuple[str, ...]
) -> tuple[str, ...]:
    """An empty list of names is refused, not taken for everybody: a script's variable may be empty."""
    if typed and not split_names(typed):
        raise click.BadParameter("it names nobody; leave it out to ask everybody")
    return typed


participants_option = click.option(
    "-p",
    "--participants",
    "--panel",
    "participants",
    multiple=True,
    metavar="NAMES",
    callback=_somebody,
    help="Who takes part: separate with commas, or repeat.",
)

models_option = click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="Ask this model in this run instead of others: gpt-5-mini, ollama/qwen3; repeat for several.",
)

report_option = click.option(
    "--report",
    "linter_reports",
    multiple=True,
    metavar="[NAME=]FILE",
    help="A linter's report to go along: SARIF, or of clippy, go vet, golangci-lint, eslint, ...",
)

change_options = in_this_order(
    click.argument("targets", nargs=-1, metavar="[PATH|REV|REV..REV] [PATH...]"),
    click.option("--staged", is_flag=True, help="Review what is staged."),
    click.option("--base", metavar="REF", help="Review everything since REF's merge base."),
    click.option("--diff", metavar="FILE|-", help="Review a bare unified diff."),
    click.option("--allow-empty", is_flag=True, help="A diff without a line is fine."),
    report_option,
)

LAST_RUN = "last-run"

since_run_option = click.option(
    "--since",
    type=click.Choice([LAST_RUN]),
    help="Review the commits since the last run with the same options.",
)

question_options = in_this_order(
    click.argument("words", nargs=-1, metavar="[TEXT...]"),
    click.option("-f", "--file", metavar="PATH", help="A file that holds the text (- is stdin)."),
    click.option(
        "--context", "contexts", multiple=True, metavar="PATH", help="A text file to go with it."
    ),
    click.option("--no-stdin", is_flag=True, help="Do not check stdin for input."),
)

case_options = in_this_order(
    click.argument("case", metavar="FILE|-|DIR"),
    click.option(
        "--similar",
        multiple=True,
        metavar="FILE|DIR|stored",
        help="Similar cases: a table, JSON, JSON Lines, a folder; or those of earlier runs.",
    ),
    click.option(
        "--documents",
        multiple=True,
        metavar="FILE|DIR",
        help="Texts in which evidence is looked for.",
    ),
)

task_options = in_this_order(
    click.argument("words", nargs=-1, metavar="TASK..."),
    click.option("-f", "--file", metavar="PATH", help="A file that holds the task (- is stdin)."),
    click.option(
        "--repo", "repository", metavar="DIR", help="The repository (default: the one around here)."
    ),
)


def check_outputs(outputs: Iterable[Path]) -> None:
    """Refuse a result file of an unknown format, or in no folder, before anything is started."""
    for named in outputs:
        _, path = output_of(named)
        if (obstacle := output_obstacle(path)) is not None:
            raise click.UsageError(Sentence("-o {path}: {why}", path=str(path), why=obstacle))


def output_obstacle(path: Path) -> str | None:
    """Why a file cannot be written there."""
    if not path.parent.is_dir():
        return Sentence("there is no folder {folder}", folder=str(path.parent))
    if path.is_dir():
        return Sentence("it is a folder")
    if path.exists():
        return None if os.access(path, os.W_OK) else Sentence("it cannot be written")
    from tempfile import TemporaryFile  # only a result file needs it

    try:
        # What the folder says is not enough: root may write to `/proc` by its mode.
        with TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return Sentence("it cannot be written: {why}", why=error.strerror)


def check_estimate(outputs: Sequence[Path], *, estimate: bool) -> None:
    """Refuse a result file for a command that makes no result."""
    check_outputs(outputs)
    if outputs and estimate:
        raise click.UsageError(
            Sentence("-o holds a run's result; --estimate makes none (use --json)")
        )
