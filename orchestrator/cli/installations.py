"""Where a command's runs are: on the servers that this machine knows, or behind the service that `--server` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from orchestrator.application.backend import connected
from orchestrator.application.batch_desk import BatchDesk, StoredBatches
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
from orchestrator.cli.elsewhere import server_of


@contextmanager
def batch_desk(environ: Mapping[str, str], *, workers: bool = False) -> Iterator[BatchDesk]:
    """Where batches are; unless `workers` are wanted nothing is started for it but the servers."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_batches import RemoteBatches
        from orchestrator.client.remote_installation import client_of

        with client_of(environ) as client:
            yield RemoteBatches(client)
        return
    with connected(environ, workers=workers) as backend:
        yield StoredBatches(backend)


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
