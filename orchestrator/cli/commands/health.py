"""`quorate health`: a probe for containers and load balancers."""

from __future__ import annotations

import os
import socket

import click

from orchestrator.application.health import HealthCheck, ServiceRole, check_health, check_liveness
from orchestrator.cli.options import example
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.terminal import Terminal
from shared.errors import UserError
from shared.settings import ServiceSettings
from shared.store.database import Database

UNHEALTHY = 1
ANSWER_S = 3.0


@click.command(epilog=example("quorate health", "quorate health --role turns --live"))
@click.option(
    "--role",
    type=click.Choice([role.value for role in ServiceRole]),
    help="Only this kind of process, and only on this host: for the probe of its container.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Only whether a restart would help: a server that is away is no reason. Needs --role.",
)
def health(role: str | None, live: bool) -> int:
    """Whether runs go on: servers, schema, and a sign of life of each kind of process. Starts nothing.

    Exit code 0 when they do, 1 when not, with what is missing.
    """
    if live and role is None:
        raise UserError("--live asks about one kind of process: add --role")
    settings = ServiceSettings.from_environment(os.environ)
    database = Database(settings.endpoints.database_url, pool_size=1, answer_s=ANSWER_S)
    asked = None if role is None else ServiceRole(role)
    try:
        if live and asked is not None:
            found = check_liveness(database, asked, socket.gethostname())
        else:
            found = check_health(settings, database, role=asked, host=socket.gethostname())
    finally:
        database.close()
    Terminal.of(os.environ).result([_check_line(check) for check in found.checks])
    return 0 if found.ok else UNHEALTHY


def _check_line(check: HealthCheck) -> Line:
    style = Style.PLAIN if check.ok else Style.BAD
    words = words_in()
    why = f": {words.sentence(check.why)}" if check.why else ""
    state = words.message("health_ok" if check.ok else "health_fails")
    return line(Span(f"{check.name} {state}{why}", style))
