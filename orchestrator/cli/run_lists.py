"""Where a command lists runs: on the servers that this machine knows, or behind the service that is named.

Apart from `installations.py`, which loads what following a run takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from orchestrator.application.backend import connected
from orchestrator.application.listings import RunLists, StoredLists
from orchestrator.cli.elsewhere import server_of


@contextmanager
def run_lists(environ: Mapping[str, str], *, workers: bool = True) -> Iterator[RunLists]:
    """Where runs are listed; `workers` False starts no processes here, only the servers."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_installation import RemoteInstallation, client_of

        with client_of(environ) as client:
            yield RemoteInstallation(client)
        return
    with connected(environ, workers=workers) as backend:
        yield StoredLists(backend)
