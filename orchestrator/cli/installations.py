"""Where a command's runs are: on the servers that this machine knows, or behind the service that `--server` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from orchestrator.application.backend import connected
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
from orchestrator.cli.elsewhere import server_of


@contextmanager
def installation(
    environ: Mapping[str, str], *, workers: bool = True
) -> Iterator[QuorateInstallation]:
    """Where the runs are; `workers` False starts no processes here, only the servers."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_installation import RemoteInstallation, client_of

        with client_of(environ) as client:
            yield RemoteInstallation(client)
        return
    with connected(environ, workers=workers) as backend:
        yield StoredInstallation(backend)
