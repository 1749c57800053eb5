"""What the command line says of itself, in the reader's language: `help.po` by the English text."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from orchestrator.presentation.locale.catalogue import help_texts


def help_language(environ: Mapping[str, str]) -> str:
    """`$QUORATE_LANG`, else that of the terminal: `LC_ALL`, `LC_MESSAGES`, `LANG`. No file is read for a help text."""
    names = ("QUORATE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((environ[name] for name in names if environ.get(name)), "")
    return chosen.replace("-", "_").partition("_")[0].partition(".")[0].lower()


def translated(text: str | None) -> str | None:
    """A help text in the reader's language; as it is where nobody has put it into that."""
    if not text:
        return text
    texts = help_texts(help_language(os.environ))
    return texts.get(inspect.cleandoc(text), text) if texts else text


HEADINGS = ("Usage", "Options")
"""What click writes above the parts of a help text; the headings of commands are ours."""


class TranslatedFormatter(click.HelpFormatter):
    """Writes help with its headings in the reader's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The line that says how a command is typed."""
        super().write_usage(prog, args, prefix or f"{translated(HEADINGS[0])}: ")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """A part below its heading."""
        with super().section(translated(name) or name):
            yield


class TranslatedContext(click.Context):
    """The context of a command whose help is translated."""

    formatter_class = TranslatedFormatter


HELP_OPTIONS = ("-h", "--help")
"""How help is asked for, of `quorate` and of every command."""


def translate_help(command: click.Command) -> click.Command:
    """The command with its help, its options' and its own commands' in the reader's language."""
    command.context_class = TranslatedContext
    command.help = translated(command.help)
    command.short_help = translated(command.short_help)
    # click keeps the option that it makes first, so its names are given here, too.
    context = click.Context(command, help_option_names=list(HELP_OPTIONS))
    own = command.get_help_option(context)
    for option in (*command.params, own):
        if isinstance(option, click.Option):
            option.help = translated(option.help)
    if isinstance(command, click.Group):
        for child in command.commands.values():  # none of the lazy group
            translate_help(child)
    return command
