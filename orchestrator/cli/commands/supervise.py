"""`quorate supervise` (hidden): keep the processes of the embedded instance alive."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate supervise        (started by the other commands)"))
def supervise() -> int:
    """Start and restart the orchestrator and the workers of the embedded instance."""
    from orchestrator.embedded.scripts import script
    from orchestrator.embedded.services import specs
    from orchestrator.embedded.supervisor import run_supervisor
    from shared.settings import ServiceSettings

    settings = ServiceSettings.from_environment(os.environ)
    again = (script("quorate"), "supervise")
    return run_supervisor(settings.instance, specs(settings.instance, os.environ), again=again)
