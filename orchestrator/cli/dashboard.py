"""Flower in this process, on our own Celery application: nothing is imported by name from where it is started."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from orchestrator.cli.backend import connected
from shared.errors import UserError

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
CONFIGURATION = Path(__file__).with_name("flower.conf")
AUTHENTICATION = ("FLOWER_BASIC_AUTH", "FLOWER_AUTH")


def run_flower(
    environ: Mapping[str, str], *, address: str, port: int, conf: str | None, more: Sequence[str]
) -> int:
    """Serve the dashboard until interrupted; the exit code."""
    authenticated = any(environ.get(name) for name in AUTHENTICATION) or any(
        option.startswith(("--basic-auth", "--basic_auth", "--auth")) for option in more
    )
    if address not in LOOPBACK and not authenticated:
        raise UserError(
            f"Flower on {address} would be open to everybody who reaches it: give --basic-auth=USER:PASSWORD (or "
            "FLOWER_BASIC_AUTH), or leave it on 127.0.0.1."
        )
    with connected(environ) as backend:
        settings = backend.settings
    from celery.bin.base import CLIContext
    from flower.command import flower as command

    from shared.broker import make_app

    configuration = Path(conf or environ.get("FLOWER_CONF") or CONFIGURATION).resolve()
    arguments = [
        f"--address={address}",
        f"--port={port}",
        f"--conf={configuration}",
        "--inspect_timeout=2000",
        *more,
    ]
    app = make_app(settings.endpoints.broker_url)
    # Flower asks Redis for the queues' lengths by itself, and takes the password from the URL alone.
    app.conf.update(broker_url=settings.endpoints.broker_url, broker_password=None)
    sys.stderr.write(f"Flower: http://{address}:{port}\n")
    parent = click.Context(click.Group("celery"), info_name="quorate")
    parent.obj = CLIContext(app=app, no_color=True, workdir=None, quiet=True)
    with parent:
        context = command.make_context("flower", arguments, parent=parent)
        with context:
            command.invoke(context)
    return 0
