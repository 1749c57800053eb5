"""Whether a command's runs are behind the service that `--server` names."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

SERVER = "QUORATE_SERVER"


def server_of(environ: Mapping[str, str]) -> str | None:
    """The service that commands speak to instead of servers of their own."""
    return environ.get(SERVER) or None


def refuse_elsewhere(command: str) -> None:
    """Raise click.UsageError where a service is named: the command needs servers of its own."""
    if (url := server_of(os.environ)) is not None:
        raise click.UsageError(
            f"`quorate {command}` works on this machine's own servers only, not through {url}: leave --server out and "
            f"unset {SERVER}"
        )
