"""Values in tables whose columns are days or hours, in rows of blood gases, and heights in feet and inches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import cast

from shared.patterns import regex
from workers.tools.clinical.calendar_dates import find_written_dates
from workers.tools.clinical.quantities import BY_NAME
from workers.tools.clinical.quantity_names import NAMES, quantity_of
from workers.tools.clinical.reading import NUMBER, Reading, read_number
from workers.tools.clinical.units import Unit, read_unit, unit_named

_LONGEST_LINE = 400
_LEAST_COLUMNS = 2
_WHOLE_DAY = len("2024-03-04")
_LAST_MONTH = 12
_COLUMN = (
    r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)"
    r"|\d{1,2}월 ?\d{1,2}일"
    r"|[01]?\d:[0-5]\d|2[0-3]:[0-5]\d|(?:HD|POD|DOL|D|[Dd]ay|Hospital [Dd]ay) ?#?\d{1,3}|#\d|입원 ?\d{1,2}일"
    r"|[Aa]dmission|[Dd]ischarge|[Tt]oday|[Yy]esterday|[Bb]aseline"
)
_HEAD = regex(rf"(?<![\w./:-])(?:{_COLUMN})(?![\w/:-])")
_GRADE = regex(r"[0-5]/5")
"""A grade of strength ("4/5"), of which several in a row are no days of May."""
_DATED = regex(
    r"(?:(?P<year>(?:19|20)\d\d)[-/.])?(?P<a>\d{1,2})(?:[/.-]|월 ?)(?P<b>\d{1,2})일?(?:[/.](?P<late>\d{4}|\d\d))?"
)
_CLOCK = regex(r"(?P<hour>\d{1,2}):(?P<minute>\d\d)")
_HEAD_WORDS = regex(r"[ \t|]*(?:[^\s|]{1,24}[ \t]?){0,3}[ \t|]*")
_EDGE = regex(r"[ \t]*\|?[ \t]*(?:[•*-][ \t]+)?")
_LABEL = regex(r"[ \t]?(?:[(\[,][ \t]?(?P<inside>[^()\[\]\d|\n]{1,16})[)\]]?)?[ \t]*[:|]?[ \t]*")
_CELL = regex(r"[^ \t|](?:[^\t|\n ]| (?![ \t|]))*")
_VALUE = regex(rf"(?P<sign>[<>])? ?(?P<number>{NUMBER})(?:/(?P<second>\d{{2,3}}))?(?![\d/:])")
_RULE = frozenset("-:|=+ \t\r\n")
_EMPTY_CELLS = frozenset({"-", "--", "—", "–", "n/a", "N/A", "."})

_GAS = regex(
    r"(?i)(?:\b(?P<venous>VBG)\b|\bABGs?\b|\b(?:arterial )?blood gas\w{0,2}\b|동맥혈 ?가스(?: ?분석)?(?: ?검사)?)"
    r"[^\n\d/]{0,30}"
    r"(?P<ph>\d{1,2}\.\d{1,2}) ?[/-] ?(?P<pco2>\d{2,3}) ?[/-] ?(?P<po2>\d{2,3}) ?[/-] ?"
    r"(?P<bicarbonate>\d{1,2})(?![\d/])"
)
_FEET = regex(
    r"(?<![\d./])(?P<feet>[2-7]) ?(?:['’′]|ft\.?\b|feet\b|foot\b) ?(?P<inches>1[01]|\d)(?:\.\d)? ?"
    r"(?:[\"”″]|''|in(?:ch(?:es)?)?\b)"
)
_INCHES = 12
_CENTURY, _TWO_DIGITS = 2000, 100


def dated_columns(text: str) -> Iterator[Reading]:
    """Rows below a line of days or hours: a name, and a value for each column."""
    known = _note_day(text)
    heads: list[str | None] = []
    position = 0
    for line in text.splitlines(keepends=True):
        columns = _heads(line, known)
        if columns:
            heads = columns
        elif heads and line.strip() and not set(line) <= _RULE:
            if len(line) <= _LONGEST_LINE:
                yield from _row(line, position, heads)
        elif not line.strip():
            heads = []
        position += len(line)


def _heads(line: str, known: date | None) -> list[str | None]:
    """The dates of the columns, None for one that no calendar knows; nothing if the line is no head of a table."""
    heads = list(_HEAD.finditer(line)) if len(line) <= _LONGEST_LINE else []
    names = [match.group() for match in heads]
    if len(set(names)) < max(_LEAST_COLUMNS, len(names)) or all(map(_GRADE.fullmatch, names)):
        return []
    return [] if _has_more(line, heads) else _dates(names, known)


def _has_more(line: str, heads: list[re.Match[str]]) -> bool:
    """Whether the line has more than a few words before its heads: the line of a sentence, or a row of values."""
    if _name_of_row(line) or not _HEAD_WORDS.fullmatch(line, 0, heads[0].start()):
        return True
    ends = [match.end() for match in heads]
    starts = [match.start() for match in heads[1:]] + [len(line)]
    return any(line[a:b].strip(" \t|\r\n") for a, b in zip(ends, starts, strict=True))


def _dates(heads: list[str], known: date | None) -> list[str | None]:
    days = [_DATED.fullmatch(head) for head in heads]
    swapped = any(
        day and not day["year"] and ("." in day.group() or int(day["a"]) > _LAST_MONTH)
        for day in days
    )
    return [
        _of_day(day, known, swapped=swapped) if day else _of_clock(head, known)
        for head, day in zip(heads, days, strict=True)
    ]


def _of_day(day: re.Match[str], known: date | None, *, swapped: bool) -> str | None:
    month, number = (int(day["b"]), int(day["a"])) if swapped else (int(day["a"]), int(day["b"]))
    written = day["year"] or day["late"]
    try:
        if written:
            return date(_century(int(written)), month, number).isoformat()
        if known:
            # A day of the last weeks of a year stands in a note of the next.
            return date(known.year - int(month > known.month + 1), month, number).isoformat()
    except ValueError:
        pass
    return None


def _century(year: int) -> int:
    return year + _CENTURY if year < _TWO_DIGITS else year


def _of_clock(head: str, known: date | None) -> str | None:
    clock = _CLOCK.fullmatch(head)
    if clock is None or known is None:
        return None
    return f"{known.isoformat()}T{int(clock['hour']):02}:{clock['minute']}"


def _note_day(text: str) -> date | None:
    """The first whole day of the text, which says the year of days without one."""
    for written in find_written_dates(text):
        if written.iso and len(written.iso) >= _WHOLE_DAY:
            return date.fromisoformat(written.iso[:_WHOLE_DAY])
    return None


def _name_of_row(line: str) -> re.Match[str] | None:
    """The quantity that a line begins with."""
    edge = _EDGE.match(line)
    return NAMES.match(line, edge.end() if edge else 0)


def _row(line: str, position: int, heads: list[str | None]) -> Iterator[Reading]:
    name = _name_of_row(line)
    label = _LABEL.match(line, name.end()) if name else None
    if name is None or label is None:
        return
    unit = read_unit(label["inside"].strip(), 0) if label["inside"] else None
    cells = list(_CELL.finditer(line.rstrip("\r\n"), label.end()))
    if len(cells) != len(heads) and not _spaced(cells, heads):
        return
    for cell, day in zip(cells, heads, strict=False):
        value = _VALUE.match(cell.group())
        if value:
            whole = _of_table(name, value, position + cell.start())
            whole = replace(whole, unit=unit[0] if unit else None, date=day)
            yield from _of_cell(whole, cell, value, position)


def _of_table(name: re.Match[str], value: re.Match[str], offset: int) -> Reading:
    start = offset + value.start("number")
    return Reading(
        quantity_of(cast(str, name.lastgroup)),
        name.group(),
        start,
        offset + value.end(),
        start,
        read_number(value["number"]),
        sign=value["sign"] or "",
    )


def _spaced(cells: list[re.Match[str]], heads: list[str | None]) -> bool:
    """Whether a unit or a range stands after as many values as there are columns."""
    values = [bool(_VALUE.match(cell.group())) or cell.group() in _EMPTY_CELLS for cell in cells]
    return len(cells) > len(heads) and all(values[: len(heads)])


def _of_cell(
    whole: Reading, cell: re.Match[str], value: re.Match[str], position: int
) -> Iterator[Reading]:
    """A cell's value with the unit in it, or both pressures."""
    if whole.quantity.name == "blood_pressure":
        if value["second"]:
            second = position + cell.start() + value.start("second")
            yield replace(whole, quantity=BY_NAME["systolic_pressure"])
            yield replace(
                whole,
                quantity=BY_NAME["diastolic_pressure"],
                number_start=second,
                number=float(value["second"]),
            )
        return
    if value["second"]:
        return
    written: tuple[Unit, int] | None = read_unit(cell.group(), value.end())
    if written and written[0].name in whole.quantity.all_units:
        yield replace(whole, unit=written[0], end=position + cell.start() + written[1])
    else:
        yield whole


def gas_rows(text: str) -> Iterator[Reading]:
    """`ABG 7.36/38/88/22`: pH, pCO2, pO2 and bicarbonate; of venous blood without the pO2."""
    for match in _GAS.finditer(text):
        for name in ("ph", "pco2", "po2", "bicarbonate"):
            if not (name == "po2" and match["venous"]):
                start, end = match.span(name)
                yield Reading(BY_NAME[name], name, start, end, start, read_number(match[name]))


def heights(text: str) -> Iterator[Reading]:
    """`5'7"` and `5 ft 7 in`."""
    for match in _FEET.finditer(text):
        number = float(int(match["feet"]) * _INCHES + int(match["inches"]))
        yield Reading(
            BY_NAME["height"],
            "",
            match.start(),
            match.end(),
            match.start(),
            number,
            unit=unit_named("in"),
        )
