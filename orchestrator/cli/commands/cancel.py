"""`quorate cancel`: end a run."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate cancel r3k"))
@click.argument("run", metavar="RUN")
def cancel(run: str) -> int:
    """End a run: nothing of it starts any more, and running calls are dropped within seconds."""
    from orchestrator.application.backend import connected
    from orchestrator.application.decide import actor
    from orchestrator.cli.terminal import Terminal
    from orchestrator.core.document import line
    from shared.errors import UserError
    from shared.store.runs import cancel_run
    from shared.store.views import find_run

    with connected(os.environ, workers=False) as backend:
        name = backend.read(lambda connection: find_run(connection, run)).id
        before = backend.write(lambda connection: cancel_run(connection, name, actor()))
    if before is not None and before.final and before.value != "cancelled":
        raise UserError(f"run {name} is {before.value} already; nothing was changed")
    Terminal.of(os.environ).result([line(f"{name} cancelled")])
    return 0
