"""`quorate resume`: look at a blocked run again."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate resume r3k && quorate watch r3k"))
@click.argument("run", metavar="RUN")
def resume(run: str) -> int:
    """Let a blocked run go on, after what blocked it was mended. Running and waiting runs need no help."""
    from orchestrator.application.backend import connected
    from orchestrator.cli.terminal import Terminal
    from orchestrator.core.document import line
    from shared.errors import UserError
    from shared.store.runs import unblock_run
    from shared.store.views import find_run

    with connected(os.environ) as backend:
        found = backend.read(lambda connection: find_run(connection, run))
        if not backend.write(lambda connection: unblock_run(connection, found.id)):
            raise UserError(f"run {found.id} is {found.status.value}, not blocked")
        backend.signals.send(found.id)
    Terminal.of(os.environ).result([line(f"{found.id} goes on: quorate watch {found.id}")])
    return 0
