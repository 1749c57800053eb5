"""Options that several commands share, and the example at the end of every help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
language_option = click.option(
    "--lang",
    "language",
    type=click.Choice(["en", "ko"]),
    envvar="QUORATE_LANG",
    help="Language of messages.",
)
run_argument = click.argument("run", metavar="RUN", default="last")


def example(*lines: str) -> str:
    """The epilog that shows examples below a command's help, unwrapped."""
    return "\b\n" + "\n".join(f"Example: {line}" for line in lines)
