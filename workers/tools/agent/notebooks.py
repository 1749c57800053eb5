"""Jupyter notebooks: their code, and whether what is stored is what a run from top to bottom would give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, JsonValue, ValidationError

from shared.errors import ToolError
from shared.text.bounded_json import loads

_MAGIC = re.compile(r"^\s*(?:[%!?]|\w+\?\??$).*$", re.MULTILINE)


class _Cell(BaseModel):
    cell_type: str = ""
    source: str | list[str] = ""
    execution_count: int | None = None
    outputs: list[dict[str, JsonValue]] = []


class _Notebook(BaseModel):
    cells: list[_Cell]


@dataclass(frozen=True)
class NotebookState:
    """What a notebook holds. `counts` are those of the executed cells, in order; `errors` are names of stored ones."""

    code: str
    counts: tuple[int, ...]
    unexecuted: int
    errors: tuple[str, ...]

    @property
    def in_order(self) -> bool:
        """Executed once, from top to bottom."""
        return list(self.counts) == list(range(1, len(self.counts) + 1))


def read_notebook(text: str) -> NotebookState | None:
    """The notebook of a JSON text; None for anything else."""
    try:
        cells = _Notebook.model_validate(loads(text)).cells
    except (ValidationError, ToolError, ValueError):
        return None
    code = [cell for cell in cells if cell.cell_type == "code" and _source(cell).strip()]
    counts = tuple(cell.execution_count for cell in code if cell.execution_count is not None)
    return NotebookState(
        code="\n".join(_MAGIC.sub("pass", _source(cell)) for cell in code),
        counts=counts,
        unexecuted=len(code) - len(counts),
        errors=tuple(_errors(code)),
    )


def _source(cell: _Cell) -> str:
    return cell.source if isinstance(cell.source, str) else "".join(cell.source)


def _errors(cells: Sequence[_Cell]) -> list[str]:
    return [
        str(output.get("ename", "Error"))[:80]
        for cell in cells
        for output in cell.outputs
        if output.get("output_type") == "error"
    ]
