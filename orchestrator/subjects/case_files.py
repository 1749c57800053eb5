"""Files of clinical cases: a text, JSON, JSON Lines, a table, FHIR, or a folder of them.

The same reader serves the case itself and the similar cases, so what is a case in one place is one in the other.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from orchestrator.subjects.case_json import (
    BIRTH_FIELDS,
    ID_FIELDS,
    IDENTIFYING,
    SEX_FIELDS,
    TEXT_FIELDS,
    case_of_json,
    cases_of_list,
)
from orchestrator.subjects.case_texts import (
    CHART_BYTES,
    CasesRead,
    StatedCase,
    UnusableCaseError,
    chart_text,
    decoded,
)
from orchestrator.subjects.fhir import are_resources, case_of_resources
from orchestrator.subjects.request import Screen
from orchestrator.subjects.screening import Unread, read_inside, stays_here
from shared.models.coverage import UnreadReason
from shared.models.notices import Notice, notice, sentences
from shared.text import bounded_json

FILE_BYTES = 64_000_000
"""The largest file of cases."""
MOST_CASES = 10_000
_LINES = (".jsonl", ".ndjson")
_TABLES = {".csv": None, ".tsv": "\t"}
_SEPARATORS = ",;\t|"
_MOST_NAMED = 12


def read_cases(content: bytes, origin: str) -> CasesRead:
    """The cases of a file, `origin` its name. Raises UnusableCaseError where it holds none that can be used."""
    text = decoded(content)
    suffix = os.path.splitext(origin)[1].lower()
    if suffix in _TABLES:
        return _usable(_read_table(text, origin, _TABLES[suffix]))
    if suffix in _LINES:
        return _usable(_read_lines(text, origin))
    is_json = suffix == ".json" and bool(text.strip())
    if not is_json and not text.lstrip().startswith(("{", "[", '"')):
        return CasesRead((StatedCase(chart_text(text), origin),))
    try:
        value = _loads(text)
    except UnusableCaseError:
        raise
    except ValueError as error:
        return _no_json(text, origin, error, meant=is_json)
    return _usable(_of_value(value, origin))


def _no_json(text: str, origin: str, error: ValueError, *, meant: bool) -> CasesRead:
    """What begins like JSON and is none: lines of it, or a text. Raises UnusableCaseError where JSON was `meant`."""
    if _is_lines(text):
        return _usable(_read_lines(text, origin))
    if meant or text.lstrip().startswith("{"):
        raise UnusableCaseError(notice("case_no_json", why=str(error))) from None
    return CasesRead((StatedCase(chart_text(text), origin),))


def _loads(text: str) -> JsonValue:
    """The value, in which no object has a field twice: which of both is meant nobody knows. Raises ValueError."""
    return bounded_json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnusableCaseError(notice("case_field_twice", field=twice[:80]))
    return fields


def _of_value(value: JsonValue, origin: str) -> CasesRead:
    rows = value.get("cases") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        return CasesRead((case_of_json(value, origin),))
    if are_resources(rows):
        return CasesRead((case_of_resources(rows, origin),))
    cases, broken = cases_of_list(rows, origin)
    return CasesRead(tuple(cases), tuple(broken))


def _usable(read: CasesRead) -> CasesRead:
    """The same. Raises UnusableCaseError when nothing is left, with the first reasons."""
    if not read.cases:
        reasons = list(read.remarks[:_MOST_NAMED])
        if (left := len(read.remarks) - len(reasons)) > 0:
            reasons.append(notice("case_more_remarks", n=left))
        raise UnusableCaseError(sentences(*reasons) if reasons else notice("case_empty"))
    if len(read.cases) > MOST_CASES:
        raise UnusableCaseError(notice("case_too_many", n=len(read.cases), limit=MOST_CASES))
    return read


# ---- JSON Lines ---------------------------------------------------------------------------------


def _is_lines(text: str) -> bool:
    """Whether the first line is a JSON value of its own, so that the others are meant to be, too."""
    first = text.lstrip().split("\n", 1)[0]
    try:
        return isinstance(bounded_json.loads(first), dict | list | str)
    except ValueError:
        return False


def _read_lines(text: str, origin: str) -> CasesRead:
    """A case a line; lines that are FHIR resources together are one, as a bulk export of a patient writes them."""
    values: list[tuple[str, JsonValue]] = []
    broken: list[Notice] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{origin} line {number}"
        try:
            values.append((where, _parsed(line)))
        except UnusableCaseError as error:
            broken.append(notice("case_skipped", where=where, why=error.notice))
    if are_resources(rows := [value for _, value in values]):
        return CasesRead((case_of_resources(rows, origin),), tuple(broken))
    cases: list[StatedCase] = []
    for where, value in values:
        try:
            cases.append(case_of_json(value, where))
        except UnusableCaseError as error:
            broken.append(notice("case_skipped", where=where, why=error.notice))
    return CasesRead(tuple(cases), tuple(broken))


def _parsed(line: str) -> JsonValue:
    try:
        return _loads(line)
    except UnusableCaseError:
        raise
    except ValueError as error:
        raise UnusableCaseError(notice("case_no_json", why=str(error))) from None


# ---- tables -------------------------------------------------------------------------------------


def _read_table(text: str, origin: str, separator: str | None) -> CasesRead:
    """A table with a line of names: a column has the text, others may have who it is."""
    rows = _rows(text, separator or _separator(text))
    _, head = next(rows, (1, []))
    names = (
        [name.strip().lower().replace(" ", "_") for name in head] if isinstance(head, list) else []
    )
    column = next((name for name in TEXT_FIELDS if name in names), None)
    if column is None:
        raise UnusableCaseError(
            notice("case_no_column", columns=names[:_MOST_NAMED], known=TEXT_FIELDS)
        )
    cases: list[StatedCase] = []
    broken: list[Notice] = []
    for number, row in rows:
        where = f"{origin} line {number}"
        try:
            cases.append(_of_row(names, row, column, where))
        except UnusableCaseError as error:
            broken.append(notice("case_skipped", where=where, why=error.notice))
    return CasesRead(tuple(cases), tuple(broken))


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each row with the line that it begins on, or what is wrong with it."""
    csv.field_size_limit(4 * CHART_BYTES)  # one limit for the whole process; its default is 131,072
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        number = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"{error}; lines {number} to {max(number, rows.line_num)}"
            continue
        if row:
            yield number, row


def _of_row(names: list[str], row: list[str] | str, column: str, where: str) -> StatedCase:
    if isinstance(row, str):
        raise UnusableCaseError(notice("case_row_broken", why=row))
    if len(row) != len(names):
        raise UnusableCaseError(notice("case_row_columns", n=len(row), expected=len(names)))
    fields: dict[str, JsonValue] = {
        name: value for name, value in zip(names, row, strict=True) if value.strip()
    }
    kept = {
        name: fields[name]
        for name in (*ID_FIELDS, *SEX_FIELDS, *BIRTH_FIELDS, *IDENTIFYING)
        if name in fields
    }
    read = case_of_json({**kept, "patient": {"text": str(fields.get(column, ""))}}, where)
    return replace(read, remarks=())


def _separator(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(_SEPARATORS, key=first.count)


# ---- folders ------------------------------------------------------------------------------------


def read_folder(folder: Path, name: str, screen: Screen) -> CasesRead:
    """Every plain file of a folder; those within its folders are told and not read. Raises UnusableCaseError."""
    cases: list[StatedCase] = []
    remarks: list[Notice] = []
    for path, content in folder_files(folder, screen):
        where = f"{name.rstrip('/')}/{path}"
        try:
            if isinstance(content, Notice):
                raise UnusableCaseError(content)
            read = read_cases(content, where)
        except UnusableCaseError as error:
            remarks.append(notice("case_skipped", where=where, why=error.notice))
            continue
        cases += read.cases
        remarks += read.remarks
    if not cases and not remarks:
        raise UnusableCaseError(notice("case_folder_empty"))
    return _usable(CasesRead(tuple(cases), tuple(remarks)))


def folder_files(folder: Path, screen: Screen) -> Iterator[tuple[str, bytes | Notice]]:
    """The files of a folder by name, hidden ones left out, each with its bytes or why it is not read.

    No symbolic link is followed.
    """
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        yield storable_name(entry.name), _content(folder, entry, screen)


def storable_name(name: str) -> str:
    """A file's name as text; bytes that are no UTF-8 are shown as question marks."""
    return os.fsencode(name).decode("utf-8", "replace")


def _content(folder: Path, entry: os.DirEntry[str], screen: Screen) -> bytes | Notice:
    """The bytes of a plain file, or why it is not read."""
    if entry.is_symlink():
        return _unread(UnreadReason.SYMLINK)
    if entry.is_dir(follow_symlinks=False):
        return notice("case_inner_folder")
    if stays_here(os.path.join(folder.resolve(), entry.name), screen):
        return _unread(UnreadReason.NEVER_SENT)
    content = read_inside(folder, os.fsencode(entry.name), FILE_BYTES)
    return _unread(content.code) if isinstance(content, Unread) else content


def _unread(reason: UnreadReason) -> Notice:
    return notice(f"unread_{reason}")
