"""An analyser that is a program with JSON on its standard output, called for some hundred files at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.coverage import UnreadReason
from shared.text.bounded_json import loads
from workers.tools.analysers.sources import Unreadable
from workers.tools.sandbox.sandbox import Countdown, execute, output_of

FILES_PER_CALL = 400

_Report = TypeVar("_Report")
Command = Callable[[list[str]], list[str]]
"""The command line for the files of one call."""


@dataclass(frozen=True)
class Workplace:
    """Where a program works: the files below `root`, a home without configuration, and the time that is left."""

    root: Path
    home: Path
    countdown: Countdown
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Told(Generic[_Report]):
    """What the program said about some files; without a `report` it crashed on this one file, for `problem`."""

    paths: tuple[str, ...]
    report: _Report | None = None
    complaints: str = ""
    problem: Unreadable | None = None


class _Crash(Exception):
    """The program died of a signal, as parsers do of hostile files."""


def reports(
    name: str, command: Command, paths: Sequence[str], place: Workplace, form: TypeAdapter[_Report]
) -> Iterator[Told[_Report]]:
    """What the program says about the files, a report a call. Raises ToolError when it fails or says anything else.

    When it crashes, the files are halved until the one is found on which it does: the others are still analysed.
    """
    waiting = [
        list(paths[start : start + FILES_PER_CALL])
        for start in range(0, len(paths), FILES_PER_CALL)
    ]
    while waiting:
        some = waiting.pop(0)
        try:
            yield _call(name, command, some, place, form)
        except _Crash as crash:
            if len(some) == 1:
                why = f"{name} crashed on it ({crash})"
                yield Told(tuple(some), problem=Unreadable(why, UnreadReason.CRASHED))
                continue
            half = len(some) // 2
            waiting[:0] = [some[:half], some[half:]]


def _call(
    name: str, command: Command, paths: list[str], place: Workplace, form: TypeAdapter[_Report]
) -> Told[_Report]:
    finished = execute(
        command(paths),
        cwd=place.root,
        home=place.home,
        timeout_s=place.countdown.remaining_s(),
        environment=place.environment,
    )
    if not finished.timed_out and finished.code >= 128:
        raise _Crash(f"signal {finished.code - 128}")
    try:
        report = form.validate_python(loads(output_of(finished, name)))
    except (ValueError, ValidationError) as error:
        raise ToolError(f"{name} answered in a form that is not understood.") from error
    return Told(tuple(paths), report, finished.stderr.decode("utf-8", "replace"))
