"""Reports of linters that a person hands in (`--report`): where they may lie, which linter wrote them, in what form.

A change must not bring the report that speaks for it: one that git tracks is refused, and so is one that a link inside
of the repository leads to. Only the form is recognised here; a worker reads the findings, in its sandbox.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from shared.errors import EnvironmentFault, SubjectError
from shared.git.repository import Repository
from shared.patterns import regex
from shared.text.bounded_json import TooMuchJsonError, loads
from shared.tools.commands import ReportFormat

MOST_BYTES = 16_000_000
MOST_REPORTS = 20
LONGEST_NAME = 48
FORMS = "SARIF, clippy's or golangci-lint's JSON, go vet -json, checkstyle, eslint, pyright, rdjson"
_NAMED = regex(r"(?P<name>[\w.-]{1,48})=(?P<file>.+)")
_STRANGE = regex(r"[^\w.]+")
_CARGO = regex(rb'(?m)^\{"reason":')
_GO_VET = regex(rb"(?m)^# \S+(?: \[\S+\])?\r?\n(?:\{|vet: |\./)|^vet: ")


@dataclass(frozen=True)
class LinterReport:
    """A report: the linter's name, the form, and what it says."""

    name: str
    format: ReportFormat
    content: bytes


def read_reports(
    files: Sequence[str], directory: Path, repository: Repository | None
) -> tuple[LinterReport, ...]:
    """The reports in files, each `FILE` or `NAME=FILE`. Raises SubjectError, or EnvironmentFault without permission."""
    if len(files) > MOST_REPORTS:
        raise SubjectError(
            "{count} reports: a review takes {most} at most",
            count=len(files),
            most=MOST_REPORTS,
        )
    return _with_own_names(_read_file(typed, directory, repository) for typed in files)


def given_reports(texts: Mapping[str, bytes]) -> tuple[LinterReport, ...]:
    """The reports whose text is given, by the names of their linters. Raises SubjectError."""
    return _with_own_names(_read(name, content, name) for name, content in texts.items())


def report_files(typed: Sequence[str], directory: Path) -> tuple[Path, ...]:
    """Where the files lie that were typed."""
    return tuple(directory / _split(each)[1] for each in typed)


def inside(repository: Repository, place: Path) -> str | None:
    """The path of a file from the repository's top; None for one that lies elsewhere, also by way of links."""
    if repository.top is None:
        return None
    top, stated = Path(os.path.realpath(repository.top)), Path(os.path.abspath(place))
    for known in (stated, stated.parent.resolve() / stated.name, stated.resolve()):
        if known.is_relative_to(top):
            return known.relative_to(top).as_posix()
    return None


def _split(typed: str) -> tuple[str | None, str]:
    named = _NAMED.fullmatch(typed)
    return (named["name"], named["file"]) if named else (None, typed)


def _read_file(typed: str, directory: Path, repository: Repository | None) -> LinterReport:
    name, file = _split(typed)
    place = directory / file
    if file == "-":
        raise SubjectError("--report -: name a file; standard input may be the change")
    if repository is not None:
        _check_place(file, place, repository)
    try:
        with place.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except PermissionError as error:
        raise EnvironmentFault("no permission to read the report {file}", file=file) from error
    except OSError as error:
        raise SubjectError(
            "the report {file} cannot be read: {why}", file=file, why=error.strerror
        ) from None
    return _read(f"the report {file}", content, name, Path(file).stem)


def _check_place(file: str, place: Path, repository: Repository) -> None:
    """Raise SubjectError where the change itself could have brought the report."""
    known = inside(repository, place)
    if known is None:
        return
    top = Path(os.path.realpath(repository.place))
    if place.resolve() != top / known:
        raise SubjectError(
            "the report {file} is reached by a link in the repository, which a change could point "
            "anywhere: name the file itself",
            file=file,
        )
    if repository.git.ask("ls-files", "--error-unmatch", "--", f":(top,literal){known}"):
        raise SubjectError(
            "the report {file} is tracked by git, so the change could have written what speaks for "
            "it: let the linter write to a file that is not",
            file=file,
        )


def _read(what: str, content: bytes, name: str | None, stem: str = "linter") -> LinterReport:
    if len(content) > MOST_BYTES:
        raise SubjectError(
            "{what} has more than {megabytes} MB: let the linter report on what changed only",
            what=what,
            megabytes=MOST_BYTES // 1_000_000,
        )
    if not content.strip():
        raise SubjectError("{what} is empty, so nothing says that the linter has run", what=what)
    try:
        form, own = next(_recognised(content.removeprefix(b"\xef\xbb\xbf").strip()))
    except TooMuchJsonError as error:
        raise SubjectError(
            "{what} is too much ({error}): let the linter report on what changed only",
            what=what,
            error=error,
        ) from None
    except StopIteration:
        raise SubjectError(
            "{what} is cut, or in a form that is not known here; known are {forms}",
            what=what,
            forms=FORMS,
        ) from None
    plain = _STRANGE.sub("-", own or stem).strip("-.").lower()[:LONGEST_NAME]
    return LinterReport(name or plain or "linter", form, content)


def _recognised(content: bytes) -> Iterator[tuple[ReportFormat, str | None]]:
    """The form, and the linter's name where the report has it."""
    if _CARGO.search(content):
        yield "cargo", "clippy"
    elif content.startswith(b"<") and b"<checkstyle" in content[:2000]:
        yield "checkstyle", None
    elif _GO_VET.search(content):
        yield "govet", "govet"
    elif content.startswith((b"{", b"[")):
        yield from _recognised_json(content)


def _recognised_json(content: bytes) -> Iterator[tuple[ReportFormat, str | None]]:
    value = _first_value(content)
    for form, fits in _FORMS.items():
        if fits(value):
            yield form, _OWN_NAMES.get(form) or _name_in(value)
            return


def _first_value(content: bytes) -> JsonValue:
    """What the report holds; of one with a value a line, or with talk after it, the first."""
    try:
        return loads(content)
    except TooMuchJsonError:
        raise
    except ValueError:
        try:
            return loads(content.splitlines()[0])
        except ValueError:
            return None


def _is_sarif(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("runs"), list)


def _is_golangci(value: JsonValue) -> bool:
    return isinstance(value, dict) and "Issues" in value


def _is_pyright(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("generalDiagnostics"), list)


def _is_rdjson(value: JsonValue) -> bool:
    match value:
        case {"diagnostics": list()} | {"message": _, "location": {"path": _}}:
            return True
        case [{"message": _, "location": {"path": _}}, *_]:
            return True
        case _:
            return False


def _is_eslint(value: JsonValue) -> bool:
    match value:
        case [] | [{"filePath": _, "messages": _}, *_]:
            return True
        case _:
            return False


def _is_go_vet(value: JsonValue) -> bool:
    """An object a package, without the headings that tell it from everything else."""
    return isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())


_FORMS: Mapping[ReportFormat, Callable[[JsonValue], bool]] = {
    "sarif": _is_sarif,
    "golangci": _is_golangci,
    "pyright": _is_pyright,
    "rdjson": _is_rdjson,
    "eslint": _is_eslint,
    "govet": _is_go_vet,
}
_OWN_NAMES: Mapping[ReportFormat, str] = {
    "golangci": "golangci-lint",
    "pyright": "pyright",
    "eslint": "eslint",
    "govet": "govet",
}


def _name_in(value: JsonValue) -> str | None:
    match value:
        case {"runs": [{"tool": {"driver": {"name": str(name)}}}, *_]}:
            return name
        case {"source": {"name": str(name)}} | [{"source": {"name": str(name)}}, *_]:
            return name
        case _:
            return None


def _with_own_names(reports: Iterator[LinterReport]) -> tuple[LinterReport, ...]:
    """The reports, those of a linter that has several with a number."""
    named: dict[str, LinterReport] = {}
    for report in reports:
        name, number = report.name, 2
        while name in named:
            name, number = f"{report.name[: LONGEST_NAME - 4]}-{number}", number + 1
        named[name] = replace(report, name=name)
    return tuple(named.values())
