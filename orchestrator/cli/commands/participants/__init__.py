"""`quorate participants`: who can take part, whether they answer, and holding them up."""

from __future__ import annotations

import os

import click

from orchestrator.cli.commands.participants.allowing import allow
from orchestrator.cli.commands.participants.holding import login, pause, resume
from orchestrator.cli.commands.participants.listing import list_, print_listing
from orchestrator.cli.commands.participants.models import models
from orchestrator.cli.commands.participants.trial import test
from orchestrator.cli.options import example
from orchestrator.presentation.locale.translator import Translator


@click.group(invoke_without_command=True, epilog=example("quorate participants list"))
@click.pass_context
def participants(ctx: click.Context) -> int | None:
    """Who can take part in a review from here."""
    if ctx.invoked_subcommand:
        return None
    spoken = "ko" if os.environ.get("QUORATE_LANG") == "ko" else "en"
    return print_listing((), None, as_json=False, words=Translator(spoken))


for _command in (list_, test, allow, models, pause, resume, login):
    participants.add_command(_command)
