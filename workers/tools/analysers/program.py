"""An analyser that is a program with JSON on its standard output, called for some hundred files at a time.

A program is also asked about the files as they were before the change (comparison.py): what was there then is no
finding of the change, and a grave one on a line that it did not touch is its own when it was not there then: the change
takes the quotation marks around such lines away, or an import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.coverage import UnreadFile, UnreadReason
from shared.models.findings import Place, RaisedFinding
from shared.models.subject import FileChange
from shared.text.bounded_json import loads
from workers.tools.analysers.critique import Examination
from workers.tools.analysers.sources import Examined, SourceFile, Unreadable, read_change
from workers.tools.registry import Documents
from workers.tools.sandbox.sandbox import Countdown, execute, output_of, scratch
from workers.tools.snapshot import materialised

FILES_PER_CALL = 400

_Report = TypeVar("_Report")
_Issue = TypeVar("_Issue")


@dataclass(frozen=True)
class ProgramAnswer(Generic[_Report]):
    """What the program said about some files; without a `report` it crashed on this one file, for `problem`."""

    files: tuple[str, ...]
    report: _Report | None = None
    complaints: str = ""
    problem: Unreadable | None = None


@dataclass(frozen=True)
class Analysed(Generic[_Issue]):
    """What was found in some files, by path, and which of them the program did not get through."""

    issues: Mapping[str, tuple[_Issue, ...]]
    unread: Mapping[str, UnreadFile]


def crashed_files(answer: ProgramAnswer[_Report]) -> Iterator[tuple[str, Unreadable]]:
    """The file that the program died of, if it did."""
    if answer.problem is not None:
        yield answer.files[0], answer.problem


@dataclass(frozen=True)
class AnalyserProgram(Generic[_Report, _Issue]):
    """How a program is called and its answers are read.

    `command` is the command line for the files of one call; `file_name` the name under which it gets a file (its
    number and its path). `issues` are the findings of a report with the names of their files, and `troubles` the files
    that the program did not get through.
    """

    name: str
    form: TypeAdapter[_Report]
    command: Callable[[list[str]], list[str]]
    file_name: Callable[[int, str], str]
    issues: Callable[[_Report], Iterable[tuple[Path, _Issue]]]
    troubles: Callable[[ProgramAnswer[_Report]], Iterable[tuple[str, Unreadable]]] = crashed_files
    environment: Mapping[str, str] = field(default_factory=dict)

    def analyse(self, sources: Iterable[SourceFile], countdown: Countdown) -> Analysed[_Issue]:
        """Raises ToolError when the program fails, or says anything else than a report."""
        by_name = {self.file_name(n, source.path): source for n, source in enumerate(sources)}
        contents = {name: source.analysed.encode("utf-8") for name, source in by_name.items()}
        issues: dict[str, list[_Issue]] = {}
        unread: dict[str, UnreadFile] = {}
        with materialised(contents) as root, scratch() as home:
            for answer in self._answers(list(by_name), root, home, countdown):
                for file, why in self.troubles(answer):
                    unread[by_name[file].path] = why.of(by_name[file].path)
                for place, issue in self.issues(answer.report) if answer.report else ():
                    file = (root / place).resolve().relative_to(root).as_posix()
                    issues.setdefault(by_name[file].path, []).append(issue)
        return Analysed({path: tuple(some) for path, some in issues.items()}, unread)

    def analyse_before(self, examined: Examined, examination: Examination) -> Before[_Issue]:
        """The same of every file of its kind before the change, as far as there were any that can be read."""
        states = earlier_states(examined, examination.documents)
        analysed = (
            self.analyse(states, examination.countdown) if states else Analysed[_Issue]({}, {})
        )
        return Before({state.path: state for state in states}, analysed.issues)

    def _answers(
        self, files: Sequence[str], root: Path, home: Path, countdown: Countdown
    ) -> Iterator[ProgramAnswer[_Report]]:
        """An answer a call. When the program crashes, the files are halved until the one is left on which it does."""
        waiting = [
            list(files[start : start + FILES_PER_CALL])
            for start in range(0, len(files), FILES_PER_CALL)
        ]
        while waiting:
            some = waiting.pop(0)
            try:
                yield self._call(some, root, home, countdown)
            except _Crash as crash:
                if len(some) == 1:
                    why = f"{self.name} crashed on it ({crash})"
                    yield ProgramAnswer(tuple(some), problem=Unreadable(why, UnreadReason.CRASHED))
                    continue
                half = len(some) // 2
                waiting[:0] = [some[:half], some[half:]]

    def _call(
        self, files: list[str], root: Path, home: Path, countdown: Countdown
    ) -> ProgramAnswer[_Report]:
        finished = execute(
            self.command(files),
            cwd=root,
            home=home,
            timeout_s=countdown.remaining_s(),
            environment=self.environment,
            confinement=countdown.confinement(),
        )
        if not finished.timed_out and finished.code >= 128:
            raise _Crash(f"signal {finished.code - 128}")
        try:
            report = self.form.validate_python(loads(output_of(finished, self.name)))
        except (ValueError, ValidationError) as error:
            raise ToolError(
                "{name} answered in a form that is not understood.", name=self.name
            ) from error
        return ProgramAnswer(tuple(files), report, finished.stderr.decode("utf-8", "replace"))


class _Crash(Exception):
    """The program died of a signal, as parsers do of hostile files."""


# ---- before the change ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Before(Generic[_Issue]):
    """Files as they were before the change, by path, and what was found in them."""

    states: Mapping[str, SourceFile]
    issues: Mapping[str, tuple[_Issue, ...]]

    def every(self) -> Iterator[tuple[SourceFile, _Issue]]:
        """Every finding then, with its file."""
        for path, issues in self.issues.items():
            yield from ((self.states[path], issue) for issue in issues)

    def of(self, source: SourceFile) -> tuple[SourceFile, tuple[_Issue, ...]]:
        """The file as it was, itself where it was not, and its findings then."""
        return self.states.get(source.path, source), self.issues.get(source.path, ())


def earlier_states(examined: Examined, documents: Documents) -> tuple[SourceFile, ...]:
    """The files before the change, those among them that it deletes; none where there was none that can be read."""
    changes = (*(source.change for source in examined.files), *examined.gone)
    states = (earlier_state(change, documents) for change in changes)
    return tuple(state for state in states if state is not None)


def earlier_state(change: FileChange, documents: Documents) -> SourceFile | None:
    """The file before the change; None where there was none, or none that can be read.

    What became code or executable (`as_new`) was not used as what it is now: all of it is the change's.
    """
    if change.before is None or change.as_new:
        return None
    before = read_change(change.model_copy(update={"after": change.before}), documents)
    return before if isinstance(before, SourceFile) else None


def from_elsewhere(source: SourceFile, finding: RaisedFinding, line: int) -> RaisedFinding:
    """The finding at a program's unchanged `line`, placed so that it reaches the nearest changed one.

    Where lines were only taken away it has no place, and its title says where it is.
    """
    number, near = source.number(line), source.nearest_changed(line)
    why = f" Line {number} is as it was, and had no such finding before this change."
    fields: dict[str, object] = {
        "detail": finding.detail + why,
        "quote": source.quote(number),
        "patch": None,
        "place": None,
    }
    if near is None:
        fields["title"] = f"{source.path}:{number}: {finding.title}"[:400]
    else:
        fields["place"] = Place.over(source.path, min(number, near), max(number, near))
    return finding.model_copy(update=fields)
