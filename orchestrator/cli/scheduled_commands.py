"""The command of a schedule, read as it is when it is typed: before it is stored, and before anybody trusts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from orchestrator.application.remote_schedules import TypedCommand
from orchestrator.cli.help_texts import HELP_OPTIONS
from orchestrator.cli.lazy_group import load_command
from orchestrator.cli.registry import COMMANDS
from orchestrator.cli.typed_runs import read_typed
from orchestrator.workflows import ROWS
from shared.errors import UserError
from shared.sentences import Sentence

_WORKFLOWS = {
    name: row.name for row in ROWS if row.summary for name in (row.name, *row.former_names)
}
_SET_BY_SCHEDULES = ("no_wait", "idempotency_key")
_HERE: Mapping[str, str] = {"outputs": "--output", "lock": "--lock", "batch": "--batch"}
"""Options that reach for the machine on which a schedule runs, or for a name of its installation."""


def check_command(command: Sequence[str]) -> None:
    """Raise click.UsageError or UserError unless the command is a workflow's, and its options are."""
    with _parsed(command):
        pass


def read_command(command: Sequence[str], directory: Path) -> TypedCommand:
    """What the command asks for in that folder. Raises UserError."""
    try:
        with _parsed(command) as (name, typed):
            here = tuple(flag for option, flag in _HERE.items() if typed.get(option))
            return TypedCommand(read_typed(name, typed, directory).request, here)
    except click.ClickException as error:
        raise UserError("command: {why}", why=error.format_message()) from None


@contextmanager
def _parsed(command: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    typed_name, *arguments = command
    if typed_name not in _WORKFLOWS:
        known = ", ".join(sorted(_WORKFLOWS))
        raise click.UsageError(
            Sentence(
                "{name}: a schedule starts a workflow, one of {known}", name=typed_name, known=known
            )
        )
    name = _WORKFLOWS[typed_name]
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if {*HELP_OPTIONS} & {*own}:
        raise click.UsageError(Sentence("a schedule starts a run: leave --help out"))
    parser = load_command(COMMANDS[name])
    with parser.make_context(f"quorate {typed_name}", arguments) as parsed:
        for option in _SET_BY_SCHEDULES:
            if parsed.params.get(option):
                raise click.UsageError(
                    Sentence("a schedule sets --no-wait and --idempotency-key itself")
                )
        if parsed.params.get("estimate"):
            raise click.UsageError(Sentence("a schedule starts a run: leave --estimate out"))
        yield name, dict(parsed.params)
