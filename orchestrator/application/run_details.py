"""Read details of one run from the store: its events, what a step was asked, where it was imported from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.application.backend import Backend
from shared.models.run_file import Imported
from shared.store.documents import get_documents
from shared.store.events import list_events
from shared.store.importing import find_import
from shared.store.requests import step_request


def events_of(backend: Backend, run: str) -> list[tuple[int, str, Mapping[str, Any]]]:
    """A run's event log: number, type and body."""
    return backend.read(lambda connection: list_events(connection, run))


def imported_from(backend: Backend, run: str) -> Imported | None:
    """Where a run comes from that was read from a file."""
    return backend.read(lambda connection: find_import(connection, run))


@dataclass(frozen=True)
class StepRequest:
    """What a step was asked, and the documents that it refers to, by address."""

    request: Mapping[str, Any]
    document: Callable[[str], bytes]

    @property
    def kind(self) -> str:
        """What was asked: a participant (`turn`) or a tool."""
        return "tool" if "tool" in self.request else "turn"


def request_of(backend: Backend, run: str, step: str) -> StepRequest:
    """What a step was asked. Raises UserError for a step that is not there."""

    def document(name: str) -> bytes:
        return backend.read(lambda connection: get_documents(connection, [name]))[name]

    request = backend.read(lambda connection: step_request(connection, run, step))
    return StepRequest(request, document)
