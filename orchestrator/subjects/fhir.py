"""FHIR R4 (hl7.org/fhir/R4) as one chart: a heading for each kind of resource, below it a line each, in order of time.

Read tolerantly and without a library: libraries validate a bundle as a whole, and what is wanted here is everything in
it that can be used. What is not read is told with its type, so that nobody takes it for read.
"""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from orchestrator.subjects.case_texts import (
    StatedCase,
    UnusableCaseError,
    chart_text,
    decoded,
    iso_date,
    sex_of,
)
from orchestrator.subjects.fhir_lines import RESOURCES, observation_heading, time_of
from orchestrator.subjects.fhir_values import (
    Resource,
    ends_before_start,
    inline,
    members,
    moment,
    sort_key,
    text_at,
)
from shared.models.notices import Notice, notice

RESOURCE_TYPE = "resourceType"
_PEOPLE = frozenset(("Patient", "Practitioner", "RelatedPerson"))
_BUNDLE, _PATIENT, _MEDICATION = "Bundle", "Patient", "Medication"
_DOCUMENTS = ("DocumentReference", "DiagnosticReport")
_TEXTS = ("text/plain", "text/markdown", "")
_HEADINGS = (
    "ENCOUNTERS",
    "PROBLEM LIST",
    "ALLERGIES",
    "MEDICATIONS",
    "VITAL SIGNS",
    "LABORATORY RESULTS",
    "OBSERVATIONS",
    "REPORTS",
    "PROCEDURES",
    "ORDERS",
)
_DEEPEST_BUNDLE = 3
_ERROR = "entered-in-error"


@dataclass
class _Reading:
    """What was gathered of an input."""

    origin: str
    named: dict[str, Resource] = field(default_factory=dict)
    lines: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    mistaken: int = 0
    remarks: list[Notice] = field(default_factory=list)

    def resolve(self, reference: JsonValue) -> Resource | None:
        """The resource that a Reference leads to, by its id at the end."""
        name = text_at(reference, "reference")
        return self.named.get(name) or self.named.get("/".join(name.split("/")[-2:]))


def fhir_case(value: dict[str, JsonValue], origin: str) -> StatedCase:
    """The case in a resource or a Bundle. Raises UnusableCaseError where there is nothing in it that a chart says."""
    resources = [*_resources(value, 0)]
    reading = _Reading(origin)
    for name, resource in resources:
        reading.named |= _names(name, resource)
    patient = _patient(resource for _, resource in resources)
    for _, resource in resources:
        _read(resource, reading)
    text = _chart(patient, reading)
    if not text:
        raise UnusableCaseError(notice("fhir_nothing", types=sorted(reading.unread)[:12]))
    return StatedCase(
        chart_text(text),
        origin,
        patient=text_at(patient, "identifier", "value") or text_at(patient, "id"),
        sex=sex_of(patient.get("gender")),
        birth_date=iso_date(patient.get("birthDate")),
        identifiers=tuple(dict.fromkeys(_identifiers(resource for _, resource in resources))),
        remarks=tuple(_remarks(reading)),
    )


def _patient(resources: Iterable[Resource]) -> Resource:
    """Who it is about; nothing where that is not said. Raises UnusableCaseError for several."""
    patients = [resource for resource in resources if resource.get(RESOURCE_TYPE) == _PATIENT]
    names = {text_at(patient, "id") or str(number) for number, patient in enumerate(patients)}
    if len(names) > 1:
        raise UnusableCaseError(notice("fhir_patients", n=len(names)))
    return patients[0] if patients else {}


def are_resources(rows: Sequence[JsonValue]) -> bool:
    """Whether these are resources that belong together: several, none of which is a whole Bundle."""
    return len(rows) > 1 and all(
        isinstance(row, dict) and row.get(RESOURCE_TYPE, _BUNDLE) != _BUNDLE for row in rows
    )


def case_of_resources(rows: Sequence[JsonValue], origin: str) -> StatedCase:
    """The case that they are together. Raises UnusableCaseError."""
    entries: list[JsonValue] = [{"resource": row} for row in rows]
    return fhir_case({RESOURCE_TYPE: _BUNDLE, "entry": entries}, origin)


def _resources(value: JsonValue, depth: int) -> Iterator[tuple[str, Resource]]:
    """Every resource with its full URL, those of bundles within bundles and contained ones as well."""
    if not isinstance(value, dict):
        return
    if value.get(RESOURCE_TYPE) != _BUNDLE:
        yield "", value
        yield from (("", inner) for inner in members(value, "contained"))
        return
    if depth >= _DEEPEST_BUNDLE:
        return
    for entry in members(value, "entry"):
        for name, resource in _resources(entry.get("resource"), depth + 1):
            yield name or inline(entry.get("fullUrl")), resource


def _names(name: str, resource: Resource) -> dict[str, Resource]:
    """By what a reference may call it."""
    own = inline(resource.get("id"))
    names = (name, own and f"{resource.get(RESOURCE_TYPE)}/{own}", own and f"#{own}")
    return {spelling: resource for spelling in names if spelling}


def _read(resource: Resource, reading: _Reading) -> None:
    kind = inline(resource.get(RESOURCE_TYPE)) or "?"
    if kind in (_PATIENT, _MEDICATION):
        return
    verified = text_at(resource, "verificationStatus", "coding", "code")
    if _ERROR in (resource.get("status"), verified):
        reading.mistaken += 1
        return
    if kind not in RESOURCES and kind not in _DOCUMENTS:
        reading.unread[kind] += 1
        return
    has_note = kind in _DOCUMENTS and _read_notes(resource, reading)
    if not (_read_line(kind, resource, reading) or has_note):
        reading.empty[kind] += 1


def _read_line(kind: str, resource: Resource, reading: _Reading) -> bool:
    """Take the line of a resource; whether it has one."""
    known = RESOURCES.get(kind)
    line = "" if known is None else known.line(resource, reading.resolve)
    if known is None or not line:
        return False
    at, shown = time_of(resource, known.times)
    if ends_before_start(resource):
        shown_line = f"{shown}: {line}" if shown else line
        reading.remarks.append(notice("fhir_ends_before_start", kind=kind, line=shown_line[:120]))
    heading = observation_heading(resource) if kind == "Observation" else known.heading
    reading.lines.setdefault(heading, []).append((at, f"{shown}: {line}" if shown else line))
    return True


# ---- documents ----------------------------------------------------------------------------------


def _read_notes(resource: Resource, reading: _Reading) -> bool:
    """Take the texts that a document brings with it; whether there is one."""
    attachments = [
        *(
            row
            for content in members(resource, "content")
            for row in members(content, "attachment")
        ),
        *members(resource, "presentedForm"),
    ]
    before = len(reading.notes)
    for attachment in attachments:
        kind = inline(attachment.get("contentType")).lower()
        title = inline(attachment.get("title")) or inline(resource.get("description"))
        if not attachment.get("data"):
            reading.remarks.append(notice("fhir_elsewhere", title=title or kind))
        elif kind.partition(";")[0].strip() not in _TEXTS:
            reading.remarks.append(notice("fhir_no_text", title=title, kind=kind))
        else:
            _read_note(resource, attachment, title, reading)
    return len(reading.notes) > before


def _read_note(resource: Resource, attachment: Resource, title: str, reading: _Reading) -> None:
    try:
        content = base64.b64decode("".join(str(attachment["data"]).split()), validate=True)
        text = decoded(content).strip()
    except (binascii.Error, ValueError) as error:
        why = error.notice if isinstance(error, UnusableCaseError) else notice("fhir_no_base64")
        name = title or f"{reading.origin}: {resource.get(RESOURCE_TYPE)} {text_at(resource, 'id')}"
        reading.remarks.append(notice("case_skipped", where=name.strip(), why=why))
        return
    stated = (
        inline(resource.get("date"))
        or inline(resource.get("effectiveDateTime"))
        or inline(attachment.get("creation"))
    )
    head = " ".join(filter(None, (moment(stated), title)))
    if text:
        reading.notes.append((stated, "\n".join(filter(None, (head, text)))))


# ---- the chart ----------------------------------------------------------------------------------


def _chart(patient: Resource, reading: _Reading) -> str:
    sections = [
        "\n".join((heading, *_in_order(reading.lines[heading])))
        for heading in _HEADINGS
        if heading in reading.lines
    ]
    sections += ["\n\n".join(("NOTES", *_in_order(reading.notes)))] if reading.notes else []
    about = [*_patient_lines(patient)]
    if about:
        sections.insert(0, "\n".join(("PATIENT", *about)))
    return "\n\n".join(sections)


def _in_order(dated: list[tuple[str, str]]) -> list[str]:
    """Each once: resources are often repeated within a bundle."""
    ordered = sorted(dated, key=lambda row: sort_key(row[0]))
    return [*dict.fromkeys(text for _, text in ordered)]


def _patient_lines(patient: Resource) -> Iterator[str]:
    names = members(patient, "name")
    for whole in map(_whole_name, names[:1]):
        yield from [f"Name: {whole}"] if whole else []
    for label, stated in (
        ("Sex", inline(patient.get("gender"))),
        ("Date of birth", moment(patient.get("birthDate"))),
        ("Date of death", moment(patient.get("deceasedDateTime"))),
        ("Record number", text_at(patient, "identifier", "value")),
        ("Phone", text_at(patient, "telecom", "value")),
        ("Address", _address(patient)),
    ):
        if stated:
            yield f"{label}: {stated}"


def _whole_name(name: Resource) -> str:
    given = name.get("given")
    parts = given if isinstance(given, list) else []
    return inline(name.get("text")) or " ".join(
        filter(None, (*map(inline, parts), inline(name.get("family"))))
    )


def _identifiers(resources: Iterable[Resource]) -> Iterator[str]:
    """What people of the bundle are called, and how they are reached."""
    for resource in resources:
        if resource.get(RESOURCE_TYPE) not in _PEOPLE:
            continue
        for person in (resource, *members(resource, "contact")):
            for name in members(person, "name"):
                yield from filter(None, (_whole_name(name), inline(name.get("family"))))
            for address in members(person, "telecom"):
                yield from filter(None, (inline(address.get("value")),))
            yield from filter(None, (_address(person),))
        for number in members(resource, "identifier"):
            yield from filter(None, (inline(number.get("value")),))


def _address(patient: Resource) -> str:
    for address in members(patient, "address"):
        lines = address.get("line")
        rows = lines if isinstance(lines, list) else [lines]
        parts = (
            *map(inline, rows),
            *(inline(address.get(name)) for name in ("city", "state", "postalCode")),
        )
        return inline(address.get("text")) or ", ".join(filter(None, parts))
    return ""


def _remarks(reading: _Reading) -> Iterator[Notice]:
    if reading.unread:
        types = [f"{kind} ({count})" for kind, count in sorted(reading.unread.items())]
        yield notice("fhir_unread", n=reading.unread.total(), types=types)
    if reading.empty:
        types = [f"{kind} ({count})" for kind, count in sorted(reading.empty.items())]
        yield notice("fhir_says_nothing", n=reading.empty.total(), types=types)
    if reading.mistaken:
        yield notice("fhir_mistaken", n=reading.mistaken)
    yield from reading.remarks
