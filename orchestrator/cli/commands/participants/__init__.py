"""`quorate participants`: who can take part, whether they answer, and holding them up."""

from __future__ import annotations

import click

from orchestrator.cli.lazy_group import LazyGroup
from orchestrator.cli.options import example
from orchestrator.cli.reader import words_in
from orchestrator.cli.registry import CommandEntry


def _in(module: str, help_text: str) -> CommandEntry:
    return CommandEntry(f"{__name__}.{module}", help_text)


COMMANDS = {
    "list": _in("listing:list_", "Who would take part, who else is here, and what is missing."),
    "test": _in("trial:test", "Ask each model one short question, through the workers."),
    "models": _in("models:models", "Which model a name means here, and what it costs."),
    "allow": _in("allowing:allow", "Let the workers here run and call what is configured."),
    "pause": _in("holding:pause", "Hold all calls of a participant, a provider or an account."),
    "resume": _in("holding:resume", "End a pause, or close the breaker of an account."),
    "login": _in("holding:login", "Open the browser of a web chat, to log in."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    epilog=example("quorate participants list"),
)
@click.pass_context
def participants(ctx: click.Context) -> int | None:
    """Who can take part in a review from here."""
    if ctx.invoked_subcommand:
        return None
    from orchestrator.cli.commands.participants.listing import print_listing

    words = words_in()
    return print_listing((), None, as_json=False, words=words)
