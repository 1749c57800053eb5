"""`quorate serve`: the API and the pages."""

from __future__ import annotations

import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

import click

from orchestrator.application.backend import connected
from orchestrator.cli.error_handler import report_bug
from orchestrator.cli.options import example
from orchestrator.cli.watching import actor
from orchestrator.presentation.terminal import Terminal
from shared.store.database import SERVICE_ANSWER_S

CONNECTIONS = 16


@click.command(
    epilog=example(
        "quorate serve --port 8765",
        'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8765/api/v1/runs',
        "quorate serve --host 0.0.0.0 --allow-host quorate.example.com",
    )
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, help="Port (8765); 0 picks one."
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Listen on this address; one that others reach needs stored tokens.",
)
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="A name that browsers and a reverse proxy know it by; repeat for several.",
)
@click.option(
    "--allow-directory",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Submissions may name files and repositories below it; repeat for several (none).",
)
def serve(port: int, host: str, allowed: tuple[str, ...], roots: tuple[Path, ...]) -> int:
    """Serve the HTTP API and the pages of this installation, on this machine's loopback unless told otherwise.

    The first line on stdout is {"url", "token"}. That token is good until the service ends and may do everything; it is
    only made where no token is stored (`quorate tokens`), or is QUORATE_SERVE_TOKEN. The API is described at
    /api/v1/openapi.json and in `quorate docs api`; /healthz and /readyz need no token.
    """
    from orchestrator.application.api_tokens import PREFIX, tokens
    from orchestrator.application.remote_requests import RemoteReach
    from orchestrator.web.application import create_app
    from orchestrator.web.context import WebContext
    from orchestrator.web.listening import listen, make_server
    from orchestrator.web.sites import ServedSite

    own = os.environ.get("QUORATE_SERVE_TOKEN", "").strip()
    with connected(os.environ, answer_s=SERVICE_ANSWER_S, connections=CONNECTIONS) as backend:
        stored = tokens(backend)
        listening = listen(host, port, guarded=any(not token.expired for token in stored))
        bound: int = listening.getsockname()[1]
        token = own or ("" if stored else PREFIX + secrets.token_urlsafe(24))
        context = WebContext(
            backend=backend,
            environ=os.environ,
            directory=Path.cwd(),
            site=ServedSite.of(host, bound, allowed),
            actor=actor(),
            start_token=token,
            now=lambda: datetime.now(UTC),
            report_bug=lambda bug: report_bug(bug, os.environ),
            reach=RemoteReach(Path.cwd(), roots),
        )
        server = make_server(create_app(context))
        shown = f"[{host}]" if ":" in host else host
        Terminal.of(os.environ).result(
            json.dumps({"url": f"http://{shown}:{bound}", "token": token or None})
        )
        server.run(sockets=[listening])
    return 0
