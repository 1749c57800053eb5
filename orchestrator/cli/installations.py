"""Where a command's runs are: on the servers that this machine knows, or behind the service that `--server` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from orchestrator.application.archive import KnownRuns
from orchestrator.application.backend import connected
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
from orchestrator.cli.elsewhere import server_of
from orchestrator.cli.notices import warning
from orchestrator.cli.reader import words_for
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from shared.models.rows import LAST_IN, is_last


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


def run_to_change(
    place: KnownRuns, name: str, terminal: Terminal, language: str | None = None
) -> RunReport:
    """The run that a name means. Where `last` is of another repository than the one here, stderr says so."""
    report = place.report(name)
    repository = report.run.repository
    here = name.removeprefix(LAST_IN) if name.startswith(LAST_IN) else ""
    if repository not in ("", here) and is_last(name):
        words = words_for(language, report.spec.language)
        text = words.message("run_elsewhere", run=report.run.id, repository=repository)
        terminal.warn([warning(text)])
    return report


def id_to_change(place: KnownRuns, name: str, terminal: Terminal) -> str:
    """As `run_to_change`, for what needs no report: one that cannot be read can still be ended."""
    return run_to_change(place, name, terminal).run.id if is_last(name) else name
