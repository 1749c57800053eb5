"""Runs taken to another instance in a file: written whole from one snapshot, read back as history."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from orchestrator.application.backend import Backend
from orchestrator.application.redacting import redacted
from orchestrator.application.run_file import (
    LIMITS,
    CheckedRunFile,
    Content,
    FileLimits,
    content_of,
    reading,
    writing,
)
from shared.build import this_build
from shared.errors import EnvironmentFault, UserError
from shared.faults import failpoint
from shared.models.run_file import SUFFIX, TABLES, DocumentLine, RowLine, RunFileHeader
from shared.store.database import Connection
from shared.store.documents import address, put_documents
from shared.store.exporting import contents_of, count_rows, one_snapshot, rows_of, tree_of
from shared.store.importing import (
    columns_of,
    free_usage_ids,
    insert_row,
    known_runs,
    note_import,
    refusing,
)
from shared.store.migrate import HEAD
from shared.store.references import References
from shared.store.views import find_run

_RUN_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Exported:
    """What was written: which runs, and what the file holds."""

    header: RunFileHeader
    digest: str
    path: Path


def export_run(
    backend: Backend,
    name: str,
    target: Path | None = None,
    *,
    with_children: bool = False,
    without_texts: bool = False,
) -> Exported:
    """Write a run to a file (`<id>.qrun` here), with the runs that it started if that is wanted.

    The file is there whole or not at all. Raises UnknownRun, UserError, EnvironmentFault.
    """
    run = backend.read(partial(find_run, name=name)).id
    path = target or Path(f"{run}{SUFFIX}")
    with _replaced(path) as stream:

        def write(connection: Connection) -> tuple[RunFileHeader, str]:
            stream.seek(0)
            stream.truncate()
            one_snapshot(connection)
            runs = tree_of(connection, run) if with_children else [run]
            return _write(connection, runs, stream, without_texts=without_texts)

        header, digest = backend.write(write)
    return Exported(header, digest, path)


def _write(
    connection: Connection, runs: list[str], stream: IO[bytes], *, without_texts: bool
) -> tuple[RunFileHeader, str]:
    used = References().of_runs(connection, runs)
    names = sorted(set().union(*used.values()))
    rows: Iterable[tuple[str, dict[str, Any]]] = rows_of(connection, runs)
    documents: Iterable[tuple[str, bytes]] = contents_of(connection, names)
    replays = None
    if without_texts:
        redaction = redacted(rows, dict(documents))
        rows, documents, replays = redaction.rows, redaction.documents.items(), redaction.replays
    header = RunFileHeader(
        revision=HEAD,
        quorate=this_build().release,
        origin="" if without_texts else socket.gethostname(),
        exported_at=datetime.now(UTC),
        runs=tuple(runs),
        redacted=without_texts,
        replays=replays,
        contains={**count_rows(connection, runs), "documents": len(names)},
    )
    with writing(stream) as writer:
        writer.write(header)
        for table, row in rows:
            writer.write(RowLine(table=table, row=row))
        for name, content in documents:
            writer.document(name, content)
        return header, writer.end()


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """A file of the owner's alone that takes the place of `path` when it was written whole."""
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            try:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                failpoint("export-written")
                os.replace(stream.name, path)
            except BaseException:
                Path(stream.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise EnvironmentFault(
            "{path} cannot be written: {why}", path=path, why=error.strerror
        ) from None


@dataclass(frozen=True)
class ImportResult:
    """What came of an import. `known`: these runs were here already, and nothing was changed."""

    header: RunFileHeader
    known: bool


def import_file(
    backend: Backend, path: Path, actor: str, limits: FileLimits = LIMITS
) -> ImportResult:
    """Store the runs of a file as history, all or none; the same file again changes nothing.

    Raises UserError for what is no such file, is damaged or newer, or holds another state of a run that is here.
    """
    checked = _checked(path, limits)

    def store(connection: Connection) -> ImportResult:
        known = known_runs(connection, checked.header.runs)
        if known:
            return _known(checked, known)
        with reading(path, limits) as reader:
            header = reader.header()
            storing = _Storing(connection, header, columns_of(connection, TABLES))
            for content in reader.contents():
                storing.put(content)
            if reader.checksum != checked.digest:
                raise UserError(
                    "{path} was changed while it was read; nothing was imported", path=path
                )
            storing.end()
            note_import(connection, header, checked.digest, actor, storing.statuses)
            failpoint("import-stored")
        return ImportResult(header, known=False)

    with refusing(str(path)):
        return backend.write(store)


def _known(checked: CheckedRunFile, known: Mapping[str, str | None]) -> ImportResult:
    if all(digest == checked.digest for digest in known.values()):
        return ImportResult(checked.header, known=True)
    run, digest = sorted(known.items())[0]
    if digest is None:
        raise UserError(
            "run {run} is a run of this instance: {path} was exported from here, or from a copy of "
            "it. Nothing was imported",
            run=run,
            path=checked.path,
        )
    raise UserError(
        "run {run} was imported from another file, which holds another state of it. Nothing was "
        "imported",
        run=run,
    )


def _checked(path: Path, limits: FileLimits) -> CheckedRunFile:
    """Read the file once, storing nothing."""
    with reading(path, limits) as reader:
        header = reader.header()
        if header.revision > HEAD:
            raise UserError(
                "{path} was written with schema {revision}, and this version of Quorate knows {head}: "
                "import it with a version as new as that",
                path=path,
                revision=header.revision,
                head=HEAD,
            )
        if strange := [run for run in header.runs if _RUN_ID.fullmatch(run) is None]:
            raise UserError(
                "{path} names a run {name!r}, as none is called; nothing was imported",
                path=path,
                name=strange[0][:40],
            )
        for content in reader.contents():
            _check(path, header, content)
        return CheckedRunFile(path, header, reader.checksum)


def _check(path: Path, header: RunFileHeader, content: Content) -> None:
    match content:
        case RowLine(table=table, row=row):
            if table not in TABLES:
                raise UserError(
                    "{path} holds rows of {table!r}, which no run has; nothing was imported",
                    path=path,
                    table=table[:40],
                )
            if row.get("id" if table == "runs" else "run_id") not in header.runs:
                raise UserError(
                    "{path} holds rows of a run that it does not name; nothing was imported",
                    path=path,
                )
        case DocumentLine(document=name):
            try:
                right = address(content_of(content)) == name
            except ValueError:
                right = False
            if not right:
                raise UserError(
                    "{path}: document {name!r} is not what its name says; nothing was imported",
                    path=path,
                    name=name[:12],
                )


@dataclass
class _Storing:
    """An import under way, in one transaction."""

    connection: Connection
    header: RunFileHeader
    columns: Mapping[str, frozenset[str]]
    statuses: dict[str, str] = field(default_factory=dict)
    usage: list[dict[str, Any]] = field(default_factory=list)
    waiting: dict[str, bytes] = field(default_factory=dict)

    def put(self, content: Content) -> None:
        if isinstance(content, DocumentLine):
            self.waiting[content.document] = content_of(content)
            if sum(map(len, self.waiting.values())) > 8_000_000:
                self._flush()
        elif content.table == "usage":
            self.usage.append(content.row)
        else:
            if content.table == "runs":
                self.statuses[str(content.row["id"])] = str(content.row.get("status", ""))
            insert_row(self.connection, content.table, content.row, self.columns[content.table])

    def end(self) -> None:
        self._flush()
        first = free_usage_ids(self.connection, len(self.usage))
        for number, row in enumerate(self.usage):
            numbered = {**row, "id": first + number}
            insert_row(self.connection, "usage", numbered, self.columns["usage"])
        if missing := sorted(set(self.header.runs) - self.statuses.keys()):
            raise UserError(
                "the file names run {run} and does not hold it; nothing was imported",
                run=missing[0],
            )

    def _flush(self) -> None:
        put_documents(self.connection, self.waiting)
        self.waiting = {}
