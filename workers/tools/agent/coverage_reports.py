"""Line coverage from the reports that programs write: coverage.py, Cobertura, lcov, Go; and coverage.py's table."""

from __future__ import annotations

import xml.parsers.expat
from collections import defaultdict
from collections.abc import Iterable

from pydantic import BaseModel, JsonValue

from shared.errors import ToolError
from shared.models.agent import CoverageData, LineCoverage
from shared.patterns import regex
from shared.text.bounded_json import loads
from workers.tools.agent.repository_paths import RepositoryPaths

MOST_FILES = 2000
_GO = regex(r"^(?P<path>\S+):(?P<first>\d+)\.\d+,(?P<last>\d+)\.\d+ (?P<count>\d+) (?P<hits>\d+)$")
_ROW = regex(
    r"^(?P<path>\S+\.\w+)\s+(?P<lines>\d+)\s+(?P<missed>\d+)(?:\s+\d+\s+\d+)?\s+\d+(?:\.\d+)?%"
)


class _Summary(BaseModel):
    num_statements: int
    covered_lines: int


class _File(BaseModel):
    summary: _Summary


class _Report(BaseModel):
    """What is read of coverage.py's own report."""

    meta: dict[str, JsonValue]
    files: dict[str, _File]


Lines = dict[str, dict[int, bool]]
"""Whether a line of a file was run."""


def read_coverage(name: str, data: bytes, paths: RepositoryPaths) -> CoverageData | None:
    """What a report says about files of the repository; None for anything else."""
    text = data.decode("utf-8", "replace")
    try:
        if name.endswith(".json"):
            return _coverage_py(text, paths)
        if name.endswith(".xml"):
            return _counted(_cobertura(data), paths)
        if text.startswith("mode: "):
            return _counted(_go(text), paths)
        if text.startswith(("TN:", "SF:")):
            return _counted(_lcov(text), paths)
    except (ValueError, ToolError, xml.parsers.expat.ExpatError):
        return None
    return None


def read_coverage_table(text: str, paths: RepositoryPaths) -> CoverageData | None:
    """The table that coverage.py prints."""
    rows = filter(None, map(_ROW.match, text.splitlines()))
    counts = ((row["path"], int(row["lines"]), int(row["missed"])) for row in rows)
    return _summed(((path, lines, lines - missed) for path, lines, missed in counts), paths)


def _coverage_py(text: str, paths: RepositoryPaths) -> CoverageData | None:
    files = _Report.model_validate(loads(text)).files
    summaries = ((path, file.summary) for path, file in files.items())
    counts = ((path, known.num_statements, known.covered_lines) for path, known in summaries)
    return _summed(counts, paths)


def _cobertura(data: bytes) -> Lines:
    lines: Lines = defaultdict(dict)
    sources: list[str] = []
    file = ""

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal file
        sources.append(tag)
        if tag == "class":
            file = attributes.get("filename", "")
        elif tag == "line" and file and sources[0] == "coverage":
            number = int(attributes.get("number", "0"))
            hit = attributes.get("hits", "0") != "0"
            lines[file][number] = lines[file].get(number, False) or hit

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EntityDeclHandler = _refuse
    parser.Parse(data, True)
    return lines


def _lcov(text: str) -> Lines:
    lines: Lines = defaultdict(dict)
    file = ""
    for line in text.splitlines():
        word, _, value = line.partition(":")
        if word == "SF":
            file = value
        elif word == "DA" and file:
            number, hits = value.split(",")[:2]
            lines[file][int(number)] = lines[file].get(int(number), False) or int(hits) > 0
    return lines


def _go(text: str) -> Lines:
    lines: Lines = defaultdict(dict)
    for match in filter(None, map(_GO.match, text.splitlines())):
        first, last = int(match["first"]), int(match["last"])
        known = lines[match["path"]]
        for number in range(first, min(last, first + 10_000) + 1):
            known[number] = known.get(number, False) or match["hits"] != "0"
    return lines


def _counted(lines: Lines, paths: RepositoryPaths) -> CoverageData | None:
    return _summed(
        ((path, len(known), sum(known.values())) for path, known in lines.items()), paths
    )


def _summed(counts: Iterable[tuple[str, int, int]], paths: RepositoryPaths) -> CoverageData | None:
    files: dict[str, LineCoverage] = {}
    for path, lines, covered in counts:
        found = paths.find(path)
        if found is not None and 0 <= covered <= lines:
            files[found] = LineCoverage(path=found, lines=lines, covered=covered)
    if not files:
        return None
    kept = tuple(files[path] for path in sorted(files))
    return CoverageData(
        lines=sum(file.lines for file in kept),
        covered=sum(file.covered for file in kept),
        files=kept[:MOST_FILES],
    )


def _refuse(*_declared: object) -> None:
    raise ToolError("The report declares entities.")
