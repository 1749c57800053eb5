"""What a chart measured: vital signs and laboratory values with units, ranges and dates (docs/design/case-numbers.md).

A number without a unit is in the one unit of its quantity in which it is plausible; where several are, or none of them
is certain, its value stays unknown. A unit that cannot measure its quantity leaves the value unknown, too.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from shared.models.case import Measurement, PatientFacts
from shared.patterns import regex
from workers.tools.clinical.calendar_dates import WrittenDate, find_written_dates
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.quantities import BY_NAME, Quantity
from workers.tools.clinical.reading import Reading
from workers.tools.clinical.readings import find_readings
from workers.tools.clinical.reference_ranges import reference_range
from workers.tools.clinical.units import convert, read_unit

CHART_RANGE = "chart"
"""`Measurement.range_source` where the chart states the range."""
_MANY = 5_000
"""More values than any chart has; what comes after them in a text is not read."""

_OTHER_SPECIMEN = (
    r"urine|urinary|urinalysis|ua\b|csf|cerebrospinal|pleural|synovial|joint fluid|ascit(?:ic|es)|peritoneal|stool"
    r"|sweat|amniotic|sputum|dialysate|소변|요검사|뇨|뇌척수액|흉수|복수|관절액|대변|cord blood|maternal|fetal"
)
_BLOOD = r"serum|plasma|blood (?:tests?|stud(?:y|ies)|work|gas|chemistry|count)|arterial|venous|혈액|혈청|혈장|cbc"
_SPECIMEN = regex(rf"(?i)\b(?:(?P<other>{_OTHER_SPECIMEN})|(?P<blood>{_BLOOD}))")
_SPECIMEN_LINE = regex(
    rf"(?im)(?:^[ \t•*-]{{0,6}}|(?<=\. ))(?:(?P<other>{_OTHER_SPECIMEN})|(?P<blood>{_BLOOD}|chemistry))"
    r"(?:[ \t](?:analysis|studies|sediment|fluid|dipstick|검사|소견))?(?:[ \t]shows?)?[ \t]{0,4}:?[ \t]{0,4}$"
)
_UNREAL = regex(
    r"(?i)\b(?:goals?|targets?|if|unless|until|hold|keep|maintain|call|notify|return|titrate|whenever|normal range"
    r"|reference range|calibrat\w+|for (?:a|any)? ?(?:temp|fever|bp|sbp|hr|spo2))\b|목표|유지"
)
_UNREAL_AFTER = regex(
    r"[ \t]?(?:이상|이하|미만|초과)?(?:[가-힣 ]{0,6})(?:이면|면[ ,]|일 ?경우|시 ?(?:연락|투여|중단|내원)|목표|유지)"
)
_CHILD = regex(
    r"(?i)\bf(?:o?)etal\b|\bf(?:o?)etus\b|\bnewborn|\bneonate|\bthe (?:infant|baby)\b|태아|신생아"
)
_HEADING_LINES = 15
_WHOLE_DAY = len("2024-03-04")
_REACH = 1200
_SHORT_LINE = 60


def find_measurements(chart: Chart, patient: PatientFacts) -> tuple[Measurement, ...]:
    """The values in the order of the text.

    Values of urine, of other fluids and of an unborn child are called so (`other_glucose`) and have no
    range. Goals and conditions ("call if above 38.5") are no values.
    """
    places = _Places(chart)
    return tuple(
        places.measurement(reading, patient)
        for reading in find_readings(chart.text, _MANY)
        if places.real(reading)
    )


def assumed_unit(quantity: Quantity, number: float) -> str | None:
    """The unit of a number that is written without one; None where it could be in several.

    It is the only one of the quantity's usual units in which the number is plausible. A number that is plausible in
    none is in the only one in which it can exist, or, where it can exist in none, in the first: it is wrong in each.
    """
    usual = quantity.usual_units
    for limits in (quantity.plausible, quantity.possible):
        fitting = [unit for unit in usual if within(quantity, number, unit, limits)]
        if len({_in_own(quantity, number, unit) for unit in fitting}) == 1:
            return fitting[0]
        if fitting:
            return None
    return usual[0] if usual else None


def within(quantity: Quantity, number: float, unit: str, limits: tuple[float, float]) -> bool:
    """Whether a number in that unit is within limits in the quantity's own unit."""
    value = _in_own(quantity, number, unit)
    return value is not None and limits[0] <= value <= limits[1]


def _in_own(quantity: Quantity, number: float, unit: str) -> float | None:
    if not unit or unit == quantity.unit:
        return number
    value = convert(number, unit, quantity.unit, quantity.substance) if quantity.unit else None
    return None if value is None else float(f"{value:.6g}")


@dataclass(frozen=True)
class _Resolved:
    """A reading in its quantity's unit, or with what was written instead."""

    value: float | None
    unit: str | None


def _resolve(reading: Reading) -> _Resolved:
    quantity = reading.quantity
    if reading.unit is not None:
        written = reading.unit.name
        if not quantity.unit:
            return _Resolved(reading.number, "" if written in ("%", "K") else written)
        value = _in_own(quantity, reading.number, written)
        return _Resolved(value, quantity.unit if value is not None else written)
    if not quantity.unit:
        return _Resolved(reading.number, "")
    if quantity.name == "inspired_oxygen" and reading.number <= 1:
        return _Resolved(reading.number * 100, quantity.unit)
    unit = assumed_unit(quantity, reading.number)
    return (
        _Resolved(_in_own(quantity, reading.number, unit), quantity.unit)
        if unit
        else _Resolved(None, None)
    )


class _Places:
    """What the place of a reading says of it: which fluid, which date, whether it happened."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        written = islice(find_written_dates(chart.text), _MANY)
        self._dates = [day for day in written if day.iso and len(day.iso) >= _WHOLE_DAY]
        self._date_starts = [day.start for day in self._dates]
        self._headings = list(_SPECIMEN_LINE.finditer(chart.text))
        self._heading_starts = [match.start() for match in self._headings]

    def real(self, reading: Reading) -> bool:
        """No goal, no condition."""
        text = self._chart.text
        start, end = self._chart.sentence_at(reading.start)
        before = text[max(start, reading.start - 50) : reading.start]
        after = text[reading.end : min(end, reading.end + 14)]
        between = text[reading.start : reading.number_start]
        return not (_UNREAL.search(before + between) or _UNREAL_AFTER.match(after))

    def measurement(self, reading: Reading, patient: PatientFacts) -> Measurement:
        quantity = reading.quantity
        resolved = _resolve(reading)
        foreign = (
            self._of_somebody_else(reading, patient)
            if quantity.vital
            else self._in_other_fluid(reading)
        )
        low, high, source = (None, None, "") if foreign else _range(reading, resolved, patient)
        return Measurement(
            span=self._chart.span(reading.start, reading.end),
            name=f"other_{quantity.name}" if foreign else quantity.name,
            value=resolved.value,
            unit=resolved.unit,
            low=low,
            high=high,
            range_source=source,
            date=reading.date or self._date(reading.start),
            division=self._chart.division_at(reading.start),
        )

    def _of_somebody_else(self, reading: Reading, patient: PatientFacts) -> bool:
        """Whether a vital sign is that of an unborn or newborn child in the chart of somebody who is neither."""
        if patient.age_years is not None and patient.age_years < 1:
            return False
        start, _ = self._chart.sentence_at(reading.start)
        before = max(start, reading.start - 100)
        return bool(_CHILD.search(self._chart.text, before, reading.number_start))

    def _in_other_fluid(self, reading: Reading) -> bool:
        """The nearest fluid that is named before it in its sentence, or alone on a line above it."""
        text = self._chart.text
        start, _ = self._chart.sentence_at(reading.start)
        start = max(start, reading.start - 400)
        line = text.rfind("\n", start, reading.start)
        named = list(_SPECIMEN.finditer(text, max(start, line + 1), reading.number_start))
        found = named[-1] if named else None
        if found is None:
            index = bisect_right(self._heading_starts, reading.start) - 1
            if index >= 0:
                found = self._headings[index]
                between = text[found.end() : reading.start]
                if between.count("\n") > _HEADING_LINES or "\n\n" in between:
                    found = None
        return found is not None and found["other"] is not None

    def _date(self, start: int) -> str | None:
        """The date in the same sentence, or the last one on a short line above, in the paragraph."""
        first, last = self._chart.sentence_at(start)
        index = bisect_right(self._date_starts, start)
        before = self._dates[index - 1] if index else None
        after = self._dates[index] if index < len(self._dates) else None
        if before and before.start >= first:
            return before.iso
        if after and after.start < last:
            return after.iso
        return before.iso if before and self._heads(before, start) else None

    def _heads(self, written: WrittenDate, start: int) -> bool:
        """Whether a date stands on a short line above, and no empty line between."""
        text = self._chart.text
        if start - written.end > _REACH or "\n\n" in text[written.end : start]:
            return False
        line_end = text.find("\n", written.end)
        return line_end - text.rfind("\n", 0, written.start) <= _SHORT_LINE


def _range(
    reading: Reading, resolved: _Resolved, patient: PatientFacts
) -> tuple[float | None, float | None, str]:
    """The chart's own range in the quantity's unit, before that of the tables."""
    quantity = reading.quantity
    if reading.low is not None or reading.high is not None:
        unit = reading.range_unit or reading.unit
        stated = unit.name if unit else _unit_in_use(reading, resolved)
        limits = [
            None if limit is None else _in_own(quantity, limit, stated)
            for limit in (reading.low, reading.high)
        ]
        return limits[0], limits[1], CHART_RANGE
    row = reference_range(quantity.name, patient)
    return (row.low, row.high, row.source) if row else (None, None, "")


def _unit_in_use(reading: Reading, resolved: _Resolved) -> str:
    """The unit that was assumed for the number holds for the range beside it."""
    if resolved.value is None or not reading.quantity.unit:
        return ""
    return assumed_unit(reading.quantity, reading.number) or reading.quantity.unit


# ---- what a stored measurement says of how it was written ---------------------------------------


def quantity_of_measurement(measurement: Measurement) -> Quantity | None:
    """The row of its quantity; None for values of other fluids."""
    return BY_NAME.get(measurement.name)


def sign_of(measurement: Measurement) -> str:
    """`<` or `>` where the chart states a bound and no value ("<0.01"), else nothing."""
    match = _SIGN.search(_BESIDE.split(measurement.span.text, maxsplit=1)[0])
    if match is None:
        return ""
    return "<" if match.group()[0] in "<≤" or match.group().startswith(("less", "below")) else ">"


def written_units(measurement: Measurement) -> frozenset[str]:
    """The units that its words state; where there is none, it is assumed or unknown."""
    text = measurement.span.text
    units = (read_unit(text, match.end()) for match in _DIGITS.finditer(text))
    return frozenset(unit[0].name for unit in units if unit)


_SIGN = regex(r"(?:[<>≤≥]=?|less than|greater than|more than|below|above|(?<!\d )over)[ \t]?(?=\d)")
_BESIDE = regex(r"[(\[|][ \t]?(?:[A-Za-z가-힣]{1,16}[ \t:=]{0,3}){0,3}[<>≤≥]|[ \t]{2}[<>≤≥]")
"""Where a range of one limit begins beside a value: its sign is not that of the value."""
_DIGITS = regex(r"\d[\d.,]{0,8}")
