"""`quorate down`: stop what `up` starts."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example
from orchestrator.cli.reader import sentence_line
from orchestrator.embedded.servers import stop
from orchestrator.embedded.supervisor import stop_supervisor
from orchestrator.presentation.terminal import Terminal
from shared.errors import UserError
from shared.sentences import Sentence
from shared.settings import ServiceSettings


@click.command(epilog=example("quorate down"))
def down() -> int:
    """Stop the workers and the embedded servers. Nothing is lost: runs go on after the next start."""
    settings = ServiceSettings.from_environment(os.environ)
    if settings.external is not None:
        raise UserError("the servers are external (QUORATE_REDIS_URL): stop them where they run")
    stopped: list[str] = [Sentence("workers")] if stop_supervisor(settings.instance) else []
    stopped += stop(settings.instance)
    names = Sentence.joined(", ", stopped)
    text = Sentence("stopped: {names}", names=names) if stopped else Sentence("nothing was running")
    Terminal.of(os.environ).result([sentence_line(text)])
    return 0
