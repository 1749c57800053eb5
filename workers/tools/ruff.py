"""The ruff participant: rules that find defects, on changed lines, with ruff's safe fixes as patches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.coverage import UnreadFile
from shared.models.findings import Place, RaisedFinding
from shared.models.replies import Critique
from workers.tools.batches import Workplace, reports
from workers.tools.critique import analyser_label, reply_model, write_critique
from workers.tools.edits import Edit, apply_edits, file_patch
from workers.tools.registry import ToolContext
from workers.tools.ruffrules import BROKEN, IGNORED, RULES, UNPARSED, kind_of
from workers.tools.sandbox import Countdown, find_program, scratch
from workers.tools.snapshot import load_subject, materialised
from workers.tools.sources import UNPARSED as UNPARSED_FILE
from workers.tools.sources import Examined, SourceFile, python_sources
from workers.tools.suppressions import HIDDEN, as_suppressed, hides, suppressed_in

name = "ruff"
summary = "Looks for defects in changed Python lines by ruff's rules; proposes ruff's safe fixes."

# The newest grammar: an older project's code is never called broken because of its age.
TARGET = "py314"
CONFIDENCE = 0.9


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


_DIAGNOSTICS = TypeAdapter(tuple[_Diagnostic, ...])


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> Critique:
    """A `critique.*` of the Python files of `inputs["subject"]`; raises `ToolError` when there are none."""
    model = reply_model(inputs)
    countdown = Countdown(context.deadline_s)
    examined = python_sources(load_subject(inputs, context.documents), context.documents)
    examined, found = _examine(examined, countdown)
    return write_critique(model, analyser_label(name), examined, found, "Python")


def command(
    program: Path,
    paths: Sequence[str],
    *,
    select: Iterable[str] = RULES,
) -> list[str]:
    """The call of ruff: no configuration but ours, nothing written."""
    return [
        str(program),
        "check",
        "--isolated",
        "--ignore-noqa",
        "--no-cache",
        "--exit-zero",
        "--target-version",
        TARGET,
        "--output-format",
        "json",
        "--select",
        ",".join(select),
        "--ignore",
        ",".join(IGNORED),
        "--",
        *(f"./{path}" for path in paths),
    ]


def _examine(examined: Examined, countdown: Countdown) -> tuple[Examined, list[RaisedFinding]]:
    by_path = {source.path: source for source in examined.files}
    files = {path: source.analysed.encode("utf-8") for path, source in by_path.items()}
    found: list[RaisedFinding] = []
    unread: dict[str, UnreadFile] = {}
    partly: dict[str, UnreadFile] = {}
    program = find_program(name)
    with materialised(files) as root, scratch() as home:
        place = Workplace(root, home, countdown, {"RAYON_NUM_THREADS": "2"})
        for told in reports(name, partial(command, program), list(by_path), place, _DIAGNOSTICS):
            if told.problem is not None:
                unread |= {path: told.problem.of(path) for path in told.paths}
            for diagnostic in told.report or ():
                source = by_path[diagnostic.filename.resolve().relative_to(root).as_posix()]
                if diagnostic.code in (None, UNPARSED, "E902", "E999"):
                    # What cannot be parsed is a finding, and nothing else of that file was checked.
                    if source.path not in partly:
                        partly[source.path] = UNPARSED_FILE.of(source.path)
                        found.append(_syntax_error(source, diagnostic))
                elif finding := _finding(source, diagnostic):
                    line = suppressed_in(source, diagnostic.code, diagnostic.rows)
                    if line is None:
                        found.append(finding)
                    elif source.changed(line) and finding.severity.rank <= HIDDEN.rank:
                        # What the change itself hides is said, and somebody else has to read it.
                        found.append(as_suppressed(finding))
                        partly.setdefault(source.path, hides(source.path, diagnostic.code, line))
    return replace(examined.without(unread.values()), partly=tuple(partly.values())), found


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


def _finding(source: SourceFile, diagnostic: _Diagnostic) -> RaisedFinding | None:
    place = source.place(diagnostic.location.row, diagnostic.end_location.row)
    if place is None or diagnostic.code is None:
        return None
    severity, category = kind_of(diagnostic.code)
    fix = diagnostic.fix
    note = "" if fix is None or fix.applicability == "safe" else " (may change behaviour: by hand)"
    return RaisedFinding(
        title=f"{diagnostic.message} ({diagnostic.code})"[:400],
        detail=f"Rule {diagnostic.name or diagnostic.code}: {diagnostic.url or 'no description'}",
        severity=severity,
        category=category,
        rule=f"ruff/{diagnostic.code}",
        place=place,
        quote=source.quote(place.line),
        suggestion=f"{fix.message}{note}" if fix and fix.message else None,
        patch=_patch(source, fix) if fix and fix.applicability == "safe" else None,
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
