"""The formats of a run's result, one row and one module each.

`-o FILE` picks by suffix; `-o FORMAT:FILE`, `--format` and HTTP by name.

A module has `render(report, words)`, which is loaded when it is used: the table is read for `--help`, and by the
configuration, which is below what it presents.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from shared.errors import UserError


@dataclass(frozen=True)
class OutputFormat:
    """A format: its name, the files that end with it, what HTTP calls it, and the module that writes it."""

    name: str
    suffixes: tuple[str, ...]
    media_type: str
    module: str

    def render(self, report: Any, words: Any) -> str:
        """A whole run (a `RunReport`) in this format."""
        text: str = import_module(self.module).render(report, words)
        return text


_FOLDER = "orchestrator.presentation.formats"
FORMATS = (
    OutputFormat("json", (".json",), "application/json", f"{_FOLDER}.json"),
    OutputFormat("markdown", (".md", ".markdown"), "text/markdown", f"{_FOLDER}.markdown"),
    OutputFormat("html", (".html", ".htm"), "text/html", f"{_FOLDER}.html"),
    OutputFormat("text", (".txt",), "text/plain", f"{_FOLDER}.text"),
    OutputFormat("sarif", (".sarif",), "application/sarif+json", f"{_FOLDER}.sarif"),
    OutputFormat("junit", (".xml",), "application/xml", f"{_FOLDER}.junit"),
    OutputFormat("rdjsonl", (".rdjsonl",), "application/x-ndjson", f"{_FOLDER}.rdjsonl"),
    OutputFormat("gitlab", (), "application/json", f"{_FOLDER}.gitlab"),
    OutputFormat("annotations", (), "text/plain", f"{_FOLDER}.annotations"),
    OutputFormat("azure", (), "text/plain", f"{_FOLDER}.azure"),
    OutputFormat("summary", (), "text/markdown", f"{_FOLDER}.summary"),
)
SUFFIXES = tuple(suffix for row in FORMATS for suffix in row.suffixes)
USUAL_SUFFIXES = ", ".join(row.suffixes[0] for row in FORMATS if row.suffixes)


def format_named(name: str) -> OutputFormat:
    """The format of that name. Raises UserError."""
    found = next((row for row in FORMATS if row.name == name.lower()), None)
    if found is None:
        known = ", ".join(row.name for row in FORMATS)
        raise UserError("there is no format {name!r}: {known} are known", name=name, known=known)
    return found


def output_of(path: Path) -> tuple[OutputFormat, Path]:
    """The format and the file of `-o FILE` or `-o FORMAT:FILE`. Raises UserError."""
    name, colon, rest = str(path).partition(":")
    named = next((row for row in FORMATS if colon and rest and row.name == name), None)
    return (format_of(path), path) if named is None else (named, Path(rest))


def format_of(path: PurePath) -> OutputFormat:
    """The format that a file's suffix names. Raises UserError."""
    suffix = path.suffix.lower()
    found = next((row for row in FORMATS if suffix in row.suffixes), None)
    if found is None:
        others = ", ".join(f"{row.name}:FILE" for row in FORMATS if not row.suffixes)
        raise UserError(
            "-o {path}: the name must end with one of {suffixes}, or be one of {others}",
            path=path,
            suffixes=", ".join(SUFFIXES),
            others=others,
        )
    return found
