"""`quorate graph`: what calls, imports and reaches what in a repository."""

from __future__ import annotations

import click

from orchestrator.cli.lazy_group import LazyGroup
from orchestrator.cli.options import example
from orchestrator.cli.registry import CommandEntry


def _in(name: str, help_text: str) -> CommandEntry:
    return CommandEntry(f"{__name__}.{name}:{name}", help_text)


COMMANDS = {
    "build": _in("build", "Read the code and make its graph."),
    "callers": _in("callers", "Who calls a function, or makes objects of a class."),
    "callees": _in("callees", "What a function calls."),
    "chain": _in("chain", "The shortest chain of calls from one to another."),
    "impact": _in("impact", "Who depends on a symbol or a file: callers, files and tests."),
    "search": _in("search", "Find code by names, text, paths and structure."),
    "export": _in("export", "The whole graph as JSON, DOT or GraphML."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    epilog=example("quorate graph build", "quorate graph callers User.save --depth 2"),
)
def graph() -> None:
    """Ask the graph of a repository's code: what calls, imports and reaches what.

    Answers are about the last commit, or another one (--rev). SYMBOL is a name (save, User.save, shop.models.User),
    a place (shop/models.py:12) or a file. No code is run, and nothing leaves this machine. Exit code 2: nothing has
    that name, or several definitions have it; 3: the graph could not be made (`quorate docs graph`).
    """
