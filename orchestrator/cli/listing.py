"""How a command lists something: as JSON, as a table, or in a sentence where there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal

T = TypeVar("T")


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A list: its name in JSON, the heads and cells of its table, and what is told where it is empty.

    `spare`: the columns that are left out first where there is no room, as `table` has it.
    """

    name: str
    heads: Sequence[str]
    cells: Callable[[T], Sequence[str]]
    nothing: str
    as_json: Callable[[Any], Mapping[str, object]] = asdict
    spare: Sequence[int] = ()


def show_list(
    listing: Listing[T], rows: Sequence[T], environ: Mapping[str, str], *, as_json: bool
) -> ExitCode:
    """Print the rows; the exit code."""
    terminal = Terminal.of(environ)
    if as_json:
        listed = [listing.as_json(row) for row in rows]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, listing.name: listed}))
    elif rows:
        cells = [listing.cells(row) for row in rows]
        terminal.result(table(listing.heads, cells, terminal.columns, spare=listing.spare))
    else:
        terminal.talk([line(listing.nothing)])
    return ExitCode.OK
