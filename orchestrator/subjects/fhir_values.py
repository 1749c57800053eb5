"""Values of FHIR resources (R4), read from whatever somebody wrote there: a wrong type is as good as nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from pydantic import JsonValue

Resource = dict[str, JsonValue]
_UCUM = {
    "mm[Hg]": "mmHg",
    "Cel": "°C",
    "[degF]": "°F",
    "{beats}/min": "/min",
    "{breaths}/min": "/min",
    "[lb_av]": "lb",
    "[in_i]": "in",
    "10*3/uL": "x10^3/uL",
    "10*6/uL": "x10^6/uL",
    "10*9/L": "x10^9/L",
    "10*12/L": "x10^12/L",
    "[IU]/L": "IU/L",
    "m[IU]/L": "mIU/L",
    "1": "",
}
"""Codes of UCUM (unitsofmeasure.org) as notes write them."""
_LONGEST = 2000


def inline(value: JsonValue) -> str:
    """A text on one line; nothing for anything else."""
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def member(value: JsonValue, *path: str) -> JsonValue:
    """What stands there, the first of a list at each step; None where there is nothing."""
    for name in path:
        value = first(value)
        value = value.get(name) if isinstance(value, dict) else None
    return value


def first(value: JsonValue) -> JsonValue:
    """The first of a list, or the value itself."""
    if isinstance(value, list):
        return value[0] if value else None
    return value


def members(value: JsonValue, name: str) -> list[Resource]:
    """The objects of a list, or the one object."""
    inner = value.get(name) if isinstance(value, dict) else None
    rows = inner if isinstance(inner, list) else [inner]
    return [row for row in rows if isinstance(row, dict)]


def text_at(value: JsonValue, *path: str) -> str:
    """The text that stands there, on one line."""
    return inline(first(member(value, *path)))


def concept(value: JsonValue) -> str:
    """A CodeableConcept in words: its text, else a coding's display, else its code."""
    value = first(value)
    if not isinstance(value, dict):
        return inline(value)
    codings = members(value, "coding")
    shown = (*(inline(coding.get("display")) for coding in codings),)
    codes = (*(inline(coding.get("code")) for coding in codings),)
    return next(filter(None, (inline(value.get("text")), *shown, *codes)), "")


def concepts(value: Resource, name: str) -> str:
    """All of a list of CodeableConcepts, with commas."""
    return ", ".join(filter(None, map(concept, members(value, name))))


def codes_of(value: JsonValue) -> frozenset[str]:
    """The codes of a CodeableConcept."""
    found = (inline(coding.get("code")) for coding in members(first(value), "coding"))
    return frozenset(filter(None, found))


def number(value: JsonValue) -> str:
    """A number as it is written in a note; nothing for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return inline(value)
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else f"{value}"


def quantity(value: JsonValue) -> str:
    """A Quantity: `5.9 mmol/L`, `< 0.01 ng/mL`."""
    value = first(value)
    if not isinstance(value, dict) or not (amount := number(value.get("value"))):
        return ""
    return " ".join(filter(None, (inline(value.get("comparator")), amount, unit(value))))


def unit(value: Resource) -> str:
    """The unit of a Quantity as notes write it."""
    stated = inline(value.get("unit")) or inline(value.get("code"))
    return _UCUM.get(stated, stated)


def choice(value: Resource, name: str) -> Iterator[tuple[str, JsonValue]]:
    """The members `value[x]` of that name with their type: `("Quantity", {...})` of `valueQuantity`."""
    for key, stated in value.items():
        if key.startswith(name) and key != name and stated is not None:
            yield key.removeprefix(name), stated


def spoken(value: Resource, name: str) -> str:
    """A `value[x]` in words."""
    for kind, stated in choice(value, name):
        if (say := _KINDS.get(kind)) is not None:
            return say(stated)
    return ""


def span_of(value: JsonValue) -> str:
    """A Range, or a reference range: `3.5-5.1 mmol/L`, `< 5 ng/mL`, or its text."""
    value = first(value)
    if not isinstance(value, dict):
        return ""
    low, high = (number(member(value.get(end), "value")) for end in ("low", "high"))
    unit_of = unit(next(iter([*members(value, "high"), *members(value, "low")]), {}))
    if low and high:
        stated = f"{low}-{high}"
    else:
        stated = f">= {low}" if low else f"<= {high}" if high else ""
    return " ".join(filter(None, (stated, unit_of))) if stated else inline(value.get("text"))


# ---- times --------------------------------------------------------------------------------------


def moment(value: JsonValue) -> str:
    """A FHIR date or dateTime as a note writes it: `2024-03-01 14:30`, `2024-03`; seconds and zone are left out."""
    stated = inline(first(value))
    day, separator, time = stated.partition("T")
    return f"{day[:10]} {time[:5]}" if separator and time else day[:10]


def period(value: JsonValue) -> str:
    """`2024-03-01 to 2024-03-05`; one end where only that is known."""
    value = first(value)
    if not isinstance(value, dict):
        return ""
    start, end = moment(value.get("start")), moment(value.get("end"))
    if start and end and start != end:
        return f"{start} to {end}"
    return start or (f"until {end}" if end else "")


def ends_before_start(resource: JsonValue) -> bool:
    """Whether one of its periods, or its abatement, ends before it begins, as far as both ends are stated."""
    if not isinstance(resource, dict):
        return False
    periods = [value for value in map(first, resource.values()) if isinstance(value, dict)]
    ends = [(inline(each.get("start")), inline(each.get("end"))) for each in periods]
    ends.append((inline(resource.get("onsetDateTime")), inline(resource.get("abatementDateTime"))))
    return any(start and end and _is_after(start, end) for start, end in ends)


def _is_after(start: str, end: str) -> bool:
    if "T" in start and "T" in end:
        return sort_key(start) > sort_key(end)
    known = min(len(start), len(end), len("2024-03-05"))
    return start[:known] > end[:known]


def sort_key(stated: str) -> tuple[bool, str]:
    """In order of time, whatever the zones; what has no time comes last."""
    try:
        at = datetime.fromisoformat(stated)
    except ValueError:
        return not stated, stated
    zoned = at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
    return False, zoned.isoformat() if "T" in stated else stated


# ---- the types of a `value[x]` ------------------------------------------------------------------


def _ratio(value: JsonValue) -> str:
    parts = (quantity(member(value, part)) for part in ("numerator", "denominator"))
    return " / ".join(filter(None, parts))


_KINDS: Mapping[str, Callable[[JsonValue], str]] = {
    "Quantity": quantity,
    "Age": quantity,
    "CodeableConcept": concept,
    "Coding": lambda value: text_at(value, "display"),
    "Boolean": lambda value: "yes" if value is True else "no",
    "Range": span_of,
    "Ratio": _ratio,
    "Period": period,
    "DateTime": moment,
} | dict.fromkeys(("Integer", "Decimal", "String", "Time", "Date"), number)
