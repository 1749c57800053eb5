"""`quorate serve`: the API and the pages."""

from __future__ import annotations

import json
import os
import secrets
import sys
import webbrowser
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import click

from orchestrator.application.backend import connected
from orchestrator.cli.error_handler import report_bug
from orchestrator.cli.options import example
from orchestrator.cli.reader import words_in
from orchestrator.cli.watching import actor
from orchestrator.core.lines import line
from orchestrator.presentation.terminal import Terminal
from shared.store.database import SERVICE_ANSWER_S

CONNECTIONS = 16
LOCAL = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - where a browser of this machine finds who listens there


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
@click.option(
    "--sign-out-all",
    is_flag=True,
    help="End the sessions of all browsers first; they outlive the service otherwise.",
)
@click.option("--no-open", is_flag=True, help="Open no browser; the link is printed in any case.")
def serve(
    port: int,
    host: str,
    allowed: tuple[str, ...],
    roots: tuple[Path, ...],
    sign_out_all: bool,
    no_open: bool,
) -> int:
    """Serve the HTTP API and the pages of this installation, on this machine's loopback unless told otherwise.

    The first line on stdout is {"url", "token", "link"}. The link signs a browser in, once and within ten minutes; on a
    desktop it is opened. The token is good until the service ends and may do everything; it is only made where no token
    is stored (`quorate tokens`), or is QUORATE_SERVE_TOKEN. The API is described at /api/v1/openapi.json and in
    `quorate docs api`, the pages in `quorate docs page`; /healthz and /readyz need no token.
    """
    from orchestrator.application.api_tokens import PREFIX, tokens
    from orchestrator.application.remote_requests import RemoteReach
    from orchestrator.cli.scheduled_commands import read_command
    from orchestrator.web.application import create_app
    from orchestrator.web.context import WebContext
    from orchestrator.web.listening import listen, make_server
    from orchestrator.web.pages.sign_in import link_path
    from orchestrator.web.sites import ServedSite
    from shared.collector import spare_the_collector
    from shared.models.roles import Role

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
            read_command=read_command,
        )
        if sign_out_all:
            context.sessions.close_all()
        server = make_server(create_app(context))
        shown = LOCAL.get(host) or (f"[{host}]" if ":" in host else host)
        url = f"http://{shown}:{bound}"
        link = url + link_path(context.sessions.make_link(context.actor, Role.OPERATOR))
        _announce(url, token, link, opens=not no_open)
        spare_the_collector()
        server.run(sockets=[listening])
    return 0


def _announce(url: str, token: str, link: str, *, opens: bool) -> None:
    """Print where it is served; a person at a desktop sees the page."""
    terminal = Terminal.of(os.environ)
    terminal.result(json.dumps({"url": url, "token": token or None, "link": link}))
    if terminal.can_ask:
        terminal.talk([line(words_in().message("serve_link", link=link))])
        if opens and has_desktop(os.environ, sys.platform):
            webbrowser.open(link)


def has_desktop(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser would open in front of whoever types: there is a display, and it is not far away."""
    if environ.get("SSH_CONNECTION"):
        return False
    return platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
