"""Facts of many files, read in programs of their own: hostile code can end those, not the worker.

They run beside each other, as many as there are processors. Where one ends early, the file that it was reading is
left out and another one goes on with the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from shared.errors import ToolError
from shared.models.code_graph import FileFacts, Symbol, SymbolKind
from workers.tools.code_graph.extraction_program import READY
from workers.tools.sandbox.deep import deep
from workers.tools.sandbox.sandbox import Countdown, execute, scratch

PORTION_BYTES = 1_500_000
OUTPUT_MB = 128
CRASHED = "graph_file_too_deep"


class CodeFile(NamedTuple):
    """A file to read."""

    path: str
    module: str
    language: str
    data: bytes


def extract_all(
    files: Iterable[CodeFile], countdown: Countdown, programs: int | None = None
) -> Iterator[FileFacts]:
    """The facts of all of them, in any order. Raises `ToolError` when the time is over."""
    with ThreadPoolExecutor(max_workers=programs or max(1, os.cpu_count() or 1)) as pool:
        for facts in pool.map(partial(_extract_portion, countdown=countdown), _portions(files)):
            yield from facts


def _portions(files: Iterable[CodeFile]) -> Iterator[list[CodeFile]]:
    portion: list[CodeFile] = []
    size = 0
    for file in files:
        if portion and size + len(file.data) > PORTION_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(file)
        size += len(file.data)
    if portion:
        yield portion


def _extract_portion(files: Sequence[CodeFile], countdown: Countdown) -> list[FileFacts]:
    facts: list[FileFacts] = []
    while len(facts) < len(files):
        left = files[len(facts) :]
        facts += _answered(left, countdown)
        if len(facts) < len(files):
            facts.append(_unreadable(files[len(facts)]))
    return facts


def _answered(files: Sequence[CodeFile], countdown: Countdown) -> list[FileFacts]:
    """The facts of the first of the files, up to the one that ended the program."""
    with scratch() as home:
        ended = execute(
            deep("workers.tools.code_graph.extraction_program"),
            cwd=home,
            home=home,
            timeout_s=countdown.remaining_s(),
            stdin=b"".join(_packed(file) for file in files),
            confinement=countdown.confinement(processors=1, output_mb=OUTPUT_MB),
        )
    if ended.timed_out:
        raise ToolError("Reading the code took longer than the time that this tool has.")
    first, *rows = ended.stdout.split(b"\n")
    if first != READY:
        raise ToolError(
            "The program that reads code did not start: {complaint}", complaint=ended.complaint
        )
    # What follows the last newline is half a line, or nothing.
    return [FileFacts.from_json(row) for row in rows[:-1]]


def _packed(file: CodeFile) -> bytes:
    head = json.dumps([file.path, file.module, file.language, len(file.data)])
    return head.encode() + b"\n" + file.data


def _unreadable(file: CodeFile) -> FileFacts:
    whole = (Symbol("", SymbolKind.MODULE, 1, 1),)
    return FileFacts(file.path, file.module, file.language, whole, problem=CRASHED)
