"""The ruff participant: rules that find defects, on changed lines, with ruff's safe fixes as patches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from shared.models.coverage import UnreadFile
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.models.subject import PYTHON_SUFFIXES
from shared.patterns import regex
from shared.tools.inputs import AnalyserInput
from shared.tools.rule_codes import means_a_rule
from workers.tools.analysers.bandit import is_test
from workers.tools.analysers.comparison import Brought, SourceSpan, Trace, as_moved, compared
from workers.tools.analysers.critique import Examination, analyser_label, python_critique
from workers.tools.analysers.edits import Edit, apply_edits, file_patch
from workers.tools.analysers.program import AnalyserProgram, Before, from_elsewhere
from workers.tools.analysers.ruffrules import BROKEN, IGNORED, RULES, SLOW, UNPARSED, kind_of
from workers.tools.analysers.sources import UNPARSED as UNPARSED_FILE
from workers.tools.analysers.sources import Examined, SourceFile
from workers.tools.analysers.suppressions import HIDDEN, as_suppressed, hides, suppressed_in
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import find_program

# The newest grammar: an older project's code is never called broken because of its age.
TARGET = "py314"
CONFIDENCE = 0.9
_AWAITED = regex(r"\bawait\s+$")


class _Position(BaseModel):
    row: int
    column: int


class _FixEdit(BaseModel):
    content: str
    location: _Position
    end_location: _Position


class _Fix(BaseModel):
    applicability: str
    message: str | None = None
    edits: tuple[_FixEdit, ...] = ()

    @property
    def is_safe(self) -> bool:
        """True when ruff promises that behaviour stays."""
        return self.applicability == "safe"

    @property
    def suggestion(self) -> str | None:
        """The fix in words."""
        note = "" if self.is_safe else " (may change behaviour: by hand)"
        return f"{self.message}{note}" if self.message else None


class _Diagnostic(BaseModel):
    code: str | None = None
    name: str | None = None
    message: str
    filename: Path
    location: _Position
    end_location: _Position
    fix: _Fix | None = None
    url: str | None = None

    @property
    def rows(self) -> range:
        """The lines that it is about."""
        return range(self.location.row, max(self.location.row, self.end_location.row) + 1)

    @property
    def unparsed(self) -> bool:
        """True when it is about the file, which ruff could not parse."""
        return self.code in (None, UNPARSED, "E902", "E999")

    @property
    def grave(self) -> bool:
        """True when its rule demands a fix by itself."""
        return self.code is not None and kind_of(self.code).severity.rank <= HIDDEN.rank


_DIAGNOSTICS = TypeAdapter(tuple[_Diagnostic, ...])


def command(
    paths: Sequence[str], *, select: Iterable[str] = RULES, ignore: Iterable[str] = IGNORED
) -> list[str]:
    """The call of ruff: no configuration but ours, nothing written."""
    return [
        str(find_program("ruff")),
        *"check --isolated --ignore-noqa --no-cache --exit-zero --output-format json".split(),
        *("--target-version", TARGET, "--select", ",".join(select), "--ignore", ",".join(ignore)),
        "--",
        *(f"./{path}" for path in paths),
    ]


_USUAL_IN_CELLS = frozenset(("B018", "F704", "PLE1142"))


def _file_name(number: int, path: str) -> str:
    """The name under which ruff gets the file: it reads no Python in `pyproject.toml`, whatever its first line."""
    return f"named/{path}" if path.endswith(PYTHON_SUFFIXES) else f"other/{number}.py"


_RUFF = AnalyserProgram(
    name="ruff",
    form=_DIAGNOSTICS,
    command=command,
    file_name=_file_name,
    issues=lambda report: ((diagnostic.filename, diagnostic) for diagnostic in report),
    environment={"RAYON_NUM_THREADS": "2"},
)


def _selecting(more: tuple[str, ...]) -> AnalyserProgram[tuple[_Diagnostic, ...], _Diagnostic]:
    """ruff with further rules."""
    if not more:
        return _RUFF
    ignored = tuple(code for code in IGNORED if code not in more)
    return replace(_RUFF, command=partial(command, select=(*RULES, *more), ignore=ignored))


def _known(names: Iterable[str]) -> tuple[str, ...]:
    """The rules that ruff knows: any other name ends it, and may be meant for another analyser."""
    return tuple(name for name in names if means_a_rule(name, "ruff"))


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A critique of the subject's Python files; raises `ToolError` when there are none."""
    return python_critique(inputs, context, analyser_label("ruff"), _examine)


def _examine(examined: Examined, examination: Examination) -> tuple[Examined, list[RaisedFinding]]:
    program = _selecting(_known(examination.rules.selected("ruff")))
    now = program.analyse(examined.files, examination.countdown)
    judged = {
        source.path: _judge(source, now.issues.get(source.path, ())) for source in examined.files
    }
    candidates = [candidate for file in judged.values() for candidate in file.candidates]
    brought = Brought(candidates, [])
    if any(candidate.speaks for candidate in candidates):
        brought = _brought(candidates, program.analyse_before(examined, examination))
    for candidate in brought.fresh:
        judged[candidate.source.path].take(candidate)
    findings = list(chain.from_iterable(file.findings for file in judged.values()))
    partly = tuple(file.partly for file in judged.values() if file.partly is not None)
    return replace(examined.without(now.unread.values()), partly=partly), [
        *findings,
        *_reported_moves(brought.moved),
    ]


def _reported_moves(moved: Iterable[tuple[_Candidate, Trace]]) -> Iterator[RaisedFinding]:
    return (
        as_moved(candidate.finding, was)
        for candidate, was in moved
        if candidate.is_reported_if_moved
    )


def _brought(candidates: Sequence[_Candidate], before: Before[_Diagnostic]) -> Brought[_Candidate]:
    """Those that the change brought, and those that it moved."""
    known = (_Candidate(*entry).trace for entry in before.every() if not entry[1].unparsed)
    now = ((candidate.trace, candidate) for candidate in candidates)
    return compared(now, known, lambda candidate: candidate.place is None)


@dataclass(frozen=True)
class _Candidate:
    """A diagnostic of a file, before it is known whether the change brought it."""

    source: SourceFile
    diagnostic: _Diagnostic

    @cached_property
    def place(self) -> Place | None:
        """Where the change touched its lines; None when it did not."""
        diagnostic = self.diagnostic
        return self.source.place(diagnostic.location.row, diagnostic.end_location.row)

    @cached_property
    def suppressed(self) -> int | None:
        """git's number of the line that suppresses its rule."""
        return suppressed_in(self.source, self.diagnostic.code, self.diagnostic.rows)

    @property
    def speaks(self) -> bool:
        """True when it would be told, were it new."""
        if self.suppressed is not None and not self.source.changed(self.suppressed):
            return False
        return self.place is not None or self.is_elsewhere

    @property
    def is_elsewhere(self) -> bool:
        """True for a grave defect on lines that the change did not touch."""
        known = self.source.change.before is not None
        grave = self.diagnostic.grave and self.suppressed is None
        return self.place is None and grave and known

    @property
    def is_reported_if_moved(self) -> bool:
        """True when it is told although it was there, elsewhere."""
        return self.place is not None and self.diagnostic.grave and self.suppressed is None

    @property
    def finding(self) -> RaisedFinding:
        """What is said of it where the change touched it."""
        return _raised(self.source, self.diagnostic, self.place)

    @cached_property
    def trace(self) -> Trace:
        """What it is recognised by; a comment that suppresses it makes another one of it."""
        start, end = self.diagnostic.location, self.diagnostic.end_location
        span = SourceSpan(start.row, end.row, max(0, start.column - 1), max(0, end.column - 1))
        rule = (self.diagnostic.code, self.suppressed is not None)
        return Trace.of(self.source, rule, span)


@dataclass
class _Judged:
    """What became of a file's diagnostics: findings, those that may have been there before, what was not checked."""

    source: SourceFile
    findings: list[RaisedFinding] = field(default_factory=list)
    candidates: list[_Candidate] = field(default_factory=list)
    partly: UnreadFile | None = None

    def take(self, candidate: _Candidate) -> None:
        """Keep what the change brought: a finding on its lines, or a grave one that it causes elsewhere."""
        diagnostic, line = candidate.diagnostic, candidate.suppressed
        finding = candidate.finding
        if candidate.is_elsewhere:
            self.findings.append(from_elsewhere(self.source, finding, diagnostic.location.row))
        elif candidate.place is None:
            return
        elif line is None:
            self.findings.append(finding)
        elif self.source.changed(line) and finding.severity.rank <= HIDDEN.rank:
            # What the change itself hides is said, and somebody else has to read it.
            self.findings.append(as_suppressed(finding))
            self.partly = self.partly or hides(self.source.path, diagnostic.code, line)


def _judge(source: SourceFile, diagnostics: Iterable[_Diagnostic]) -> _Judged:
    judged = _Judged(source)
    for diagnostic in diagnostics:
        if _is_awaited(source, diagnostic) or _is_usual_in_cells(source, diagnostic):
            continue
        if not diagnostic.unparsed:
            judged.candidates.append(_Candidate(source, diagnostic))
        elif judged.partly is None:
            # What cannot be parsed is a finding, and nothing else of that file was checked.
            judged.partly = UNPARSED_FILE.of(source.path)
            judged.findings.append(_syntax_error(source, diagnostic))
    return judged


def _is_usual_in_cells(source: SourceFile, diagnostic: _Diagnostic) -> bool:
    """True for what a notebook does on purpose: a cell's last expression is shown, and `await` stands outside."""
    return source.change.cells and diagnostic.code in _USUAL_IN_CELLS


def _is_awaited(source: SourceFile, diagnostic: _Diagnostic) -> bool:
    """True for a "blocking call" that is awaited: ruff knows it by its name only, and what blocks cannot be awaited."""
    if not (diagnostic.code or "").startswith("ASYNC2"):
        return False
    row, column = diagnostic.location.row, diagnostic.location.column
    *above, line = source.analysed_lines[max(0, row - 2) : row]
    return _AWAITED.search("\n".join((*above, line[: column - 1]))) is not None


def _syntax_error(source: SourceFile, diagnostic: _Diagnostic) -> RaisedFinding:
    """One per file, wherever the parser noticed it: nothing else in that file could be checked."""
    row = diagnostic.location.row
    line = source.nearest_changed(row)
    row = source.number(row)
    where = "" if line == row else f" The parser stops at line {row}."
    return RaisedFinding(
        title=f"Syntax error: {diagnostic.message}"[:400],
        detail=f"The file cannot be parsed, so no other rule was checked in it.{where}",
        severity=BROKEN.severity,
        category=BROKEN.category,
        rule="ruff/syntax-error",
        place=Place(path=source.path, line=line or row),
        quote=source.quote(line or row),
        confidence=1.0,
    )


def _raised(source: SourceFile, diagnostic: _Diagnostic, place: Place | None) -> RaisedFinding:
    code = diagnostic.code or "no code"
    severity, category = kind_of(code)
    if category == SLOW.category and is_test(source.path):
        severity = Severity.INFO  # a test waits for nobody
    fix = diagnostic.fix
    return RaisedFinding(
        title=f"{diagnostic.message} ({code})"[:400],
        detail=f"Rule {diagnostic.name or code}: {diagnostic.url or 'no description'}",
        severity=severity,
        category=category,
        rule=f"ruff/{code}",
        place=place,
        quote=source.quote(place.line) if place else None,
        suggestion=fix.suggestion if fix else None,
        patch=_patch(source, fix) if fix and fix.is_safe else None,
        confidence=CONFIDENCE,
    )


def _patch(source: SourceFile, fix: _Fix) -> str | None:
    if source.text.startswith("\ufeff") or source.numbers or not source.verbatim:
        return None  # ruff and git would count columns or lines differently
    edits = [
        Edit(
            (edit.location.row, edit.location.column),
            (edit.end_location.row, edit.end_location.column),
            edit.content,
        )
        for edit in fix.edits
    ]
    after = apply_edits(source.text, edits)
    return None if after is None else file_patch(source.path, source.text, after)
