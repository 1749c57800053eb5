"""Does Python still parse after fixes? Asked of ruff in the sandbox: its parser is not ours to crash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.subject import PYTHON_SUFFIXES
from shared.text.bounded_json import loads
from workers.tools.analysers.ruff import command
from workers.tools.analysers.ruffrules import UNPARSED
from workers.tools.sandbox.sandbox import Countdown, execute, find_program, output_of, scratch
from workers.tools.snapshot import materialised


class _Error(BaseModel):
    code: str | None
    filename: Path


_ERRORS = TypeAdapter(tuple[_Error, ...])


def unparsable(files: Mapping[str, bytes], countdown: Countdown) -> set[str]:
    """The Python files among `files` (path -> content) that have a syntax error; raises `ToolError`."""
    python = {path: data for path, data in files.items() if path.endswith(PYTHON_SUFFIXES)}
    if not python:
        return set()
    with materialised(python) as root, scratch() as home:
        finished = execute(
            command(find_program("ruff"), list(python), select=("E902",)),
            cwd=root,
            home=home,
            timeout_s=countdown.remaining_s(),
        )
        try:
            errors = _ERRORS.validate_python(loads(output_of(finished, "ruff")))
        except (ValueError, ValidationError) as error:
            raise ToolError("ruff answered in a form that is not understood.") from error
        return {
            error.filename.resolve().relative_to(root).as_posix()
            for error in errors
            if error.code in (None, UNPARSED)
        }
