"""`quorate metrics`: what Prometheus would read now."""

from __future__ import annotations

import os

import click

from orchestrator.application.metrics import MetricsCollector
from orchestrator.cli.options import example
from orchestrator.presentation.terminal import Terminal
from shared.settings import ServiceSettings
from shared.store.database import SERVICE_ANSWER_S, Database


@click.command(epilog=example("quorate metrics", "quorate metrics > /var/lib/node/quorate.prom"))
def metrics() -> int:
    """The metrics of this installation as Prometheus reads them from `quorate serve`. Starts nothing."""
    settings = ServiceSettings.from_environment(os.environ)
    database = Database(settings.endpoints.database_url, pool_size=1, answer_s=SERVICE_ANSWER_S)
    try:
        text = MetricsCollector(settings, database).exposition()
    finally:
        database.close()
    Terminal.of(os.environ).result(text.rstrip("\n"))
    return 0
