"""What the command line says of itself, in the reader's language: `help.po` by the English text."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from orchestrator.presentation.locale.catalogue import help_texts
from orchestrator.settings.languages import help_language


def translated(text: str | None) -> str | None:
    """A help text in the reader's language; as it is where nobody has put it into that."""
    if not text:
        return text
    texts = help_texts(help_language(os.environ))
    return texts.get(inspect.cleandoc(text), text) if texts else text


HEADINGS = ("Usage", "Options", "Example")
"""What click writes above the parts of a help text, and what stands before an example; the headings of commands are
ours."""


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


def epilog_lines(epilog: str) -> list[str]:
    """The lines of an epilog that are sentences: no example."""
    lines = epilog.splitlines()
    return [text for text in lines if text.strip("\b ") and not text.startswith(HEADINGS[2])]


def _epilog(epilog: str | None) -> str | None:
    if not epilog:
        return epilog
    for text in epilog_lines(epilog):
        epilog = epilog.replace(text, translated(text) or text)
    return epilog.replace(f"{HEADINGS[2]}: ", f"{translated(HEADINGS[2])}: ")


def translate_help(command: click.Command) -> click.Command:
    """The command with its help, its options' and its own commands' in the reader's language."""
    command.context_class = TranslatedContext
    command.help = translated(command.help)
    command.short_help = translated(command.short_help)
    command.epilog = _epilog(command.epilog)
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
