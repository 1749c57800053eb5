"""A run in a file: what its first and its last line say, and what a reader refuses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from shared.models.wire import Wire

FORMAT: Literal["quorate.run"] = "quorate.run"
VERSION = 1
SUFFIX = ".qrun"
TABLES = (
    "runs",
    "specs",
    "steps",
    "requests",
    "usage",
    "decisions",
    "records",
    "findings",
    "stances",
    "events",
)
"""The tables whose rows a file holds, in its order; documents come after them."""


class RunFileHeader(Wire):
    """The first line. `runs` are the ids, the run itself first; `contains` counts the rows by table."""

    format: Literal["quorate.run"] = FORMAT
    version: int = Field(default=VERSION, ge=1)
    revision: str
    quorate: str
    origin: str
    exported_at: datetime
    runs: tuple[str, ...] = Field(min_length=1, max_length=100_000)
    redacted: bool = False
    replays: bool | None = None
    contains: dict[str, int] = Field(default_factory=dict)


class RowLine(Wire):
    """One row of a table."""

    table: str
    row: dict[str, Any]


class DocumentLine(Wire):
    """One document, in base64."""

    document: str
    content: str


class EndLine(Wire):
    """The last line: how many lines came before it, and the sha256 of all their bytes."""

    lines: int
    sha256: str


@dataclass(frozen=True)
class Imported:
    """Where an imported run comes from, and how it stood there when it was exported."""

    run_id: str
    digest: str
    origin: str
    actor: str
    status: str
    redacted: bool
    exported_at: datetime
    at: datetime
