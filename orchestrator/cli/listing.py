"""How a command lists something: as JSON, as a table, or in a sentence where there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from orchestrator.cli.reader import words_in
from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal

T = TypeVar("T")


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A list: its name in JSON, the columns and cells of its table, and what is told where it is empty.

    A column `x` has the head `list_x`.

    `spare`: the columns that are left out first where there is no room, as `table` has it.
    """

    name: str
    columns: Sequence[str]
    cells: Callable[[T, Translator], Sequence[str]]
    nothing: str
    as_json: Callable[[Any], Mapping[str, object]] = asdict
    spare: Sequence[int] = ()


def show_list(
    listing: Listing[T], rows: Sequence[T], environ: Mapping[str, str], *, as_json: bool
) -> ExitCode:
    """Print the rows; the exit code."""
    terminal, words = Terminal.of(environ), words_in(environ=environ)
    if as_json:
        listed = [listing.as_json(row) for row in rows]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, listing.name: listed}))
    elif rows:
        cells = [listing.cells(row, words) for row in rows]
        terminal.result(
            table(heads(listing.columns, words), cells, terminal.columns, spare=listing.spare)
        )
    else:
        terminal.talk([line(words.sentence(listing.nothing))])
    return ExitCode.OK
