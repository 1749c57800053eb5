"""Options that several commands share, and the example at the end of every help."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from orchestrator.core.formats import USUAL_SUFFIXES, output_of
from orchestrator.core.parts import split_names
from orchestrator.core.pipelines import OnError
from orchestrator.core.setting import TIMEOUT
from orchestrator.settings.languages import LANGUAGES

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="No progress; nothing at all of a review that passes."
)
language_option = click.option(
    "--lang",
    "language",
    type=click.Choice(LANGUAGES),
    envvar="QUORATE_LANG",
    help="Language of messages.",
)
output_option = click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help=f"Result file: {USUAL_SUFFIXES}; or FORMAT:FILE.",
)
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="Use this configuration file."
)
no_wait_option = click.option("--no-wait", is_flag=True, help="Submit, print the run's id, exit 0.")
reuse_option = click.option(
    "--reuse", is_flag=True, help="Reuse stored answers for identical turns."
)


def _repository_name(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    """A repository as runs call it: the name of its top folder, also of one that is given as a path."""
    if typed is None or not (typed in (".", "..") or "/" in typed):
        return typed
    place = Path(typed).resolve()
    return repository_around(place) or place.name


def repository_around(place: Path) -> str:
    """What runs call the repository that a folder lies in; empty outside of any."""
    top = next((each for each in (place, *place.parents) if (each / ".git").exists()), None)
    return "" if top is None else os.fsencode(top.name).decode("utf-8", "replace")


def run_name(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    """The name of a run as the store knows it: within a repository `last` is the newest one of that repository."""
    from shared.models.rows import LAST_IN  # the help of a command loads no models

    here = repository_around(Path.cwd()) if typed in ("last", "@") else ""
    return f"{LAST_IN}{here}" if here else typed


run_argument = click.argument("run", metavar="RUN", default="last", callback=run_name)
named_run_argument = click.argument("run", metavar="RUN", callback=run_name)


repository_option = click.option(
    "--repository",
    metavar="NAME|PATH",
    callback=_repository_name,
    help="Only what is about this repository (. is the one here).",
)


def in_this_order(*decorators: Decorator) -> Decorator:
    """Several options as one; help shows them in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


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


class Finite(click.FloatRange):
    """A number in a range; `nan` and `inf` are in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Raises click.BadParameter."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


watch_limit_option = click.option(
    TIMEOUT,
    "watch_s",
    type=Finite(0, min_open=True),
    metavar="S",
    help="Watch for S seconds.",
)
findings_options = in_this_order(
    click.option(
        "--max-findings",
        type=click.IntRange(1),
        metavar="N",
        help="Findings in the text (3; of what rules alone found 50).",
    ),
    click.option("--all", "everything", is_flag=True, help="All findings in the text."),
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


def take(kind: type[T], typed: dict[str, Any]) -> T:
    """The fields of `kind` out of what click gives; they are no longer in `typed` then."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]  # every kind is a dataclass
    return kind(**{name: typed.pop(name) for name in names if name in typed})


def check_outputs(outputs: Iterable[Path]) -> None:
    """Refuse a result file of an unknown format, or in no folder, before anything is started."""
    for named in outputs:
        _, path = output_of(named)
        if (obstacle := output_obstacle(path)) is not None:
            raise click.UsageError(f"-o {path}: {obstacle}")


def output_obstacle(path: Path) -> str | None:
    """Why a file cannot be written there."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.is_dir():
        return "it is a folder"
    writable = os.access(path if path.exists() else path.parent, os.W_OK)
    return None if writable else "it cannot be written"


def check_estimate(outputs: Sequence[Path], *, estimate: bool) -> None:
    """Refuse a result file for a command that makes no result."""
    check_outputs(outputs)
    if outputs and estimate:
        raise click.UsageError("-o holds a run's result; --estimate makes none (use --json)")


def example(*lines: str) -> str:
    """The epilog that shows examples below a command's help, unwrapped."""
    return "\b\n" + "\n".join(f"Example: {line}" for line in lines)
