"""`quorate serve`: runs and decisions over HTTP."""

from __future__ import annotations

import json
import os
import secrets

import click

from orchestrator.application.backend import connected
from orchestrator.cli.error_handler import report_bug
from orchestrator.cli.options import example
from orchestrator.cli.watching import actor
from orchestrator.presentation.terminal import Terminal
from orchestrator.web.http_service import LOOPBACK, Server
from orchestrator.web.runs_api import Api
from shared.store.database import SERVICE_ANSWER_S


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

    Everything but the health checks needs the token printed at the start (or QUORATE_SERVE_TOKEN).
    """
    token = os.environ.get("QUORATE_SERVE_TOKEN", "").strip() or secrets.token_urlsafe(24)
    with connected(os.environ, answer_s=SERVICE_ANSWER_S) as backend:
        api = Api(backend, actor())
        server = Server(port, api, token, lambda bug: report_bug(bug, os.environ))
        address = {"url": f"http://{LOOPBACK}:{server.server_address[1]}", "token": token}
        Terminal.of(os.environ).result(json.dumps(address))
        try:
            server.serve_forever()
        finally:
            server.server_close()
    return 0
