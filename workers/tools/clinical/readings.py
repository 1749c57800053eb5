"""Numbers beside the names of quantities, as notes write them, before anybody asks what they mean.

Every expression here is bounded, so that a hostile text of a megabyte takes seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import cast

from shared.patterns import regex
from workers.tools.clinical.quantities import BY_NAME, Quantity
from workers.tools.clinical.quantity_names import CONDITIONS, NAMES, WEAK, quantity_of
from workers.tools.clinical.reading import NUMBER, Reading, read_number
from workers.tools.clinical.units import Unit, read_unit
from workers.tools.clinical.value_lists import columns, joined, unnamed, vital_lists
from workers.tools.clinical.value_tables import dated_columns, gas_rows, heights

_DASH = r"(?:-|–|—|~|〜|∼|â€“|to\b)"
_FILLER = (
    r"is|was|are|were|be|been|being|has|had|of|at|on|in|to|a|an|the|with|level|levels|count|counts|concentration|value"
    r"|values|reading|readings|rate|today|now|currently|again|still|also|only|just|measured|found|noted|recorded"
    r"|shows?|showed|reveals?|revealed|reads?|approximately|approx\.?|about|around|roughly|elevated|increased|raised"
    r"|decreased|reduced|low|high|normal|stable|regular"
    r"|(?:rose|risen|fell|fallen|dropped|drops|climbed|went|gone|up|down)(?= (?:to|from)\b)"
    r"|came|back|this|morning|evening|night|it|admission|arrival|presentation|exam|repeat|initial|serum"
    r"|plasma|random|fasting|room|air|ra|after"
    r"|activity|slightly|mildly|markedly|significantly|severely|total|improved|worsened|out|but|very|and"
)
_KOREAN_FILLER = (
    r"은|는|이|가|을|를|도|의|수치|농도|검사|결과|값|약|현재|오늘|내원|당시|입원|시|측정|에서|상|정상|상승|감소|저하|증가"
    r"|하여|되어|했고|으로|로|최고|최대|까지"
)
_CONNECT = regex(
    r"(?:[ \t]?\([^()\n\d]{1,40}\))?"
    rf"(?:[ \t]{{0,8}}(?:[:=|,*]|\(!\)|≈|↑{{1,3}}|↓{{1,3}}|(?i:{_FILLER})\b(?!-)|{_KOREAN_FILLER})){{0,7}}"
    r"[ \t]{0,12}\(?"
    r"(?P<sign>[<>≤≥]=?|less than|greater than|more than|below|above|over)?[ \t]?"
    rf"(?P<number>{NUMBER})(?P<tail>(?![\d.,]?\d))"
)
_FROM_TO = regex(rf"(?:{_FILLER}|[ \t]){{0,12}}\bfrom[ \t]")
_PRESSURE = regex(
    rf"[ \t]?(?:/|[ \t]over[ \t])[ \t]?(?P<diastolic>\d{{2,3}}(?:\.\d)?)(?!\d|/\d|[ \t]?{_DASH}[ \t]?\d)"
)
_CHAIN = regex(
    rf"[ \t]{{0,3}}(?:→|-{{1,2}}>|=>|⇒|>{{2}}|\||➔)[ \t]{{0,3}}(?P<number>{NUMBER})(?![\d.,]?\d)"
)
_CHAIN_TO = regex(rf"[ \t]to[ \t](?P<number>{NUMBER})(?![\d.,]?\d)")
_SPREAD = regex(
    rf"[ \t]?(?:{_DASH})[ \t]?\d|'?s\b|\+|/\d|[ \t]?x[ \t]?\d|-?[ \t]?fold\b|[ \t]?:[ \t]?\d"
)
_COUNTED = regex(
    r"(?i)[ \t-]{0,2}(?:years?|yrs?|y/?o|months?|mos?|weeks?|wks?|days?|hours?|hrs?(?![ :]{1,2}\d)"
    r"|(?-i:h)|minutes?|mins?|times|episodes?"
    r"|packs?|doses?|tabs?|caps?|o'clock|st|nd|rd|th|am|pm|%? of|or more|points?)\b"
    r"|[ \t]?(?:세|년|월|일|시간|주|개월|차|번|살|명|갑|배)"
)
_SCALE = regex(r"[ \t]?/[ \t]?(?:10|15)\b|[ \t]out[ \t]of[ \t](?:10|ten|15)\b|점")
_REFERENCE = regex(
    r"[ \t]{0,4}(?:\*{1,2}|[HL]{1,2}\b|\((?:H|L|high|low|HIGH|LOW)\)|↑|↓|▲|▼)?[ \t]{0,4}"
    r"(?P<open>[\(\[|]|[ \t]{2,8}|(?<=[)HL*↑↓▲▼] )|(?=(?i:ref|normal|정상|참고)))[ \t]{0,4}"
    r"(?:(?i:ref(?:erence)?(?:[ \t](?:range|interval))?|normal(?:[ \t](?:range|value))?|nl|n|rr|정상(?:치|범위)?"
    r"|참고(?:치|범위)?)(?:[ \t]for[ \t](?:(?:fe)?males?|(?:wo)?men|adults|age))?)?[ \t]{0,2}[:=]?[ \t]{0,2}"
    rf"(?:(?P<low>{NUMBER})[ \t]?{_DASH}[ \t]?(?P<high>{NUMBER})|(?P<sign>[<>≤≥]=?)[ \t]?(?P<limit>{NUMBER}))"
)
_SECOND = regex(rf"[ \t]?[\(/][ \t]?(?P<number>{NUMBER})(?![\d.,]?\d)")
_PARENTHESIS = regex(r"[ \t]?[\)\]][ \t]?")
_OUNCES = regex(r"[ \t,]{0,3}(?:and )?\d{1,2}(?:\.\d)? ?(?:oz|ounces?)\b")
_LETTERS = frozenset({"K", "C", "F", "in", "s", "m", "g"})
"""Units that are words or letters as well: of a quantity that is never stated in them they are none."""
_CELL = regex(r"[ \t]{0,8}\|")
_LEVEL = regex(r"(?i)level|trough|concentration|농도|최저")


def find_readings(text: str, most: int | None = None) -> list[Reading]:
    """The first `most` of them, in order, none twice.

    A name that means other things, too, counts beside another value only.
    """
    readings: dict[int, Reading] = {}
    for source in (dated_columns, gas_rows, heights, vital_lists, joined, columns, _named, unnamed):
        for reading in islice(source(text), most):
            readings.setdefault(reading.number_start, reading)
    ordered = [readings[key] for key in sorted(readings)]
    return _without_overlaps(_strong(ordered[:most]))


def _strong(readings: list[Reading]) -> list[Reading]:
    """Without the weak names that stand alone: their number must be within 40 characters of another value."""
    near = 40
    kept = []
    for i, reading in enumerate(readings):
        neighbours = readings[max(0, i - 1) : i] + readings[i + 1 : i + 2]
        degrees = reading.name == "T" and reading.unit is not None
        if (
            reading.name not in WEAK
            or degrees
            or any(abs(other.number_start - reading.number_start) <= near for other in neighbours)
        ):
            kept.append(reading)
    return kept


def _without_overlaps(readings: list[Reading]) -> list[Reading]:
    kept: list[Reading] = []
    for reading in readings:
        if (
            not kept
            or reading.number_start >= kept[-1].end
            or (reading.start, reading.end) == (kept[-1].start, kept[-1].end)
        ):
            kept.append(reading)
    return kept


def _named(text: str) -> Iterator[Reading]:
    for match in NAMES.finditer(text):
        quantity = quantity_of(cast(str, match.lastgroup))
        start = match.end()
        origin = _FROM_TO.match(text, start)
        value = _CONNECT.match(text, origin.end() if origin else start)
        if value is None:
            continue
        readings = _reading(text, quantity, match, value, moves=bool(origin))
        yield from readings
        if readings:
            yield from _chain(text, readings[-1], _CHAIN_TO if origin else _CHAIN)


def _reading(
    text: str, quantity: Quantity, name: re.Match[str], value: re.Match[str], *, moves: bool
) -> list[Reading]:
    """What the number says, with its unit, its range and its repetition; nothing where it measures nothing.

    `moves`: it is told where the value comes from and where it goes to.
    """
    end = value.end("number")
    first = Reading(
        quantity,
        name.group(),
        name.start(),
        end,
        value.start("number"),
        read_number(value["number"]),
        _sign(value["sign"]),
    )
    if quantity.name == "blood_pressure":
        return _pressures(text, first)
    if quantity.name in ("pain", "coma_scale"):
        scale = _SCALE.match(text, end)
        return [replace(first, end=scale.end() if scale else end)]
    measured = _with_unit(text, first, moves=moves)
    if measured is None or (_needs_unit(measured) and measured.unit is None):
        return []
    return _repeated(text, measured) or [_with_range(text, measured)]


def _with_unit(text: str, reading: Reading, *, moves: bool) -> Reading | None:
    """The reading with the unit that follows it; None for a dose, a duration, a range or a part of a word."""
    end = reading.end
    rule = _CELL.match(text, end)
    written = read_unit(text, rule.end() if rule else end)
    if written is None:
        return reading if _stands_alone(text, end, moves=moves) else None
    unit, unit_end = written
    if unit.name in _LETTERS and unit.name not in reading.quantity.all_units:
        return reading if _stands_alone(text, end, moves=moves) else None
    solution = unit.name == "%" and "%" not in reading.quantity.all_units
    return (
        None if solution or unit.dimension == "dose" else replace(reading, unit=unit, end=unit_end)
    )


def _stands_alone(text: str, end: int, *, moves: bool) -> bool:
    """Whether a number without a unit is a value: no end of a range, no duration, no part of a word."""
    spread = not moves and _SPREAD.match(text, end)
    return not (spread or _COUNTED.match(text, end) or _glued(text, end))


def _needs_unit(reading: Reading) -> bool:
    """Whether a condition or a drug named the value: "tachycardia, 130" and "digoxin 0.25" may be anything."""
    if reading.quantity.drug and not _LEVEL.search(reading.name):
        return True
    return reading.quantity.name != "temperature" and bool(CONDITIONS.search(reading.name))


def _glued(text: str, end: int) -> bool:
    return end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_")


def _sign(written: str | None) -> str:
    if not written:
        return ""
    return "<" if written[0] in "<≤" or written in ("less than", "below") else ">"


def _pressures(text: str, first: Reading) -> list[Reading]:
    """Both numbers of a blood pressure, or the one that is called systolic; a range of pressures is neither."""
    match = _PRESSURE.match(text, first.end)
    systolic, diastolic = BY_NAME["systolic_pressure"], BY_NAME["diastolic_pressure"]
    if match is None:
        unit = read_unit(text, first.end)
        end = unit[1] if unit else first.end
        if text[end : end + 10].lstrip().lower().startswith("systolic"):
            return [replace(first, quantity=systolic, unit=unit[0] if unit else None, end=end)]
        return []
    unit = read_unit(text, match.end())
    pressure = unit if unit and unit[0].dimension == "pressure" else None
    end = pressure[1] if pressure else match.end()
    whole = replace(first, unit=pressure[0] if pressure else None, end=end)
    return [
        replace(whole, quantity=systolic),
        replace(
            whole,
            quantity=diastolic,
            number_start=match.start("diastolic"),
            number=read_number(match["diastolic"]),
        ),
    ]


def _repeated(text: str, reading: Reading) -> list[Reading]:
    """The reading and the same value in another unit ("38.1 C (100.6 F)"); nothing where there is none."""
    match = _SECOND.match(text, reading.end)
    unit = read_unit(text, match.end("number")) if match and reading.unit else None
    if not match or not unit or not reading.unit or unit[0].name == reading.unit.name:
        return []
    if unit[0].name not in reading.quantity.all_units or _OUNCES.match(text, unit[1]):
        return []
    second = replace(
        reading,
        start=match.start("number"),
        number_start=match.start("number"),
        end=unit[1],
        number=read_number(match["number"]),
        unit=unit[0],
        second=True,
    )
    return [reading, second]


def _with_range(text: str, reading: Reading) -> Reading:
    """The reading with the range that stands beside it, and with the unit after that where it has none."""
    match = _REFERENCE.match(text, reading.end)
    if match is None:
        return reading
    low, high = _limits(match)
    if low is not None and high is not None and low >= high:
        return reading
    unit, end = _unit_of_range(text, match.end(), late=reading.unit is None)
    return replace(reading, low=low, high=high, range_unit=unit, unit=reading.unit or unit, end=end)


def _unit_of_range(text: str, end: int, *, late: bool) -> tuple[Unit | None, int]:
    """The unit within the parenthesis of a range, or, where it may come `late`, after it; and where all of it ends."""
    unit, inside = _known_unit(text, end)
    closing = _PARENTHESIS.match(text, inside)
    if closing is None:
        return unit, inside
    if unit is None and late:
        return _known_unit(text, closing.end())
    return unit, closing.end()


def _known_unit(text: str, end: int) -> tuple[Unit | None, int]:
    """The unit at `end` and its own end; none, and `end`, where there is none or that of a dose."""
    unit = read_unit(text, end)
    return unit if unit and unit[0].dimension != "dose" else (None, end)


def _limits(match: re.Match[str]) -> tuple[float | None, float | None]:
    if match["limit"]:
        limit = read_number(match["limit"])
        return (None, limit) if _sign(match["sign"]) == "<" else (limit, None)
    return read_number(match["low"]), read_number(match["high"])


def _chain(text: str, reading: Reading, pattern: re.Pattern[str]) -> Iterator[Reading]:
    """The values that follow with arrows ("5.9 -> 4.1"), or after "from ... to"."""
    for _ in range(40):
        match = pattern.match(text, reading.end)
        if (
            match is None
            or _SPREAD.match(text, match.end())
            or reading.quantity.name.endswith("_pressure")
        ):
            return
        unit = read_unit(text, match.end())
        known = unit if unit and unit[0].dimension != "dose" else None
        reading = replace(
            reading,
            start=match.start("number"),
            number_start=match.start("number"),
            end=known[1] if known else match.end(),
            number=read_number(match["number"]),
            unit=known[0] if known else reading.unit,
            sign="",
        )
        yield reading
        pattern = _CHAIN
