"""`quorate flower`: the real Flower."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from orchestrator.application.backend import connected
from orchestrator.cli.options import example
from orchestrator.cli.waiting_rows import ANSWER_S, WaitingRows
from shared.collector import spare_the_collector
from shared.errors import EnvironmentFault, UserError
from shared.settings import ServiceSettings
from shared.store.database import Database

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
CONFIGURATION = Path(__file__).parents[1] / "flower.conf"
OURS = ("address", "port", "conf")
FOREIGN_HOST = r"(?!(?:127\.0\.0\.1|localhost|\[?::1\]?)$).*"
"""A page whose name was pointed at this machine (DNS rebinding) asks under its own name."""


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog=example("quorate flower --port 5556", "quorate flower --basic-auth=me:secret"),
)
@click.option("--port", type=click.IntRange(0, 65535), default=5555, help="Port (5555).")
@click.option("--address", default="127.0.0.1", help="Address (127.0.0.1).")
@click.option("--conf", type=click.Path(exists=True), help="Another flowerconfig.py.")
@click.pass_context
def flower(ctx: click.Context, port: int, address: str, conf: str | None) -> int:
    """Start Flower on this machine's loopback. Other options are passed on to it (`--persistent=True`, ...).

    What waits for a decision, a person or a child run has a row, too: quorate.waits.decision, .person, .child.

    Runs, participants, roles and rounds are in the tasks' arguments; prompts, texts and keys never are.
    """
    return run_flower(os.environ, address=address, port=port, conf=conf, more=ctx.args)


def run_flower(
    environ: Mapping[str, str], *, address: str, port: int, conf: str | None, more: Sequence[str]
) -> int:
    """Serve the dashboard until interrupted; the exit code."""
    authenticated = _is_authenticated(environ, _passed_on(more))
    if address not in LOOPBACK and not authenticated:
        raise UserError(
            "Flower on {where} would be open to everybody who reaches it: give "
            "--basic-auth=USER:PASSWORD (or FLOWER_BASIC_AUTH), or leave it on 127.0.0.1.",
            where=address or "all addresses",
        )
    with connected(environ) as backend:
        settings = backend.settings
    configuration = Path(conf or environ.get("FLOWER_CONF") or CONFIGURATION).resolve()
    arguments = [
        f"--address={address}",
        f"--port={port}",
        f"--conf={configuration}",
        "--inspect_timeout=2000",
        *more,
    ]
    service = _make_service(settings.endpoints.broker_url, arguments)
    _check_login(service, needed=authenticated or address not in LOOPBACK)
    atexit.register(service.stop)
    listening = _listen(service, address, port)
    _waiting_rows(service, settings).start()
    signal.signal(signal.SIGTERM, _leave)
    spare_the_collector()
    sys.stderr.write(f"Flower: http://{address}:{listening}\n")
    with suppress(KeyboardInterrupt, SystemExit):
        service.start()
    return 0


def _waiting_rows(service: Any, settings: ServiceSettings) -> WaitingRows:
    url, keys = settings.endpoints.database_url, settings.encryption_keys
    return WaitingRows(service, Database(url, pool_size=1, answer_s=ANSWER_S, keys=keys))


def _check_login(service: Any, *, needed: bool) -> None:
    """Without a log-in only this machine's own names are let in. Raises UserError where one is needed."""
    if service.options.basic_auth or service.options.auth:
        return
    if needed:
        raise UserError(
            "Flower accepted no log-in from these options: give --basic-auth=USER:PASSWORD"
        )
    _refuse_foreign_hosts(service)


def _passed_on(more: Sequence[str]) -> list[tuple[str, str]]:
    options = [_option(argument) for argument in more]
    for name, _value in options:
        if name in OURS:
            raise UserError("give --{name} once, before what is passed on to Flower", name=name)
    return options


def _option(argument: str) -> tuple[str, str]:
    """An option as Tornado reads it: any number of dashes, and underscores count as dashes.

    Raises UserError for anything else: Tornado reads no further, so that a log-in after it would not count.
    """
    name, _, value = argument.lstrip("-").partition("=")
    if not argument.startswith("-") or not name:
        raise UserError(
            "{argument!r} is not an option: what is passed on to Flower is --NAME=VALUE",
            argument=argument,
        )
    return name.replace("-", "_").lower(), value


def _is_authenticated(environ: Mapping[str, str], options: Sequence[tuple[str, str]]) -> bool:
    """True when somebody has to log in. Raises UserError for an account without a name or a password."""
    values = {
        "basic_auth": environ.get("FLOWER_BASIC_AUTH", ""),
        "auth": environ.get("FLOWER_AUTH", ""),
    }
    values.update((name, value) for name, value in options if name in values)
    given = {name for name, _ in options} | {name for name, value in values.items() if value}
    if "basic_auth" not in given:
        return bool(values["auth"].strip())
    accounts = values["basic_auth"].split(",")
    accounts += [value for name, value in options if name == "basic_auth"]
    if not all(map(_is_account, accounts)):
        raise UserError("--basic-auth (FLOWER_BASIC_AUTH) takes USER:PASSWORD")
    return True


def _is_account(text: str) -> bool:
    user, _, password = text.strip().partition(":")
    return bool(user and password)


def _make_service(broker_url: str, arguments: Sequence[str]) -> Any:
    """Flower's application with these options, as its own command makes it. Raises UserError."""
    from flower import command
    from flower.app import Flower
    from tornado.options import Error, options

    from shared.delivery.broker import make_app

    try:
        command.apply_env_options()
        command.apply_options("quorate flower", arguments)
        command.extract_settings()
    except (Error, KeyError, ValueError, OSError) as error:
        raise UserError("Flower does not take these options: {error}", error=error) from error
    except SystemExit as error:
        raise UserError("Flower does not take these options, see above") from error
    command.setup_logging()
    app = make_app(broker_url)
    # Flower asks Redis for the queues' lengths by itself, and takes the password from the URL alone.
    app.conf.update(broker_url=broker_url, broker_password=None)
    return Flower(capp=app, options=options, **command.settings)


def _refuse_foreign_hosts(service: Any) -> None:
    from tornado.web import HTTPError, RequestHandler

    class ForeignHost(RequestHandler):
        """Refuses everything."""

        def prepare(self) -> None:
            raise HTTPError(421)

    service.add_handlers(FOREIGN_HOST, [(r".*", ForeignHost)])


def _listen(service: Any, address: str, port: int) -> int:
    """The port that Flower answers on. Raises EnvironmentFault or UserError."""
    try:
        return int(service.start_http_server() or port)
    except socket.gaierror as error:
        raise UserError(
            "--address {address} is not an address of this machine", address=address
        ) from error
    except OSError as error:
        raise EnvironmentFault(
            "port {port} cannot be used ({why}): give another one with --port",
            port=port,
            why=error.strerror,
        ) from error


def _leave(number: int, _frame: object) -> None:
    """End in order; a second signal ends at once what that waits for."""
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit
