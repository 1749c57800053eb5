"""A group whose commands are imported when they are called; its help reads a table."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from orchestrator.cli.help_texts import TranslatedContext, translate_help, translated
from orchestrator.cli.registry import CommandEntry, CommandGroup


def load_command(entry: CommandEntry) -> click.Command:
    """Import the module that holds the command."""
    module, _, attribute = entry.target.partition(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    return translate_help(command)


class LazyGroup(click.Group):
    """The commands of `table`."""

    context_class = TranslatedContext

    def __init__(self, *words: Any, table: Mapping[str, CommandEntry], **options: Any) -> None:
        """As click's, with the table."""
        super().__init__(*words, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the table's order."""
        return [name for name, entry in self.table.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module that holds the command."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        return load_command(entry)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table by what commands are for, without importing one."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for group in CommandGroup:
            rows = [
                (name.ljust(width), translated(self.table[name].help) or "")
                for name in names
                if self.table[name].group is group
            ]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)
