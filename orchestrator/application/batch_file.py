"""A file of a batch: read twice, line by line, so that a million lines take little memory.

The first pass checks all of it and tells every line that is wrong; nothing is stored before it has passed. What came on
standard input is kept in a temporary file for the second pass.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from orchestrator.application.batch_input import BatchItem, read_line
from orchestrator.application.subject_input import STDIN
from shared.errors import EnvironmentFault, UserError

MOST_LINES = 1_000_000
MOST_LINE_BYTES = 32_000_000
MOST_KEPT = 1_000
_PIECE = 1 << 20
_LINES_NAMED = 10
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class LineFault:
    """What is wrong with a line."""

    line: int
    reason: str


def fault_rows(faults: Iterable[LineFault]) -> list[str]:
    """A row for each reason with the lines that it is about: a mistake made in every line is one mistake."""
    lines: dict[str, list[int]] = {}
    for fault in faults:
        lines.setdefault(fault.reason, []).append(fault.line)
    return [f"{_place(numbers)}: {reason}" for reason, numbers in lines.items()]


def _place(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}" if numbers[0] else "the file"
    more = len(numbers) - _LINES_NAMED
    named = ", ".join(map(str, numbers[:_LINES_NAMED]))
    return f"lines {named} and {more:,} more" if more > 0 else f"lines {named}"


@dataclass(frozen=True)
class BatchFile:
    """A file that can be read twice. `folder` is where paths in it begin, `stem` what the batch is called after."""

    path: Path
    name: str
    stem: str
    folder: Path


@dataclass(frozen=True)
class FileCheck:
    """What the first pass has seen. `faults` are the first ones, `wrong` is how many there are."""

    total: int
    sha256: str
    workflows: dict[str, int]
    faults: tuple[LineFault, ...]
    wrong: int


@contextmanager
def opened(source: str, directory: Path, stdin: BinaryIO) -> Iterator[BatchFile]:
    """The file of that name, or standard input (`-`). Raises UserError or EnvironmentFault where it cannot be read."""
    if source != STDIN:
        path = directory / source
        try:
            with path.open("rb"):
                pass
        except PermissionError as error:
            raise EnvironmentFault("no permission to read {source}", source=source) from error
        except OSError as error:
            raise UserError(
                "{source} cannot be read: {why}", source=source, why=error.strerror
            ) from error
        yield BatchFile(path, source, path.stem or "batch", path.parent)
        return
    with tempfile.NamedTemporaryFile(prefix="quorate-batch-") as spool:
        while piece := stdin.read(_PIECE):
            spool.write(piece)
        spool.flush()
        yield BatchFile(Path(spool.name), "standard input", "stdin", directory)


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Each line that is not blank with its number; None for one that is too long."""
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(MOST_LINE_BYTES + 1):
            number += 1
            is_cut = len(line) > MOST_LINE_BYTES
            while len(line) > MOST_LINE_BYTES and not line.endswith(b"\n"):
                line = stream.readline(MOST_LINE_BYTES + 1)
                if not line:
                    break
            if is_cut:
                yield number, None
            elif line.strip():
                yield number, line.removeprefix(_BOM) if number == 1 else line


@dataclass
class _Pass:
    """What one pass gathers."""

    total: int = 0
    wrong: int = 0
    workflows: Counter[str] = field(default_factory=Counter)
    faults: list[LineFault] = field(default_factory=list)
    ids: array[int] = field(default_factory=lambda: array("Q"))

    def refuse(self, line: int, *reasons: str) -> None:
        """A line is wrong; the first ones are kept."""
        self.wrong += len(reasons)
        kept = reasons[: max(0, MOST_KEPT - len(self.faults))]
        self.faults += (LineFault(line, reason) for reason in kept)


def check_file(file: BatchFile) -> FileCheck:
    """Read all of it. The result names what is wrong; nothing is raised for it."""
    seen, content = _Pass(), hashlib.sha256()
    for number, text in _lines(file.path):
        seen.total += 1
        if seen.total > MOST_LINES:
            seen.refuse(number, f"more than {MOST_LINES:,} items: split the file")
            break
        if text is None:
            seen.refuse(
                number, f"longer than {MOST_LINE_BYTES // 1_000_000} MB: name files instead"
            )
            continue
        content.update(text)
        item, reasons = read_line(number, text)
        seen.refuse(number, *reasons)
        if item is not None:
            seen.workflows[item.line.workflow] += 1
            seen.ids.append(_short(item.line.custom_id))
    if not seen.total:
        seen.refuse(0, "there is no item in it: write one JSON object a line")
    _refuse_doubles(file, seen)
    faults = tuple(sorted(seen.faults, key=lambda fault: fault.line))
    return FileCheck(seen.total, content.hexdigest(), dict(seen.workflows), faults, seen.wrong)


def _short(custom_id: str) -> int:
    """Eight bytes instead of the whole name: a million of them are looked at together."""
    return int.from_bytes(hashlib.blake2b(custom_id.encode(), digest_size=8).digest(), "big")


def _refuse_doubles(file: BatchFile, seen: _Pass) -> None:
    """Another pass, where two short names are the same, says which lines have the same name."""
    suspects = {first for first, second in pairwise(sorted(seen.ids)) if first == second}
    if not suspects:
        return
    lines: dict[str, int] = {}
    for item in read_items(file):
        name = item.line.custom_id
        if _short(name) not in suspects:
            continue
        if name in lines:
            seen.refuse(item.number, f"custom_id {name!r} is that of line {lines[name]}, too")
        else:
            lines[name] = item.number


def read_items(file: BatchFile) -> Iterator[BatchItem]:
    """The items of a file; what the first pass refused is left out."""
    for number, text in _lines(file.path):
        item, _ = read_line(number, text) if text is not None else (None, ())
        if item is not None:
            yield item
