"""`quorate`: the console script. Knows the commands' names, loads one when it is called."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click
from click.core import ParameterSource

from orchestrator.cli.default_command import (
    IMPLICIT,
    leading_words,
    objection_to_subject,
    require_question,
    with_help,
)
from orchestrator.cli.elsewhere import SERVER, refuse_elsewhere
from orchestrator.cli.help_texts import HELP_OPTIONS, translate_help
from orchestrator.cli.lazy_group import LazyGroup
from orchestrator.cli.ownership import intruder
from orchestrator.cli.registry import COMMANDS, DISCUSSIONS
from orchestrator.workflows import DEFAULT, ROWS

USAGE = 2
ENVIRONMENT = 5
INTERRUPTED = 130
TERMINATED = 143
BROKEN_PIPE = 141
# New objects between two looks of the garbage collector. A command makes 60,000 to 130,000 of them, nearly all of which
# it keeps: with Python's 700 the looks take a seventh of its processor time, with 50,000 a twentieth, in vain.
# What stays sets its own (shared/collector.py).
COLLECTED_EVERY = 200_000
WORDS = "orchestrator.cli.words"
DEFAULT_BELOW = {"participants": ("list",)}
"""What a group does that is named alone."""
NO_COMMAND = (
    "Without a command this is a question: a command's name comes first (`quorate panel ...`), and a question that "
    "begins with a dash goes after `--`"
)


class ReaderGone(Exception):
    """Whoever read our output has gone. No OSError: click would take that for exit code 1, a tripped gate."""


@contextmanager
def _readers_noticed() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


class QuorateGroup(LazyGroup):
    """All commands; what begins with none of them is a question."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What was typed, with the command that was left out."""
        typed = self.understood(ctx, args)
        ctx.meta[WORDS] = typed[len(_server_in(typed)) :]
        return super().parse_args(ctx, typed)

    def understood(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What begins with no command is a question, and so is what comes in by a pipe alone."""
        where = len(_server_in(args))
        if where:
            return [*args[:where], *self.understood(ctx, args[where:])]
        args = with_help(args, COMMANDS)
        for row in ROWS:
            if args[:1] == [row.name] and args[1:2] and args[1] in row.asides:
                return [f"{row.name}-{args[1]}", *args[2:]]
        if not _is_question(ctx, args):
            return args
        ctx.meta[IMPLICIT] = True
        return [DEFAULT, *(args or ["-"])]

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read what was typed; `--help` is answered here. Raises ReaderGone."""
        with _readers_noticed():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ReaderGone."""
        with _readers_noticed():
            return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help in the reader's language."""
        translate_help(self)
        super().format_help(ctx, formatter)


def _server_in(args: list[str]) -> list[str]:
    """`--server URL` at the beginning, which is no part of a question."""
    if args[:1] == ["--server"] and len(args) > 1:
        return args[:2]
    return args[:1] if args and args[0].startswith("--server=") else []


def _is_question(ctx: click.Context, args: list[str]) -> bool:
    """True when `ask` is meant. Raises UsageError for what looks like a mistyped command."""
    if not args:
        from orchestrator.cli.piped import has_input

        return has_input()
    known = [name for name, entry in COMMANDS.items() if not entry.hidden]
    if args[0] in DISCUSSIONS:
        reason = objection_to_subject(leading_words(args[1:]), known)
        if reason is not None:
            raise click.UsageError(reason, ctx)
    if args[0] in COMMANDS or args[0] in (*ctx.help_option_names, "--version"):
        return False
    require_question(ctx, leading_words(args), known)
    return True


@click.group(
    cls=QuorateGroup,
    table=COMMANDS,
    context_settings={"help_option_names": list(HELP_OPTIONS)},
    epilog='\b\nExample: quorate "Is a monolith right for three people?"\n'
    "Example: quorate review HEAD~1..HEAD --fail-on major\n"
    "Every command has --help with an example.\n"
    "`quorate docs` has the manual, `quorate docs exit-codes` the exit codes.",
)
@click.version_option(package_name="quorate", prog_name="quorate", message="%(prog)s %(version)s")
@click.option(
    "--server",
    envvar=SERVER,
    metavar="URL",
    help="Work with the runs of the service at URL (QUORATE_SERVER; QUORATE_TOKEN).",
)
@click.pass_context
def cli(ctx: click.Context, server: str | None) -> None:
    """A panel of AI participants and analysers works on a question, a plan or a change; a person decides.

    `quorate "question"` asks a panel; everything else begins with a command. Servers start
    automatically when a command needs them. A run's name may be shortened, and `last` is the newest one:
    within a repository the newest of that repository, else of all.
    """
    if server:
        os.environ[SERVER] = server
        group = str(ctx.invoked_subcommand)
        words = ctx.meta[WORDS]
        if not {*HELP_OPTIONS} & {*words}:
            refuse_elsewhere([group, *(words[1:2] or DEFAULT_BELOW.get(group, ()))])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code (docs/exit-codes.md)."""
    gc.set_threshold(COLLECTED_EVERY, 20, 20)
    if (sentence := intruder()) is not None:
        sys.stderr.write(f"quorate: {sentence}\n")
        return ENVIRONMENT
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _answered(argv)
    except (BrokenPipeError, ReaderGone):
        _discard_unread()
        return BROKEN_PIPE


def _open_missing_streams() -> None:
    """What is written to a closed stream (`>&-`) goes nowhere, not into the first socket that gets its number."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115 - as long as the process


def _answered(argv: Sequence[str] | None) -> int:
    """The exit code, with what went wrong said on stderr. Raises BrokenPipeError or ReaderGone."""
    # These import `shared`: only now is it known to be ours.
    from orchestrator.cli.error_handler import handle_error, report
    from shared.programs import forget_relative

    forget_relative(os.environ)
    try:
        return _run(argv)
    except (BrokenPipeError, ReaderGone):
        raise
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return USAGE
    except click.ClickException as error:
        report(_usage(error))
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        report("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost place: errors and bugs leave by their doors
        code = handle_error(error, os.environ)
        if isinstance(error, OSError):
            _discard_unread()
        return code


def _run(argv: Sequence[str] | None) -> int:
    arguments = None if argv is None else list(argv)
    returned: Any = cli.main(args=arguments, prog_name="quorate", standalone_mode=False)
    sys.stdout.flush()
    return int(returned or 0)


def _discard_unread() -> None:
    """What nobody reads any more is dropped: the interpreter must not complain about it at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    if isinstance(error, click.BadParameter) and _is_of_environment(error):
        error.param_hint = str(error.param.envvar) if error.param else None
    where = context.command_path if context is not None else "quorate"
    from orchestrator.cli.reader import words_in
    from orchestrator.cli.usage_words import in_language
    from orchestrator.presentation.locale.catalogue import help_texts

    words = words_in()
    message = f"{words.sentence(error.format_message())} (`{where} --help` explains)"
    sentence = in_language(message, help_texts(words.language))
    implicit = context is not None and context.meta.get(IMPLICIT, False)
    if implicit and isinstance(error, click.NoSuchOption):
        return f"{sentence}. {NO_COMMAND}"
    return sentence


def _is_of_environment(error: click.BadParameter) -> bool:
    """True when the value was a variable's: the option was not typed."""
    if error.ctx is None or error.param is None or error.param.name is None:
        return False
    return error.ctx.get_parameter_source(error.param.name) is ParameterSource.ENVIRONMENT


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
