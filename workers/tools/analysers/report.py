"""The tool `report`: what a linter has found elsewhere, in a pipeline say, read from the report that was handed in.

Linters that build what they look at (clippy, go vet, golangci-lint) run code of the change; they belong where that is
built anyway. Nothing of a report is believed beyond its words: only findings on changed lines count, texts are clipped
and cleaned, the parser runs in the sandbox. A report of another state of the code is none of this change: where it
repeats source lines they must be there. There is no state before to compare with.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from shared.errors import ToolError
from shared.models.coverage import UnreadFile
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.tools.commands import LEVELS, PROJECT_LINTERS
from shared.tools.inputs import ReportInput
from workers.tools.analysers.critique import write_critique
from workers.tools.analysers.report_parsers import MOST_ROWS, NOT_COMPILED, TOO_MANY, UNFINISHED
from workers.tools.analysers.reported import (
    PARSE_S,
    ReportRow,
    clean,
    parse_report,
    rows_of,
)
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, sources
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject

MOST_ELSEWHERE = 5
"""Files outside of the change that do not compile, and are named."""
NOTED = {"note": Severity.INFO, "help": Severity.INFO}


def run(inputs: ReportInput, context: ToolContext) -> Critique:
    """A critique of what the report says of changed lines; raises `ToolError` for a report that cannot be used."""
    subject = load_subject(inputs.subject, context.documents)
    every = sources(subject, context.documents, lambda _file: True)
    files = _ChangedFiles({source.path: source for source in every.files}, inputs)
    rows = _rows(inputs, context.documents.get(inputs.report), files, context.countdown())
    broken = [row for row in rows if row.code == NOT_COMPILED]
    reported = [
        row.about(source)
        for row in rows
        if row.code != NOT_COMPILED and (source := files.meant(row)) is not None
    ]
    findings = [
        row.finding(inputs.name, row.place, weight(row.level)) for row in reported if row.place
    ]
    findings += _not_compiled(inputs.name, broken, files)
    examined = _read(inputs, every, {row.source.path for row in reported}, unbuilt=bool(broken))
    return write_critique(inputs, f"{inputs.name} (its report)", examined, findings, "matching")


def weight(level: str) -> Severity:
    """How bad a finding is that the linter calls so."""
    return NOTED.get(level) or LEVELS.get(level, Severity.INFO)


@dataclass(frozen=True)
class _ChangedFiles:
    """The files of the change, and which of them a path of the report means."""

    by_path: dict[str, SourceFile]
    inputs: ReportInput

    @property
    def names(self) -> list[str]:
        """Their base names."""
        return sorted({path.rpartition("/")[2] for path in self.by_path})

    def meant(self, row: ReportRow) -> SourceFile | None:
        """The file of a row; None where the change does not touch it. Raises `ToolError` for another state of it."""
        path = self._path(row.file)
        source = self.by_path.get(f"{self.inputs.below}{path}") or self.by_path.get(path)
        if source is None:
            return self._guessed(row, path)
        if not _repeats(row, source):
            raise ToolError(
                "The report of {name} is of another state of the code: line {first} of {path} is not "
                "what it says there. Run the linter on what is reviewed.",
                name=self.inputs.name,
                first=row.first,
                path=source.path,
            )
        return source

    def like(self, file: str) -> SourceFile | None:
        """A file of the change in the language of a file that is none of it; None where it has no such file."""
        suffix = posixpath.splitext(file)[1]
        fitting = sorted(path for path in self.by_path if path.endswith(suffix))
        return self.by_path[fitting[0]] if fitting else None

    def _path(self, file: str) -> str:
        """The path as a report has it, from the project's top where it lies below that."""
        text = unquote(urlsplit(file).path) if file.startswith("file:") else file
        path = posixpath.normpath(text.replace("\\", "/"))
        root = self.inputs.root
        return path.removeprefix(f"{root}/") if root else path

    def _guessed(self, row: ReportRow, path: str) -> SourceFile | None:
        """The only file that it can be where paths begin elsewhere: in a container, or in a folder of the project.

        A relative path may be that of another file of the project, so its line has to be repeated there.
        """
        if path.startswith("/"):
            ends = [known for known in self.by_path if path.endswith(f"/{known}")]
            fitting = sorted(ends, key=len)[-1:]
        else:
            fitting = [known for known in self.by_path if known.endswith(f"/{path}")]
        if len(fitting) != 1 or not (path.startswith("/") or row.snippet.strip()):
            return None
        source = self.by_path[fitting[0]]
        return source if _repeats(row, source) else None


def _repeats(row: ReportRow, source: SourceFile) -> bool:
    """Whether the source lines that a row repeats are there; of one that repeats none, whether its line is."""
    lines = source.analysed_lines
    if row.first > len(lines):
        return False
    there = lines[row.first - 1 :]
    # The last one may be cut where texts are.
    repeated = [line.strip() for line in row.snippet.splitlines()]
    return all(line in other for line, other in zip(repeated, there, strict=False))


def _rows(
    inputs: ReportInput, content: bytes, files: _ChangedFiles, countdown: Countdown
) -> Sequence[ReportRow]:
    """What the report says of files that may be those of the change. Raises `ToolError`."""
    report = {
        "format": inputs.format,
        "pattern": None,
        "stdout": content.decode("utf-8", "replace"),
        "stderr": "",
        "names": files.names,
    }
    parsed, name = parse_report(report, countdown), inputs.name
    if parsed.timed_out:
        raise ToolError(
            "The report of {name} could not be read in {seconds:.3g} s.", name=name, seconds=PARSE_S
        )
    if parsed.code == TOO_MANY:
        raise ToolError(
            "{name} reported more than {most} findings in changed files.",
            name=name,
            most=MOST_ROWS,
        )
    if parsed.code == UNFINISHED:
        raise ToolError(
            "The report of {name} says of itself that {name} did not run to its end.", name=name
        )
    if parsed.code != 0:
        why = clean(parsed.complaint)
        raise ToolError(
            "The report of {name} is not in the form {format}, or is cut: {why}",
            name=name,
            format=inputs.format,
            why=why,
        )
    return rows_of(parsed)


def _not_compiled(
    name: str, broken: Sequence[ReportRow], files: _ChangedFiles
) -> Iterator[RaisedFinding]:
    """What does not compile: at the nearest changed line of that file, or of another file of the language."""
    elsewhere: list[str] = []
    for row in broken:
        source = files.meant(row)
        if source is not None:
            yield _error(name, row, source, Severity.CRITICAL)
        elif row.file not in elsewhere:
            elsewhere.append(row.file)
            if len(elsewhere) <= MOST_ELSEWHERE:
                yield _error(name, row, files.like(row.file), Severity.MAJOR)


def _error(name: str, row: ReportRow, near: SourceFile | None, severity: Severity) -> RaisedFinding:
    """That something does not compile, at the change's line that is nearest in a file."""
    where = f"{row.file}:{row.first}"
    own = severity is Severity.CRITICAL
    line = None if near is None else near.nearest_changed(row.first if own else 1)
    place = None if near is None or line is None else Place(path=near.path, line=line)
    title = f"{row.message} (it does not compile)"
    return RaisedFinding(
        title=(title if own and line == row.first else f"{where}: {title}")[:400],
        detail=f"The compiler stops at {where}, by the report of {name}; what follows was not looked at.",
        severity=severity,
        category="correctness",
        rule=f"{name}/{NOT_COMPILED}",
        place=place,
        quote=near.quote(place.line) if near and place else None,
        confidence=0.7,
    )


def _read(inputs: ReportInput, every: Examined, named: set[str], *, unbuilt: bool) -> Examined:
    """What the linter counts as having read: files of its language, of others those that the report names.

    Where something does not compile, none of them was read to its end.
    """
    suffixes = {row.suffix for row in PROJECT_LINTERS if inputs.format in row.formats}
    files = tuple(
        source
        for source in every.files
        if source.path in named or source.path.endswith(tuple(suffixes))
    )
    partly: tuple[UnreadFile, ...] = ()
    if unbuilt:
        partly = tuple(UNPARSED.of(source.path) for source in files)
    others = every.others + len(every.files) - len(files)
    return replace(every, files=files, unread=(), skipped=(), others=others, partly=partly, gone=())
