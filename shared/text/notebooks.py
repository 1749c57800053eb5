"""Jupyter notebooks as text: the source of every cell at the lines where the file has it, and nothing of the outputs.

The tools that write notebooks put each source line on a line of its own. So a view of the file has as many lines as the
file, each source line stands where it stands there, and a finding's line is the file's. The array's first line names
the cell; whatever else is in the file is an empty line. Code is Python that a parser takes: commands of IPython
(`%magic`, `!shell`) and prose are comments. A notebook that is written otherwise has no view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from shared.patterns import regex
from shared.text.bounded_json import loads

SUFFIX = ".ipynb"
FIRST_LINE = "# Jupyter notebook: its cells, at the lines of the file"
PYTHON = "python"
# Magic of a whole cell whose text is Python all the same.
_STILL_PYTHON = frozenset("%%time %%timeit %%capture %%prun %%python %%python3".split())
END = "# %%"
"""The line after a cell's last one, in the text of a view."""
_MARKER = regex(r"# %% cell (\d+) \[\w+\]")
_SOURCE = regex(r'\s*"source": (\[?)(.*)')
_ELEMENT = regex(r'\s*("(?:[^"\\]|\\.)*")(,?)\s*')
_COMMAND = regex(r"(\s*)([%!?].*|[\w.]+\?\??\s*)")
_ASSIGNED = regex(r"(\s*[\w, ]+=\s*)([%!].*)")
_STRANGE = ("\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")


@dataclass(frozen=True)
class NotebookView:
    """A line for each line of the file; None where the file has no source, `END` after each cell's.

    `language` is that of the code.
    """

    lines: tuple[str | None, ...]
    language: str = PYTHON

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(line or "" for line in self.lines) + "\n"


@dataclass(frozen=True)
class CellPlace:
    """A line of a cell, both counted from 1."""

    cell: int
    line: int


def view_of(text: str) -> NotebookView | None:
    """The view of a notebook; None for anything else, and for one whose source lines are not lines of the file."""
    if text.startswith(FIRST_LINE):
        return _view_again(text)
    try:
        content = loads(text)
    except ValueError:
        return None
    match content:
        case {"nbformat": 4, "cells": list(cells)}:
            return _view(text, cells, _language(content))
        case _:
            return None


def cell_at(view: str, line: int) -> CellPlace | None:
    """Where a line of a view stands; None outside of the cells."""
    lines = view.split("\n")
    for number in range(min(line, len(lines)), 0, -1):
        if lines[number - 1] == END:
            return None
        if marker := _MARKER.fullmatch(lines[number - 1]):
            return CellPlace(int(marker[1]), max(line - number, 1))
    return None


def _language(content: JsonValue) -> str:
    match content.get("metadata") if isinstance(content, dict) else None:
        case {"kernelspec": {"language": str(language)}} | {
            "language_info": {"name": str(language)}
        }:
            known = language.lower()
            return PYTHON if known in ("python", "python3", "ipython") else known
        case _:
            return PYTHON


def _view(text: str, cells: list[JsonValue], language: str) -> NotebookView | None:
    lines = text.split("\n")
    shown: list[str | None] = [None] * (len(lines) - (1 if lines[-1] == "" else 0))
    if len(shown) < 2:
        return None
    shown[0] = FIRST_LINE
    blocks = _blocks(lines)
    for number, cell in enumerate(cells, start=1):
        kind, source = _cell(cell)
        # What an output holds may look like a source, too: the cell's own is the next that reads like it.
        block = next((each for each in blocks if "".join(each.elements) == source), None)
        if block is None or not kind.isidentifier():
            return None
        shown[block.line] = f"# %% cell {number} [{kind}]"
        end = block.line + 1 + len(block.elements) if block.spread else block.line + 1
        shown[block.line + 1 : end] = map(_unlike_ours, _as_code(block.elements, kind, language))
        if end < len(shown):
            shown[end] = END
    return NotebookView(tuple(shown), language)


def _cell(cell: JsonValue) -> tuple[str, str | None]:
    """Its kind and its source; no kind where it is no cell."""
    match cell:
        case {"cell_type": str(kind), "source": list(lines)}:
            return kind, "".join(map(str, lines))
        case {"cell_type": str(kind), "source": str(source)}:
            return kind, source
        case _:
            return "", None


@dataclass(frozen=True)
class _Block:
    """An array of source lines: where it begins (from 0), and its lines, each with its end."""

    line: int
    elements: tuple[str, ...]
    spread: bool = True


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """Every `"source"` whose lines are lines of the file."""
    for at, line in enumerate(lines):
        match = _SOURCE.fullmatch(line)
        if match is None:
            continue
        if match[2].rstrip(", ") in ("]", '""'):
            yield _Block(at, (), spread=False)
        elif match[1] and not match[2]:
            elements = _elements(lines, at + 1)
            if elements is not None:
                yield _Block(at, elements)


def _elements(lines: list[str], first: int) -> tuple[str, ...] | None:
    """The strings of an array from a line on; None unless each is one line of source."""
    elements: list[str] = []
    for line in lines[first:]:
        match = _ELEMENT.fullmatch(line)
        if match is None:
            return None
        try:
            text = json.loads(match[1])
        except ValueError:
            return None
        last = not match[2]
        if "\n" in text.removesuffix("\n") or any(sign in text for sign in _STRANGE):
            return None
        elements.append(text)
        if last:
            return tuple(elements)
        if not text.endswith("\n"):
            return None
    return None


def _as_code(elements: tuple[str, ...], kind: str, language: str) -> list[str]:
    lines = [element.removesuffix("\n") for element in elements]
    if kind != "code":
        return [f"# {line}".rstrip() for line in lines]
    if language != PYTHON:
        return lines
    first = lines[0].split() if lines else []
    if first and first[0].startswith("%%"):
        if first[0] not in _STILL_PYTHON:
            return [f"# {line}".rstrip() for line in lines]
        return [f"# {lines[0]}", *map(_python, lines[1:])]
    return [*map(_python, lines)]


def _unlike_ours(line: str) -> str:
    """The line; as a comment once more where it looks like one of the lines that begin or end a cell here."""
    return f"# {line}" if line == END or _MARKER.fullmatch(line) else line


def _python(line: str) -> str:
    """The line as Python: what only IPython takes is a comment."""
    if match := _COMMAND.fullmatch(line):
        return f"{match[1]}pass  # {match[2]}" if match[1] else f"# {line}"
    if match := _ASSIGNED.fullmatch(line):
        return f"{match[1]}...  # {match[2]}"
    return line


def _view_again(text: str) -> NotebookView | None:
    """The view that this text is: a service is sent views, not notebooks."""
    lines: list[str | None] = []
    inside = False
    for line in text.removesuffix("\n").split("\n"):
        inside = (inside and line != END) or _MARKER.fullmatch(line) is not None
        lines.append(line if inside or line else None)
    return NotebookView((*lines,))
