"""Reports, lists and snapshots as text from one process of Quorate to another of the same version; nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from pydantic import Base64Bytes, TypeAdapter, ValidationError

from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.report import RunReport
from shared.errors import EnvironmentFault
from shared.models.batches import BatchStatus
from shared.store.views import RunHeartbeat

T = TypeVar("T")


@dataclass(frozen=True)
class Pulse:
    """A run as it was at one moment, for whoever follows it."""

    heartbeat: RunHeartbeat
    snapshot: RunSnapshot


@dataclass(frozen=True)
class Submitted:
    """What came of a submission: a run's id, or the result where nobody had to be asked."""

    run: str | None = None
    report: RunReport | None = None


@dataclass(frozen=True)
class AskedStep:
    """What a step was asked, with the documents that its prompt is made of, by address."""

    request: dict[str, Any]
    documents: dict[str, Base64Bytes]


@dataclass(frozen=True)
class Retried:
    """How a batch stands after some of its items were asked again."""

    status: BatchStatus
    items: int


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def rows_text(kind: Any, value: object) -> bytes:
    """The value as text."""
    written: bytes = _adapter(kind).dump_json(value, by_alias=True)
    return written


def read_rows(kind: Callable[..., T], text: bytes) -> T:
    """The value that was written. Raises EnvironmentFault for what another version wrote."""
    try:
        value: T = _adapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise EnvironmentFault(
            "the service is of another version of Quorate than this command ({where}: {why}): "
            "bring both to one version",
            where=where,
            why=first["msg"],
        ) from error
    return value
