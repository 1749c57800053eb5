"""Files that hold a run: what was written is read, and nothing else is."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.application.run_file import (
    Content,
    FileLimits,
    RunFileWriter,
    content_of,
    reading,
    writing,
)
from shared.errors import UserError
from shared.models.run_file import VERSION, DocumentLine, RowLine, RunFileHeader

HEADER = RunFileHeader(
    revision="0018",
    quorate="0.1.0",
    origin="here",
    exported_at=datetime(2026, 1, 1, tzinfo=UTC),
    runs=("r1",),
)
ROW = RowLine(table="runs", row={"id": "r1"})


def written(path: Path, *lines: Content) -> Path:
    with path.open("wb") as stream, writing(stream) as writer:
        writer.write(HEADER)
        for each in lines:
            writer.write(each)
        writer.document("name", b"text")
        writer.end()
    return path


def packed(path: Path, *lines: bytes) -> Path:
    path.write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
    return path


def read(path: Path, limits: FileLimits | None = None) -> list[Content]:
    with reading(path, limits or FileLimits()) as reader:
        reader.header()
        return list(reader.contents())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    row, document = read(written(tmp_path / "f", ROW))

    assert row == ROW
    assert isinstance(document, DocumentLine)
    assert content_of(document) == b"text"


def test_the_same_content_is_the_same_file(tmp_path: Path) -> None:
    assert written(tmp_path / "a", ROW).read_bytes() == written(tmp_path / "b", ROW).read_bytes()


def test_a_byte_that_changed_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path / "f", ROW)
    text = gzip.decompress(path.read_bytes())
    for at in range(0, len(text), 7):
        other = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]
        path.write_bytes(gzip.compress(other))
        with pytest.raises(UserError):
            read(path)


def test_a_file_that_was_cut_off_is_noticed_wherever_it_was(tmp_path: Path) -> None:
    path = written(tmp_path / "f", ROW)
    whole = path.read_bytes()
    for length in range(0, len(whole), 11):
        path.write_bytes(whole[:length])
        with pytest.raises(UserError):
            read(path)


def test_what_comes_after_the_end_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f", ROW)
    path.write_bytes(path.read_bytes() + gzip.compress(b'{"table": "runs", "row": {}}\n'))

    with pytest.raises(UserError, match="goes on after its end"):
        read(path)


def a_zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../../etc/cron.d/evil", "* * * * * root true")
    return made.getvalue()


# Compressed bytes hold the time at which they were made, and xdist compares names.
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"no gzip",
        gzip.compress(b""),
        gzip.compress(b"no JSON\n"),
        gzip.compress(b"[1]\n"),
        gzip.compress(b'{"format": "quorate.run"}\n'),
        gzip.compress(b'{"format": "other", "version": 1}\n'),
        gzip.compress(b"[" * 100_000 + b"\n"),
        b"\x1f\x8b" + b"\x00" * 100,
        a_zip(),
    ],
    ids=range(11),
)
def test_what_is_no_export_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)

    with pytest.raises(UserError, match="nothing was imported"):
        read(path)


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    path = packed(tmp_path / "f", b'{"format": "quorate.run", "version": %d}' % (VERSION + 1))

    with pytest.raises(UserError, match="a newer Quorate wrote"):
        read(path)


def test_a_folder_and_a_missing_file_are_said(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(UserError, match="cannot be read"):
            read(path)


def bomb(path: Path, megabytes: int) -> Path:
    """A file of a few kilobytes that unpacks to so much: rows full of zeros."""
    with path.open("wb") as stream, gzip.GzipFile(fileobj=stream, mode="wb") as zipped:
        writer = RunFileWriter(zipped)
        writer.write(HEADER)
        for _ in range(megabytes):
            writer.write(RowLine(table="runs", row={"id": "r1", "title": "0" * 1_000_000}))
        writer.end()
    return path


def test_a_bomb_is_refused_before_it_is_large(tmp_path: Path) -> None:
    path = bomb(tmp_path / "f", 40)
    assert path.stat().st_size < 100_000
    seen: list[Content] = []

    with reading(path) as reader:
        reader.header()
        with pytest.raises(UserError, match="unpacks to more than 200 times its size"):
            seen.extend(reader.contents())

    assert len(seen) <= 20


def test_a_line_and_a_whole_that_are_too_large_are_refused(tmp_path: Path) -> None:
    path = bomb(tmp_path / "f", 3)

    with pytest.raises(UserError, match="a line of more than"):
        read(path, FileLimits(line_bytes=1_000))
    with pytest.raises(UserError, match="unpacks to more than 2,000,000 bytes"):
        read(path, FileLimits(total_bytes=2_000_000))
