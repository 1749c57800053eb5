"""`quorate`: the console script. Knows the commands' names, loads one when it is called."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.metadata import version
from types import FrameType
from typing import Any

import click

from orchestrator.cli.ownership import intruder
from orchestrator.cli.registry import COMMANDS

USAGE = 2
ENVIRONMENT = 5
INTERRUPTED = 130
TERMINATED = 143
BROKEN_PIPE = 141


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the table's order."""
        return [name for name, entry in COMMANDS.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module that holds the command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; an unknown one is answered with the nearest known."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not name.startswith("-"):
            near = get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f" Did you mean `quorate {near[0]}`?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        if command is None:
            return super().resolve_command(ctx, args)
        return name, command, args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExample: quorate review HEAD~1..HEAD --fail-on major\n"
    "Every command has --help with an example. Exit codes: docs/exit-codes.md.",
)
@click.version_option(
    version=version("quorate"), prog_name="quorate", message="%(prog)s %(version)s"
)
def cli() -> None:
    """A panel of AI participants and analysers reviews a change; a person decides.

    Servers are started by themselves when a command needs them. A run's name may be shortened,
    and `last` is the newest one.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code (docs/exit-codes.md)."""
    if (sentence := intruder()) is not None:
        sys.stderr.write(f"quorate: {sentence}\n")
        return ENVIRONMENT
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _terminate)
    from orchestrator.cli.doors import (
        leave,
        tell,
    )  # these import `shared`: only now is it known to be ours

    try:
        return _run(argv)
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return USAGE
    except click.ClickException as error:
        tell(_usage(error))
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        tell("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the outermost place: errors and bugs leave by their doors
        return leave(error, os.environ)


def _run(argv: Sequence[str] | None) -> int:
    arguments = None if argv is None else list(argv)
    returned: Any = cli.main(args=arguments, prog_name="quorate", standalone_mode=False)
    sys.stdout.flush()
    return int(returned or 0)


def _usage(error: click.ClickException) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "quorate"
    return f"{message} (`{where} --help` explains)"


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
