"""Values that stand apart from their names, or have none: lists, columns, and numbers that their unit names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from shared.patterns import regex
from workers.tools.clinical.quantities import BY_NAME
from workers.tools.clinical.quantity_names import NAMES, quantity_of
from workers.tools.clinical.reading import NUMBER, Reading, read_number
from workers.tools.clinical.units import read_unit, unit_named

_JOINED = regex(
    r"(?<![\w/-])(?P<names>[A-Za-z][A-Za-z0-9+]{0,5}(?:[/-][A-Za-z][A-Za-z0-9+]{0,5}){1,6})[ :=]{1,3}"
    rf"(?P<numbers>(?:{NUMBER})[Kk]?(?:[ ]?[/-][ ]?(?:{NUMBER})[Kk]?){{1,6}})(?![\d])"
)
_VITALS = regex(
    r"(?:\bV/?S\b|[Vv]ital(?: ?[Ss]igns?|s)\b|활력 ?징후)[ \t]{0,2}[:은는이가]?[ \t]{0,3}"
    r"(?P<systolic>\d{2,3})/(?P<diastolic>\d{2,3})(?: ?mmHg)?[ \t]?[-–,][ \t]?"
    r"(?P<heart_rate>\d{2,3})(?:회| ?/min)?[ \t]?[-–,][ \t]?(?P<respiratory_rate>\d{1,2})(?:회| ?/min)?[ \t]?[-–,]"
    r"[ \t]?(?P<temperature>\d{2}(?:\.\d)?)(?!\d)(?: ?(?:℃|°C|C\b))?"
    r"(?:[ \t]?[-–,][ \t]?(?P<oxygen_saturation>\d{2,3}) ?%)?"
)
_BARE_PRESSURE = regex(r"(?<![\d/.])(?P<systolic>\d{2,3})/(?P<diastolic>\d{2,3}) ?mm ?[Hh][Gg]\b")
_BARE_TEMPERATURE = regex(
    r"(?<![\d.,])(?P<temperature>\d{2,3}(?:\.\d{1,2})?) ?(?:° ?C\b|℃|° ?F\b|℉)"
)
_WORD = regex(r"[^\s|]{1,24}")
_NUMERIC = regex(rf"(?:{NUMBER})[HLK*]?")
_RULE = frozenset("-:|=+ \t\r\n")
_LONGEST_LINE = 400
_COLUMNS = 2


def vital_lists(text: str) -> Iterator[Reading]:
    """`V/S 120/80 - 80 - 20 - 36.5`: pressure, pulse, respiration, temperature, as Korean notes have them."""
    for match in _VITALS.finditer(text):
        for group, number in match.groupdict().items():
            if number:
                yield _bare_reading(match, group)


def unnamed(text: str) -> Iterator[Reading]:
    """Pressures and temperatures that their unit names."""
    for match in _BARE_PRESSURE.finditer(text):
        for group in ("systolic", "diastolic"):
            reading = _bare_reading(match, group)
            yield replace(reading, start=match.start(), end=match.end(), unit=unit_named("mmHg"))
    for match in _BARE_TEMPERATURE.finditer(text):
        unit = read_unit(text, match.end("temperature"))
        reading = replace(_bare_reading(match, "temperature"), unit=unit[0] if unit else None)
        low, high = (30, 45) if unit and unit[0].name == "C" else (86, 113)
        if low <= reading.number <= high:
            yield reading


def _bare_reading(match: re.Match[str], group: str) -> Reading:
    name = f"{group}_pressure" if group in ("systolic", "diastolic") else group
    return Reading(
        BY_NAME[name],
        "",
        match.start(group),
        match.end(group),
        match.start(group),
        read_number(match[group]),
    )


def joined(text: str) -> Iterator[Reading]:
    """`Na/K/Cl 140/4.1/102`, `WBC-Hb-Plt 12000-9.1-250K`: as many numbers as names."""
    for match in _JOINED.finditer(text):
        names = _split(match["names"])
        numbers = list(_NUMERIC.finditer(match["numbers"]))
        quantities = [NAMES.fullmatch(name) for name in names]
        if len(names) != len(numbers):
            continue
        for name, number in zip(quantities, numbers, strict=True):
            if name is not None and name.lastgroup:
                start = match.start("numbers") + number.start()
                yield _listed(name, number.group(), start)


def _split(names: str) -> list[str]:
    return names.replace("-", "/").split("/")


def _listed(name: re.Match[str], number: str, start: int) -> Reading:
    thousands = number.endswith(("K", "k"))
    return Reading(
        quantity_of(cast(str, name.lastgroup)),
        name.group(),
        start,
        start + len(number),
        start,
        read_number(number.rstrip("HLKk*")),
        unit=unit_named("K") if thousands else None,
    )


def columns(text: str) -> Iterator[Reading]:
    """A line of names above a line of as many numbers."""
    position = 0
    above: list[re.Match[str] | None] = []
    for line in text.splitlines(keepends=True):
        words = list(_WORD.finditer(line)) if len(line) <= _LONGEST_LINE else []
        if len(above) == len(words):
            for name, word in zip(above, words, strict=True):
                if name is not None and _NUMERIC.fullmatch(word.group()):
                    yield _listed(name, word.group(), position + word.start())
        if not words or not set(line) <= _RULE:
            above = _heads(words)
        position += len(line)


def _heads(words: list[re.Match[str]]) -> list[re.Match[str] | None]:
    """What the words of a line name; nothing unless two of them name quantities."""
    names = [NAMES.fullmatch(word.group()) for word in words]
    return names if sum(name is not None for name in names) >= _COLUMNS else []
