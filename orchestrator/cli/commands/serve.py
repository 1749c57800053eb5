"""`quorate serve`: runs and decisions over HTTP."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(
    epilog=example(
        "quorate serve --port 8765",
        'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8765/api/runs',
    )
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, help="Port (8765); 0 picks one."
)
def serve(port: int) -> int:
    """A small JSON service on this machine's loopback; there is no page yet.

    \b
    GET  /healthz, /readyz               no token
    GET  /api/runs, /api/runs/RUN        the same JSON as `quorate show --json`
    POST /api/runs/RUN/decisions/KEY     {"choice", "shown_sha256", "message", "only"}

    Everything but the health checks wants the token that is printed at the start (or QUORATE_SERVE_TOKEN).
    """
    from orchestrator.web.runs_api import run_server

    return run_server(os.environ, port)
