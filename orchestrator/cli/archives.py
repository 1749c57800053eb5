"""Where a command reads what is kept of runs: on the servers that this machine knows, or behind the service.

Apart from `installations.py`, which loads what following a run takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from orchestrator.application.archive import KnownRuns, StoredArchive
from orchestrator.application.backend import connected
from orchestrator.cli.elsewhere import server_of


@contextmanager
def archive(environ: Mapping[str, str]) -> Iterator[KnownRuns]:
    """Where runs are kept; only the servers are started for it."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_installation import RemoteInstallation, client_of

        with client_of(environ) as client:
            yield RemoteInstallation(client)
        return
    with connected(environ, workers=False) as backend:
        yield StoredArchive(backend)
