"""`quorate scheduler`: the service process that starts scheduled runs."""

from __future__ import annotations

import os
import signal

import click

from orchestrator.cli.options import example


@click.command(epilog=example("quorate scheduler        (a service: see deploy/systemd)"))
def scheduler() -> int:
    """Start the runs of schedules when they are due. Any number of these may run; SIGTERM ends one cleanly.

    It calls `quorate` as a person in its environment would: with its keys, its configuration and its folders.
    """
    from orchestrator.application.firing import Scheduler, program_of
    from shared.collector import spare_the_collector
    from shared.delivery.presence import BEAT_ANSWER_S, BEAT_PATIENCE_S, Presence
    from shared.logs import configure
    from shared.settings import ServiceSettings
    from shared.store.database import SERVICE_ANSWER_S, Database
    from shared.store.migrate import wait_for_schema

    settings = ServiceSettings.from_environment(os.environ)
    configure(settings.log_level, settings.log_format)
    url = settings.endpoints.database_url
    wait_for_schema(url, keys=settings.encryption_keys)
    database = Database(
        url, pool_size=6, patience_s=2.0, answer_s=SERVICE_ANSWER_S, keys=settings.encryption_keys
    )
    beating = Database(url, pool_size=1, patience_s=BEAT_PATIENCE_S, answer_s=BEAT_ANSWER_S)
    presence = Presence(beating, "scheduler")
    serving = Scheduler(database, program_of(os.environ))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: serving.stop())
    presence.start()
    spare_the_collector()
    serving.serve()
    presence.stop()
    return 0
