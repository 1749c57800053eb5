"""An analyser that is a program with JSON on its standard output, called for some hundred files at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from shared.errors import ToolError
from workers.tools.sandbox import Countdown, execute, find_program, output_of

FILES_PER_CALL = 400

_Report = TypeVar("_Report")
Command = Callable[[Path, list[str]], list[str]]
"""The command line for a program and the files of one call."""


@dataclass(frozen=True)
class Workplace:
    """Where a program works: the files below `root`, a home without configuration, and the time that is left."""

    root: Path
    home: Path
    countdown: Countdown
    environment: Mapping[str, str] | None = None


def reports(
    name: str, command: Command, paths: Sequence[str], place: Workplace, form: TypeAdapter[_Report]
) -> Iterator[_Report]:
    """What the program says about the files, a report a call. Raises ToolError when it fails or says anything else."""
    program = find_program(name)
    for start in range(0, len(paths), FILES_PER_CALL):
        finished = execute(
            command(program, list(paths[start : start + FILES_PER_CALL])),
            cwd=place.root,
            home=place.home,
            timeout_s=place.countdown.remaining_s(),
            environment=place.environment,
        )
        try:
            yield form.validate_python(json.loads(output_of(finished, name)))
        except (ValueError, ValidationError) as error:
            raise ToolError(f"{name} answered in a form that is not understood.") from error
