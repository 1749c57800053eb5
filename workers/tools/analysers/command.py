"""The tool `command`: any linter as an analyser. It is run on copies of the changed files, and its report is read.

Nothing of a report is believed beyond its words: places outside of the files that were given are dropped, texts are
clipped and cleaned, and the parser runs in the sandbox as the linter does. Findings that were there before the change
are left out, as of every analyser, and so are those on lines that it did not touch, if they are not grave. A file that
the linter cannot parse counts as unread, wherever the linter noticed it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from urllib.parse import unquote, urlsplit

from shared.errors import ToolError
from shared.models.findings import Place, RaisedFinding
from shared.models.review_replies import Critique
from shared.patterns import regex
from shared.tools.commands import AnalyserCommand, is_known
from shared.tools.inputs import CommandInput
from workers.tools.analysers.comparison import as_moved, compared
from workers.tools.analysers.critique import Examination, write_critique
from workers.tools.analysers.installation import Installation
from workers.tools.analysers.program import earlier_states, from_elsewhere
from workers.tools.analysers.report_parsers import MOST_ROWS, TOO_MANY, UNFINISHED
from workers.tools.analysers.reported import (
    OUTPUT_MB,
    PARSE_S,
    Reported,
    ReportRow,
    clean,
    parse_report,
    rows_of,
)
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, sources
from workers.tools.analysers.suppressions import HIDDEN
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import Countdown, ProgramResult, execute, find_program, scratch
from workers.tools.snapshot import load_subject, materialised

MOST_FILES = 400
SIGNALLED = 128
"""Exit codes above it are this much more than a signal's number."""
_SUFFIXES = regex(r"(?:\.[A-Za-z0-9]{1,10}){0,3}\Z")
# Programs that report nothing else.
_ONLY_PARSERS = ("gofmt",)


def run(inputs: CommandInput, context: ToolContext) -> Critique:
    """A critique of the files that the command reads; raises `ToolError` when there are none, or when it fails."""
    subject = load_subject(inputs.subject, context.documents)
    program = inputs.program
    examined = sources(subject, context.documents, lambda file: program.reads_file(file.as_named))
    if not examined.files:
        raise ToolError("Nothing analysed: no file of this change is for {name}.", name=inputs.name)
    examination = Examination(context.documents, context.countdown(), inputs.rules)
    linter = _Linter(inputs.name, program, examination.countdown)
    try:
        reported = linter.report(examined.files)
    except ToolError as error:
        # A program that fails on an empty file, too, is not usable here: that is nothing of the change's doing.
        if not (is_known(program) and linter.is_unusable(examined.files[0])):
            raise
        label = f"{inputs.name} (not usable: {error})"[:300]
        return write_critique(inputs, label, Examined(()), (), "matching")
    examined = linter.as_read(examined)
    verdict = _Verdict(inputs.name, program)
    before: list[Reported] = []
    if any(map(verdict.speaks, reported)):
        before = linter.report(earlier_states(examined, context.documents))
    broken = {row.source.path for row in reported if verdict.is_unparsed(row)}
    partly = replace(examined, partly=tuple(map(UNPARSED.of, sorted(broken))))
    return write_critique(
        inputs, inputs.name, partly, verdict.findings(reported, before), "matching"
    )


@dataclass(frozen=True)
class _Verdict:
    """What follows from the rows of one command."""

    name: str
    program: AnalyserCommand

    def is_unparsed(self, row: Reported) -> bool:
        """True when a row says that its file cannot be parsed."""
        return row.is_unparsed or self.program.program.rpartition("/")[2] in _ONLY_PARSERS

    def is_grave(self, row: Reported) -> bool:
        """True when it demands a fix by itself."""
        return self.program.weight(row.level).rank <= HIDDEN.rank

    def speaks(self, row: Reported) -> bool:
        """True when it would be told, were it new."""
        if row.place is not None or self.is_unparsed(row):
            return True
        return self.is_grave(row) and row.source.change.before is not None

    def findings(
        self, now: Sequence[Reported], before: Sequence[Reported]
    ) -> Iterator[RaisedFinding]:
        """What the change brings."""
        yield from self._of_broken(filter(self.is_unparsed, now), before)
        yield from self._of_others(filterfalse(self.is_unparsed, now), before)

    def _of_broken(
        self, now: Iterable[Reported], before: Iterable[Reported]
    ) -> Iterator[RaisedFinding]:
        """One for each file that could be parsed before the change, where the change is nearest."""
        broken = {row.source.path for row in before if self.is_unparsed(row)}
        for row in now:
            path = row.source.path
            if path in broken:
                continue
            broken.add(path)
            line, number = row.source.nearest_changed(row.first), row.source.number(row.first)
            finding = self._finding(row, Place(path=path, line=line or number))
            if line not in (None, number):
                why = f"{finding.detail}. The parser stops at line {number}."
                finding = finding.model_copy(update={"detail": why})
            yield finding

    def _of_others(
        self, now: Iterable[Reported], before: Iterable[Reported]
    ) -> Iterator[RaisedFinding]:
        """Those that the change brings, also the grave ones that it causes elsewhere."""
        traced = ((row.trace, row) for row in now)
        brought = compared(traced, (row.trace for row in before), lambda row: row.place is None)
        for row in filter(self.speaks, brought.fresh):
            finding = self._finding(row, row.place)
            yield finding if row.place else from_elsewhere(row.source, finding, row.first)
        for row, was in brought.moved:
            if row.place is not None and self.is_grave(row):
                yield as_moved(self._finding(row, row.place), was)

    def _finding(self, row: Reported, place: Place | None) -> RaisedFinding:
        return row.finding(self.name, place, self.program.weight(row.level))


class _Linter:
    """One command, and the time that it has.

    `unmatched` is a line of a report of which no line fitted the pattern, `names_files` whether it names a file.
    """

    def __init__(self, name: str, row: AnalyserCommand, countdown: Countdown) -> None:
        self._name = name
        self._row = row
        self._countdown = countdown
        self.unmatched = ""
        self.names_files = False

    def report(self, files: Sequence[SourceFile]) -> list[Reported]:
        """What it reports of these files. Raises `ToolError`."""
        rows: list[Reported] = []
        for start in range(0, len(files), MOST_FILES):
            some = files[start : start + MOST_FILES]
            named = {_file_name(number, source.path): source for number, source in enumerate(some)}
            contents = {name: source.analysed.encode() for name, source in named.items()}
            rows += self._rows(self._report(contents), named)
        return rows

    def as_read(self, examined: Examined) -> Examined:
        """What was read, as far as the report says so: a wrong pattern finds nothing anywhere.

        Output that names no file may be the summary of a clean run, as a known linter writes it.
        """
        if not self.unmatched or is_known(self._row):
            return examined
        read = () if self.names_files else examined.files
        return replace(examined, files=read, unmatched=self.unmatched)

    def is_unusable(self, like: SourceFile) -> bool:
        """True when it fails on a file without content."""
        try:
            self._report({_file_name(0, like.path): b"\n"})
        except ToolError:
            return True
        return False

    def _report(self, contents: Mapping[str, bytes]) -> ProgramResult:
        installed = Installation.of(find_program(self._row.program), self._row.reads)
        with materialised(contents) as root, scratch() as home:
            finished = execute(
                [str(installed.program), *self._row.arguments([f"./{name}" for name in contents])],
                cwd=root,
                home=home,
                timeout_s=self._countdown.remaining_s(),
                environment={"NO_COLOR": "1", **installed.environment, **self._row.env},
                confinement=self._countdown.confinement(
                    output_mb=OUTPUT_MB, installed=installed.places
                ),
            )
        if finished.timed_out:
            raise ToolError("{program} was stopped: it took too long.", program=self._shown_name)
        if finished.truncated:
            raise ToolError("{program} was stopped: it wrote too much.", program=self._shown_name)
        if finished.code not in self._row.exit_codes:
            raise self._failure(finished)
        return finished

    @property
    def _shown_name(self) -> str:
        """The participant, and the command where that has another name."""
        command = self._row.program.rpartition("/")[2]
        return self._name if command == self._name else f"{self._name} (`{command}`)"

    def _failure(self, finished: ProgramResult, instead: str = "") -> ToolError:
        """That the program failed, as its own last line has it."""
        last = f": {line}" if (line := _last_line(finished)) else ""
        if finished.code > SIGNALLED:
            ending = f"was ended by signal {finished.code - SIGNALLED}"
        else:
            ending = f"ended with code {finished.code}"
        return ToolError(
            "{name} {ending}{instead}{last}",
            name=self._shown_name,
            ending=ending,
            instead=instead,
            last=last,
        )

    def _rows(self, finished: ProgramResult, named: Mapping[str, SourceFile]) -> Iterator[Reported]:
        parsed = self._parsed(finished)
        self._note_unmatched(finished, named, parsed)
        for row in parsed:
            source = named.get(_base(row.file))
            if source is not None and row.message and row.first <= len(source.analysed_lines):
                yield row.about(source)

    def _note_unmatched(
        self, finished: ProgramResult, named: Iterable[str], parsed: Sequence[ReportRow]
    ) -> None:
        if self._row.pattern is not None and not parsed:
            self.unmatched = _last_line(finished)
            written = finished.stdout + finished.stderr
            self.names_files = any(name.encode() in written for name in named)

    def _parsed(self, finished: ProgramResult) -> list[ReportRow]:
        report = {
            "format": self._row.format,
            "pattern": self._row.pattern,
            "stdout": finished.stdout.decode("utf-8", "replace"),
            "stderr": finished.stderr.decode("utf-8", "replace"),
        }
        parsed = parse_report(report, self._countdown)
        if parsed.timed_out:
            raise ToolError(
                "The report of {name} could not be read in {seconds:.3g} s.",
                name=self._shown_name,
                seconds=PARSE_S,
            )
        self._check(parsed, finished)
        rows = rows_of(parsed)
        if finished.code != 0 and not rows and self._row.pattern is not None:
            raise self._failure(finished, " and wrote nothing that its pattern fits")
        return rows

    def _check(self, parsed: ProgramResult, finished: ProgramResult) -> None:
        """Raise `ToolError` where the report could not be read: what the program says of itself comes first."""
        if parsed.code == TOO_MANY:
            raise ToolError(
                "{name} reported more than {most} findings.", name=self._shown_name, most=MOST_ROWS
            )
        if parsed.code == UNFINISHED:
            raise ToolError(
                "{name} says of itself that it did not run to its end.", name=self._shown_name
            )
        if parsed.code != 0 and (finished.code != 0 or finished.stderr.strip()):
            raise self._failure(finished, f" and wrote no {self._row.format}")
        if parsed.code != 0:
            why = clean(parsed.complaint)
            raise ToolError(
                "{name} reported in another form than {format}: {why}",
                name=self._shown_name,
                format=self._row.format,
                why=why,
            )


def _last_line(finished: ProgramResult) -> str:
    """The last line that says something, of its standard error before its standard output."""
    texts = (finished.stderr, finished.stdout)
    lines = (line for text in texts for line in reversed(text.splitlines()) if line.strip())
    return clean(next(lines, b"").decode("utf-8", "replace"))[:300]


def _file_name(number: int, path: str) -> str:
    """A number and the suffixes: what a file is called must not be read as an option, nor found as a configuration."""
    base = path.rpartition("/")[2]
    suffixes = base[base.index(".") :] if "." in base[1:] else ""
    kept = suffixes if _SUFFIXES.match(suffixes) else os.path.splitext(base)[1]
    return f"f{number}{kept if _SUFFIXES.match(kept) else ''}"


def _base(file: str) -> str:
    """The name of a file that a report may give as a path or as an address."""
    path = unquote(urlsplit(file).path) if file.startswith("file:") else file
    return path.replace("\\", "/").rpartition("/")[2]
