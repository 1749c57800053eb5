"""A case in JSON: both shapes of the clinical critic's design, what people write besides, and FHIR.

`{"patient": {"text": ...}, "cohort_data": {"similar_cases": [...]}}` and
`{"patient_case": {"clinical_text": ...}, "similar_cases": [...]}` are the shapes; the fields of the one are understood
in the other. What else holds the text is told, and so is every field that is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from orchestrator.subjects.case_texts import (
    VARIANT,
    StatedCase,
    UnusableCaseError,
    chart_text,
    iso_date,
    sex_of,
)
from orchestrator.subjects.fhir import RESOURCE_TYPE, fhir_case
from shared.models.notices import Notice, notice

SHAPES = ("patient.text", "patient_case.clinical_text")
_PEOPLE = ("patient", "patient_case")
TEXT_FIELDS = ("text", "clinical_text", "note", "chart", "clinical_note", "case_text")
"""Names of a field with a case's text; those of a table are compared without case and blanks."""
ID_FIELDS = ("id", "patient_id", "case_id", "custom_id", "text_id")
SEX_FIELDS = ("sex", "gender")
BIRTH_FIELDS = ("birth_date", "birthdate", "dob", "date_of_birth")
_READ = frozenset((*TEXT_FIELDS, *ID_FIELDS, *SEX_FIELDS, *BIRTH_FIELDS))
IDENTIFYING = (
    *(
        "name",
        "patient_name",
        "full_name",
        "first_name",
        "last_name",
        "given_name",
        "family_name",
        "guardian",
    ),
    *(
        "phone",
        "telephone",
        "mobile",
        "email",
        "address",
        "mrn",
        "medical_record_number",
        "record_number",
        "ssn",
    ),
    *(
        "성명",
        "이름",
        "환자명",
        "보호자",
        "등록번호",
        "환자번호",
        "주민등록번호",
        "전화번호",
        "연락처",
        "주소",
        "생년월일",
    ),
)
"""Names of fields with identifiers: what they hold is masked in the text."""
_MOST_NAMED = 12


def case_of_json(value: JsonValue, origin: str) -> StatedCase:
    """The case in a JSON value: a text, an object in one of the shapes, or FHIR. Raises UnusableCaseError."""
    if isinstance(value, str):
        return StatedCase(chart_text(value), origin)
    if not isinstance(value, dict):
        raise UnusableCaseError(notice("case_no_object"))
    if RESOURCE_TYPE in value:
        return fhir_case(value, origin)
    text, place = _text(value)
    similar, broken = _similar(value, origin)
    fields = {key.lower(): stated for holder in _holders(value) for key, stated in holder.items()}
    birth = _first(fields, BIRTH_FIELDS)
    remarks = [notice(VARIANT, field=place)] if place not in SHAPES else []
    unread = [*_unread(value)]
    if unread:
        remarks.append(notice("case_fields_unread", fields=unread[:_MOST_NAMED]))
    sex = _first(fields, SEX_FIELDS)
    remarks += _misstated(birth, sex)
    return StatedCase(
        text,
        origin,
        patient=_name(_first(fields, ID_FIELDS)),
        sex=sex_of(sex),
        birth_date=iso_date(birth),
        identifiers=tuple(_identifiers(fields, birth)),
        similar=similar,
        remarks=(*remarks, *broken),
    )


def _misstated(birth: JsonValue, sex: JsonValue) -> Iterator[Notice]:
    if birth is not None and iso_date(birth) is None:
        yield notice("case_birth_date_unread", stated=str(birth)[:40])
    if sex is not None and sex_of(sex) is None:
        yield notice("case_sex_unread", stated=str(sex)[:40])


def _holders(value: Mapping[str, JsonValue]) -> Iterator[Mapping[str, JsonValue]]:
    """Where fields of a case may stand: within `patient` or `patient_case`, else at the top."""
    yield value
    for name in _PEOPLE:
        if isinstance(inner := value.get(name), dict):
            yield inner


def _text(value: Mapping[str, JsonValue]) -> tuple[str, str]:
    """The text and the field that holds it. Raises UnusableCaseError for none, and for two that differ."""
    places = dict(_places(value))
    stated = {place: text for place, text in places.items() if text.strip()}
    if not stated:
        if places:
            raise UnusableCaseError(notice("case_empty"))
        raise UnusableCaseError(notice("case_no_text", fields=[*map(str, value)][:_MOST_NAMED]))
    if len({text.strip() for text in stated.values()}) > 1:
        raise UnusableCaseError(notice("case_two_texts", fields=tuple(stated)))
    place = next((shape for shape in SHAPES if shape in stated), next(iter(stated)))
    return chart_text(stated[place]), place


def _places(value: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """Every field that may hold the text, and does."""
    for name in _PEOPLE:
        inner = value.get(name)
        if isinstance(inner, str):
            yield name, inner
        elif isinstance(inner, dict):
            yield from ((f"{name}.{field}", text) for field, text in _texts(inner))
    yield from _texts(value)


def _texts(fields: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    for name in TEXT_FIELDS:
        if isinstance(text := fields.get(name), str):
            yield name, text


def _similar(
    value: Mapping[str, JsonValue], origin: str
) -> tuple[tuple[StatedCase, ...], tuple[Notice, ...]]:
    """The similar cases that came with it, and which of them cannot be used."""
    cohort = value.get("cohort_data")
    places: dict[str, Any] = {"similar_cases": value.get("similar_cases")}
    if isinstance(cohort, dict):
        places["cohort_data.similar_cases"] = cohort.get("similar_cases")
    cases: list[StatedCase] = []
    broken: list[Notice] = []
    for place, rows in places.items():
        if rows is None:
            continue
        if not isinstance(rows, list):
            broken.append(_skipped(f"{origin} {place}", notice("case_no_list")))
            continue
        read, faults = cases_of_list(rows, f"{origin} {place}")
        cases += read
        broken += faults
    return tuple(cases), tuple(broken)


def cases_of_list(rows: Sequence[JsonValue], where: str) -> tuple[list[StatedCase], list[Notice]]:
    """The cases of a JSON list, counted from 1, and what is wrong with the others."""
    cases: list[StatedCase] = []
    broken: list[Notice] = []
    for number, row in enumerate(rows, start=1):
        origin = f"{where}[{number}]"
        try:
            cases.append(case_of_json(row, origin))
        except UnusableCaseError as error:
            broken.append(_skipped(origin, error.notice))
    return cases, broken


def _skipped(where: str, why: Notice) -> Notice:
    return notice("case_skipped", where=where, why=why)


def _unread(value: Mapping[str, JsonValue]) -> Iterator[str]:
    """The fields that hold something and are not read, by their whole names."""
    known = _READ | {*_PEOPLE, "similar_cases", "cohort_data"}
    yield from (name for name, stated in value.items() if stated and name.lower() not in known)
    for name in (*_PEOPLE, "cohort_data"):
        inner = value.get(name)
        read = {"similar_cases"} if name == "cohort_data" else _READ
        if isinstance(inner, dict):
            yield from (
                f"{name}.{field}"
                for field, stated in inner.items()
                if stated and field.lower() not in read
            )


def _first(fields: Mapping[str, JsonValue], names: Sequence[str]) -> JsonValue:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _identifiers(fields: Mapping[str, JsonValue], birth: JsonValue) -> Iterator[str]:
    for stated in (*(fields.get(name) for name in IDENTIFYING), birth):
        if isinstance(stated, str | int) and not isinstance(stated, bool):
            yield str(stated)[:200]


def _name(stated: JsonValue) -> str:
    return str(stated)[:80] if isinstance(stated, str | int) else ""
