"""Options that several commands share, and the example at the end of every help.

`work_options.py` has those of commands that submit runs or wait for them, which load more.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="Use this configuration file."
)


def _repository_name(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    """A repository as runs call it: the name of its top folder, also of one that is given as a path."""
    if typed is None or not (typed in (".", "..") or "/" in typed):
        return typed
    # The help of a command loads no models.
    from orchestrator.application.place import repository_around

    place = Path(typed).resolve()
    return repository_around(place) or place.name


def run_name(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    """The name of a run as the store knows it: within a repository `last` is the newest one of that repository."""
    # The help of a command loads no models.
    from orchestrator.application.place import run_from

    return None if typed is None else run_from(Path.cwd(), typed)


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


findings_options = in_this_order(
    click.option(
        "--max-findings",
        type=click.IntRange(1),
        metavar="N",
        help="Findings in the text (3; of what rules alone found 50).",
    ),
    click.option("--all", "everything", is_flag=True, help="All findings in the text."),
)


def take(kind: type[T], typed: dict[str, Any]) -> T:
    """The fields of `kind` out of what click gives; they are no longer in `typed` then."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]  # every kind is a dataclass
    return kind(**{name: typed.pop(name) for name in names if name in typed})


def example(*lines: str) -> str:
    """The epilog that shows examples below a command's help, unwrapped."""
    return "\b\n" + "\n".join(f"Example: {line}" for line in lines)
