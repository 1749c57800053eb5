"""`quorate orchestrator`: the service process that advances runs."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate orchestrator        (a service: see deploy/systemd)"))
def orchestrator() -> int:
    """Advance runs, sweep, listen for decisions. Any number of these may run; SIGTERM ends one cleanly."""
    from orchestrator.application.retention import configured_rules
    from orchestrator.engine.service import main
    from shared.settings import ServiceSettings
    from shared.store.migrate import wait_for_schema

    settings = ServiceSettings.from_environment(os.environ)
    wait_for_schema(settings.endpoints.database_url, keys=settings.encryption_keys)
    return main(settings, retention=partial(configured_rules, Path.cwd(), os.environ))
