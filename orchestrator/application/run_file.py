"""Files that hold a run: JSON Lines in one gzip stream, with a header, and a checksum as the last line.

There is no name of a file in it, so nothing is ever unpacked to a path. It is read as a stream with limits on all that
a hostile file could make large, once to check it and once more to store it.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from shared.errors import UserError
from shared.models.run_file import (
    FORMAT,
    VERSION,
    DocumentLine,
    EndLine,
    RowLine,
    RunFileHeader,
)
from shared.models.wire import Wire

M = TypeVar("M", bound=Wire)
MAGIC = b"\x1f\x8b"
Content = RowLine | DocumentLine


@dataclass(frozen=True)
class FileLimits:
    """What a file may come to: bytes of one line and of all, unpacked, and how many a packed byte may stand for."""

    line_bytes: int = 128_000_000
    total_bytes: int = 4_000_000_000
    ratio: int = 200
    ratio_from: int = 16_000_000


LIMITS = FileLimits()


class RunFileWriter:
    """Writes one file, line by line."""

    def __init__(self, packed: gzip.GzipFile) -> None:
        """Nothing is written yet."""
        self._packed = packed
        self._digest = hashlib.sha256()
        self._lines = 0

    def write(self, line: RunFileHeader | Content) -> None:
        """The next line."""
        self._put(to_json(line.model_dump(mode="json", exclude_none=False)) + b"\n")

    def document(self, name: str, content: bytes) -> None:
        """A document."""
        self.write(DocumentLine(document=name, content=b64encode(content).decode()))

    def end(self) -> str:
        """The last line; the checksum that it states."""
        digest = self._digest.hexdigest()
        self._put(to_json(EndLine(lines=self._lines, sha256=digest).model_dump()) + b"\n")
        return digest

    def _put(self, line: bytes) -> None:
        self._digest.update(line)
        self._lines += 1
        self._packed.write(line)


@contextmanager
def writing(target: IO[bytes]) -> Iterator[RunFileWriter]:
    """A writer to a file that is open; the same content gives the same bytes."""
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as packed:
        yield RunFileWriter(packed)


@dataclass(frozen=True)
class CheckedRunFile:
    """A file whose checksum is right: what it says of itself, and the checksum."""

    path: Path
    header: RunFileHeader
    digest: str


class RunFileReader:
    """Reads one file from its beginning; what is wrong with it is a UserError that names the file."""

    def __init__(self, path: Path, stream: IO[bytes], limits: FileLimits = LIMITS) -> None:
        """`stream` is the packed file."""
        self._path = path
        self._stream = stream
        self._packed = gzip.GzipFile(fileobj=stream, mode="rb")
        self._limits = limits
        self._digest = hashlib.sha256()
        self._lines = 0
        self._read = 0
        self.checksum = ""

    def header(self) -> RunFileHeader:
        """The first line. Raises UserError for other files, and for those of a newer version."""
        value = self._value(self._line())
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise self._refused("is no exported run")
        version = value.get("version")
        if isinstance(version, int) and version > VERSION:
            raise self._refused(
                f"has version {version} of the format, which a newer Quorate wrote; this one knows {VERSION}"
            )
        return self._as(RunFileHeader, value)

    def contents(self) -> Iterator[Content]:
        """The lines up to the last one, whose checksum is compared then. Raises UserError."""
        while True:
            digest, lines = self._digest.hexdigest(), self._lines
            value = self._value(self._line())
            if not isinstance(value, dict):
                raise self._refused(f"line {self._lines} is no object")
            if "table" in value:
                yield self._as(RowLine, value)
            elif "document" in value:
                yield self._as(DocumentLine, value)
            else:
                end = self._as(EndLine, value)
                if (end.lines, end.sha256) != (lines, digest):
                    raise self._refused("is damaged or was changed: its checksum is wrong")
                if self._next():
                    raise self._refused("goes on after its end")
                self.checksum = digest
                return

    def _line(self) -> bytes:
        line = self._next()
        if not line:
            raise self._refused("ends too early: it was cut off")
        self._digest.update(line)
        self._lines += 1
        return line

    def _next(self) -> bytes:
        limits = self._limits
        try:
            line = self._packed.readline(limits.line_bytes + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise self._refused(f"cannot be unpacked: {error}") from None
        self._read += len(line)
        if len(line) > limits.line_bytes:
            raise self._refused(f"has a line of more than {limits.line_bytes:,} bytes")
        if self._read > limits.total_bytes:
            raise self._refused(f"unpacks to more than {limits.total_bytes:,} bytes")
        if self._read > limits.ratio_from and self._read > limits.ratio * self._stream.tell():
            raise self._refused(
                f"unpacks to more than {limits.ratio} times its size, as no exported run does"
            )
        return line

    def _value(self, line: bytes) -> Any:
        try:
            return from_json(line)
        except ValueError:
            raise self._refused(f"line {self._lines} is no JSON") from None

    def _as(self, model: type[M], value: Any) -> M:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, problem["loc"]))
            raise self._refused(f"line {self._lines}, {where}: {problem['msg']}") from None

    def _refused(self, why: str) -> UserError:
        return UserError("{path} {why}; nothing was imported", path=self._path, why=why)


@contextmanager
def reading(path: Path, limits: FileLimits = LIMITS) -> Iterator[RunFileReader]:
    """A reader of a file. Raises UserError for what cannot be read."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise UserError("{path} is no exported run; nothing was imported", path=path)
            stream.seek(0)
            yield RunFileReader(path, stream, limits)
    except OSError as error:
        raise UserError("{path} cannot be read: {why}", path=path, why=error.strerror) from None


def content_of(line: DocumentLine) -> bytes:
    """The bytes of a document. Raises ValueError."""
    return b64decode(line.content, validate=True)
