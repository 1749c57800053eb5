"""The ruff participant: rules that find defects, on changed lines, with ruff's safe fixes as patches."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pydantic import BaseModel, JsonValue, TypeAdapter

from shared.models.coverage import UnreadFile
from shared.models.findings import Place, RaisedFinding
from shared.models.replies import Critique
from shared.models.subject import PYTHON_SUFFIXES
from workers.tools.analysers.batches import Workplace, reports
from workers.tools.analysers.critique import analyser_label, reply_model, write_critique
from workers.tools.analysers.earlier import earlier_states, from_elsewhere, key_of, unknown_before
from workers.tools.analysers.edits import Edit, apply_edits, file_patch
from workers.tools.analysers.ruffrules import BROKEN, IGNORED, RULES, UNPARSED, kind_of
from workers.tools.analysers.sources import UNPARSED as UNPARSED_FILE
from workers.tools.analysers.sources import Examined, SourceFile, python_sources
from workers.tools.analysers.suppressions import HIDDEN, as_suppressed, hides, suppressed_in
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.sandbox import Countdown, find_program, scratch
from workers.tools.snapshot import load_subject, materialised

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

    @property
    def unparsed(self) -> bool:
        """True when it is about the file, which ruff could not parse."""
        return self.code in (None, UNPARSED, "E902", "E999")

    @property
    def grave(self) -> bool:
        """True when its rule demands a fix by itself."""
        return self.code is not None and kind_of(self.code).severity.rank <= HIDDEN.rank


_DIAGNOSTICS = TypeAdapter(tuple[_Diagnostic, ...])


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> Critique:
    """A `critique.*` of the Python files of `inputs["subject"]`; raises `ToolError` when there are none."""
    model = reply_model(inputs)
    countdown = Countdown(context.deadline_s)
    examined = python_sources(load_subject(inputs, context.documents), context.documents)
    examined, found = _examine(examined, context.documents, countdown)
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


@dataclass(frozen=True)
class _Analysed:
    """What ruff found in some files, by path, and which it did not get through."""

    diagnostics: Mapping[str, tuple[_Diagnostic, ...]]
    unread: Mapping[str, UnreadFile]


def _examine(
    examined: Examined, documents: Documents, countdown: Countdown
) -> tuple[Examined, list[RaisedFinding]]:
    now = _analyse(examined.files, countdown)
    found: list[RaisedFinding] = []
    partly: dict[str, UnreadFile] = {}
    elsewhere: dict[str, list[_Diagnostic]] = {}
    for source in examined.files:
        for diagnostic in now.diagnostics.get(source.path, ()):
            line = suppressed_in(source, diagnostic.code, diagnostic.rows)
            if diagnostic.unparsed:
                # What cannot be parsed is a finding, and nothing else of that file was checked.
                if source.path not in partly:
                    partly[source.path] = UNPARSED_FILE.of(source.path)
                    found.append(_syntax_error(source, diagnostic))
            elif finding := _finding(source, diagnostic):
                if line is None:
                    found.append(finding)
                elif source.changed(line) and finding.severity.rank <= HIDDEN.rank:
                    # What the change itself hides is said, and somebody else has to read it.
                    found.append(as_suppressed(finding))
                    partly.setdefault(source.path, hides(source.path, diagnostic.code, line))
            elif line is None and diagnostic.grave and source.change.before is not None:
                elsewhere.setdefault(source.path, []).append(diagnostic)
    doubtful = [source for source in examined.files if source.path in elsewhere]
    found += _from_elsewhere(doubtful, elsewhere, documents, countdown)
    unread = now.unread.values()
    return replace(examined.without(unread), partly=tuple(partly.values())), found


def _analyse(sources: Iterable[SourceFile], countdown: Countdown) -> _Analysed:
    by_name = {_name(number, source.path): source for number, source in enumerate(sources)}
    files = {name: source.analysed.encode("utf-8") for name, source in by_name.items()}
    found: dict[str, list[_Diagnostic]] = {}
    unread: dict[str, UnreadFile] = {}
    program = find_program(name)
    with materialised(files) as root, scratch() as home:
        place = Workplace(root, home, countdown, {"RAYON_NUM_THREADS": "2"})
        for told in reports(name, partial(command, program), list(by_name), place, _DIAGNOSTICS):
            if told.problem is not None:
                paths = [by_name[file].path for file in told.paths]
                unread |= {path: told.problem.of(path) for path in paths}
            for diagnostic in told.report or ():
                file = diagnostic.filename.resolve().relative_to(root).as_posix()
                found.setdefault(by_name[file].path, []).append(diagnostic)
    return _Analysed({path: tuple(some) for path, some in found.items()}, unread)


def _name(number: int, path: str) -> str:
    """What ruff is told that the file is called: it reads no Python in `pyproject.toml`, whatever its first line."""
    return f"named/{path}" if path.endswith(PYTHON_SUFFIXES) else f"other/{number}.py"


def _from_elsewhere(
    sources: Iterable[SourceFile],
    elsewhere: Mapping[str, Sequence[_Diagnostic]],
    documents: Documents,
    countdown: Countdown,
) -> Iterator[RaisedFinding]:
    """Grave defects on unchanged lines that were none before."""
    sources = tuple(sources)
    states = {state.path: state for state in earlier_states(sources, documents)}
    before = _analyse(states.values(), countdown)
    for source in sources:
        state = states.get(source.path, source)
        earlier = before.diagnostics.get(source.path, ())
        fresh = unknown_before(
            ((_key(source, one), one) for one in elsewhere[source.path]),
            (_key(state, one) for one in earlier),
        )
        for one in fresh:
            yield from_elsewhere(source, _raised(source, one, None), one.location.row)


def _key(source: SourceFile, diagnostic: _Diagnostic) -> Hashable:
    return key_of(source, diagnostic.code or "", diagnostic.location.row)


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
    return _raised(source, diagnostic, place)


def _raised(source: SourceFile, diagnostic: _Diagnostic, place: Place | None) -> RaisedFinding:
    code = diagnostic.code or "no code"
    severity, category = kind_of(code)
    fix = diagnostic.fix
    note = "" if fix is None or fix.applicability == "safe" else " (may change behaviour: by hand)"
    return RaisedFinding(
        title=f"{diagnostic.message} ({code})"[:400],
        detail=f"Rule {diagnostic.name or code}: {diagnostic.url or 'no description'}",
        severity=severity,
        category=category,
        rule=f"ruff/{code}",
        place=place,
        quote=source.quote(place.line) if place else None,
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
