"""Servers for a test session: one pair without fsync, and a database per test cloned from a template."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from orchestrator.embedded.servers import ensure, stop
from orchestrator.embedded.wire import PostgresWire
from shared.errors import UserError
from shared.instance import POSTGRES_SOCKET, Endpoints, Instance, socket_database_url

_COPY_S = 60.0


@contextmanager
def throwaway(root: Path) -> Iterator[Endpoints]:
    """A pair of servers below `root` that does not outlive the block, nor do its data and logs.

    Raises EnvironmentFault as `ensure` does.
    """
    instance = Instance.at(root, "throwaway")
    try:
        yield ensure(instance, durable=False)
    finally:
        stop(instance, immediate=True)
        for folder in (instance.data_dir, instance.state_dir):
            shutil.rmtree(folder, ignore_errors=True)
        if instance.run_dir.parent != instance.state_dir:
            shutil.rmtree(instance.run_dir.parent, ignore_errors=True)


def clone_database(endpoints: Endpoints, template: str, name: str) -> str:
    """Copy database `template`, which nobody may be connected to, as `name`; returns its URL.

    Raises PostgresRefusal if the copy is refused, UserError for servers that are not embedded.
    """
    folder, password = _server(endpoints)
    with PostgresWire(folder / POSTGRES_SOCKET, "postgres", password, _COPY_S) as postgres:
        postgres.query(
            f"CREATE DATABASE {_quoted(name)} TEMPLATE {_quoted(template)} STRATEGY FILE_COPY"
        )
    return socket_database_url(folder, name, password)


def drop_database(endpoints: Endpoints, name: str) -> None:
    """Drop database `name` if there is one, ending whoever is connected to it."""
    folder, password = _server(endpoints)
    with PostgresWire(folder / POSTGRES_SOCKET, "postgres", password, _COPY_S) as postgres:
        postgres.query(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")


def _server(endpoints: Endpoints) -> tuple[Path, str | None]:
    url = urlsplit(endpoints.database_url)
    hosts = parse_qs(url.query).get("host", [])
    if not hosts or not hosts[0].startswith("/"):
        raise UserError(
            "{hostname} is not an embedded server; only those can clone databases.",
            hostname=url.hostname,
        )
    return Path(hosts[0]), url.password


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
