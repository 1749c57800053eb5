"""What a FHIR resource (R4) says, as a line of a chart. A row of `RESOURCES` is all that a resource type needs.

A line says in the words of a note what the resource's status means (`no`, `suspected`, `history of`, `planned`), so
that whoever reads the chart by its words understands it: code of another system is nothing that a note holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from orchestrator.subjects.fhir_values import (
    Resource,
    codes_of,
    concept,
    concepts,
    first,
    inline,
    member,
    members,
    moment,
    number,
    period,
    quantity,
    span_of,
    spoken,
    text_at,
)

Resolve = Callable[[JsonValue], Resource | None]
"""The resource that a Reference leads to, within the same input."""


@dataclass(frozen=True)
class ResourceType:
    """Under which heading its lines stand, how one is made (empty: it says nothing), and where its time is."""

    heading: str
    line: Callable[[Resource, Resolve], str]
    times: tuple[str, ...] = ()


VITAL_SIGNS, LABORATORY, OBSERVATIONS = "VITAL SIGNS", "LABORATORY RESULTS", "OBSERVATIONS"
_SYSTOLIC, _DIASTOLIC = "8480-6", "8462-4"
"""LOINC codes."""


def _joined(*parts: str, between: str = ", ") -> str:
    return between.join(filter(None, parts))


def _with(text: str, *remarks: str) -> str:
    """The text with remarks in parentheses."""
    inner = "; ".join(filter(None, remarks))
    return f"{text} ({inner})" if text and inner else text


def _status(resource: Resource, name: str) -> str:
    stated = resource.get(name)
    return inline(stated) if isinstance(stated, str) else next(iter(codes_of(stated)), "")


def _notes(resource: Resource) -> str:
    return _joined(*(inline(note.get("text")) for note in members(resource, "note")), between="; ")


# ---- resource types -----------------------------------------------------------------------------


def _encounter(resource: Resource, _resolve: Resolve) -> str:
    kind = text_at(resource, "class", "display") or text_at(resource, "class", "code")
    what = concepts(resource, "type") or "encounter"
    discharge = concept(member(resource, "hospitalization", "dischargeDisposition"))
    return _with(
        _joined(f"Encounter: {what}", kind),
        _status(resource, "status"),
        f"reason: {reason}" if (reason := concepts(resource, "reasonCode")) else "",
        f"discharged: {discharge}" if discharge else "",
    )


def _condition(resource: Resource, _resolve: Resolve) -> str:
    name = concept(resource.get("code"))
    verified, clinical = (
        _status(resource, "verificationStatus"),
        _status(resource, "clinicalStatus"),
    )
    ended = period(resource.get("abatementPeriod")) or moment(resource.get("abatementDateTime"))
    if verified == "refuted":
        return f"No {name} (ruled out)" if name else ""
    prefix = ""
    if verified in ("unconfirmed", "provisional", "differential"):
        prefix = "Suspected "
    elif clinical in ("resolved", "inactive", "remission"):
        prefix = "History of "
    severity = concept(resource.get("severity"))
    site = concepts(resource, "bodySite")
    shown = (
        f"{clinical} since {ended}" if ended and clinical in ("resolved", "remission") else clinical
    )
    return _joined(
        _with(f"{prefix}{name}" if name else "", site, severity, shown, verified),
        _notes(resource),
        between=": ",
    )


def _observation(resource: Resource, resolve: Resolve) -> str:
    name = concept(resource.get("code"))
    if not name:
        return ""
    pressure = _blood_pressure(resource)
    parts = [] if pressure else [_measured(part) for part in members(resource, "component")]
    value = pressure or _value(resource)
    related = (resolve(row) for row in members(resource, "hasMember"))
    inner = [_measured(row) for row in related if row is not None and row is not resource]
    stated = _joined(value, *parts, *inner)
    return _joined(f"{name}: {stated}" if stated else "", _notes(resource), between="; ")


def _blood_pressure(resource: Resource) -> str:
    """Both pressures as notes write them: `150/95 mmHg`."""
    values = {
        code: part.get("valueQuantity")
        for part in members(resource, "component")
        for code in codes_of(part.get("code")) & {_SYSTOLIC, _DIASTOLIC}
    }
    systolic, diastolic = (
        number(member(values.get(code), "value")) for code in (_SYSTOLIC, _DIASTOLIC)
    )
    if not (systolic and diastolic):
        return ""
    unit_of = quantity(values[_DIASTOLIC]).removeprefix(diastolic).strip()
    return _joined(f"{systolic}/{diastolic}", unit_of, between=" ")


def _measured(part: Resource) -> str:
    return _joined(concept(part.get("code")), _value(part), between=" ")


def _value(resource: Resource) -> str:
    absent = concept(resource.get("dataAbsentReason"))
    value = spoken(resource, "value") or (f"not known, {absent}" if absent else "")
    range_of = _joined(*map(span_of, members(resource, "referenceRange")), between="; ")
    meaning = concepts(resource, "interpretation")
    return _with(value, f"reference range {range_of}" if range_of else "", meaning)


def observation_heading(resource: Resource) -> str:
    """Under which heading an Observation stands: by its category."""
    codes = {code for row in members(resource, "category") for code in codes_of(row)}
    return {"vital-signs": VITAL_SIGNS, "laboratory": LABORATORY}.get(
        next(iter(codes & {"vital-signs", "laboratory"}), ""), OBSERVATIONS
    )


def _medication(resource: Resource, resolve: Resolve) -> str:
    reference = resource.get("medicationReference")
    target = resolve(reference) or {}
    name = (
        concept(resource.get("medicationCodeableConcept"))
        or concept(target.get("code"))
        or text_at(reference, "display")
    )
    if not name:
        return ""
    doses = _joined(
        *map(_dosage, [*members(resource, "dosageInstruction"), *members(resource, "dosage")]),
        between="; ",
    )
    status, intent = _status(resource, "status"), _status(resource, "intent")
    planned = "planned" if intent in ("proposal", "plan") else ""
    prefix = {
        "not-taken": "Not taking ",
        "not-done": "Not given: ",
        "stopped": "Stopped: ",
        "cancelled": "Cancelled: ",
    }.get(status, "")
    reason = concepts(resource, "reasonCode")
    return _joined(
        _with(
            f"{prefix}{name}{f', {doses}' if doses else ''}",
            status,
            planned,
            f"for {reason}" if reason else "",
        ),
        _notes(resource),
        between="; ",
    )


def _dosage(dosage: Resource) -> str:
    if text := inline(dosage.get("text")):
        return text
    rates = members(dosage, "doseAndRate") or [dosage]
    dose = _joined(*(spoken(rate, "dose") for rate in rates))
    repeat = member(dosage, "timing", "repeat")
    times, every, unit = (
        number(member(repeat, name)) for name in ("frequency", "period", "periodUnit")
    )
    timing = concept(member(dosage, "timing", "code"))
    if not timing and times and every:
        timing = f"{times} times every {every} {unit}".strip()
    needed = "as needed" if dosage.get("asNeededBoolean") is True else ""
    return _joined(dose, concept(dosage.get("route")), timing, needed, between=" ")


def _allergy(resource: Resource, _resolve: Resolve) -> str:
    name = concept(resource.get("code")) or concepts(resource, "substance")
    if not name:
        return ""
    if _status(resource, "verificationStatus") == "refuted":
        return f"No allergy to {name} (refuted)"
    reactions = _joined(
        *(
            _with(concepts(reaction, "manifestation"), inline(reaction.get("severity")))
            for reaction in members(resource, "reaction")
        )
    )
    status = _status(resource, "clinicalStatus")
    kind = "Intolerance" if resource.get("type") == "intolerance" else "Allergy"
    past = "Former allergy" if status in ("resolved", "inactive") else kind
    risk = f"criticality {stated}" if (stated := _status(resource, "criticality")) else ""
    return _with(f"{past}: {name}", reactions, risk, status)


def _procedure(resource: Resource, _resolve: Resolve) -> str:
    name = concept(resource.get("code"))
    status = _status(resource, "status")
    prefix = {"not-done": "Not done: ", "preparation": "Planned: ", "stopped": "Stopped: "}.get(
        status, ""
    )
    outcome = concept(resource.get("outcome"))
    site = concepts(resource, "bodySite")
    return _joined(
        _with(
            f"{prefix}{name}" if name else "",
            site,
            status,
            f"outcome: {outcome}" if outcome else "",
        ),
        _notes(resource),
        between="; ",
    )


def _order(resource: Resource, _resolve: Resolve) -> str:
    name = concept(resource.get("code"))
    reason = concepts(resource, "reasonCode")
    return _with(
        f"Ordered: {name}" if name else "",
        _status(resource, "status"),
        f"for {reason}" if reason else "",
    )


def _report(resource: Resource, resolve: Resolve) -> str:
    name = concept(resource.get("code")) or "Report"
    concluded = inline(resource.get("conclusion")) or concepts(resource, "conclusionCode")
    results = (resolve(row) for row in members(resource, "result"))
    named = _joined(*(concept(row.get("code")) for row in results if row is not None))
    return _joined(
        f"{name}: {concluded}" if concluded else "",
        f"{name} with {named}" if named and not concluded else "",
    )


_GIVEN = ("effectiveDateTime", "effectivePeriod", "authoredOn", "dateAsserted")
RESOURCES: Mapping[str, ResourceType] = {
    "AllergyIntolerance": ResourceType("ALLERGIES", _allergy, ("onsetDateTime", "recordedDate")),
    "Condition": ResourceType(
        "PROBLEM LIST", _condition, ("onsetDateTime", "onsetPeriod", "recordedDate")
    ),
    "Encounter": ResourceType("ENCOUNTERS", _encounter, ("period",)),
    "MedicationRequest": ResourceType("MEDICATIONS", _medication, ("authoredOn",)),
    "MedicationStatement": ResourceType("MEDICATIONS", _medication, _GIVEN),
    "MedicationAdministration": ResourceType("MEDICATIONS", _medication, _GIVEN),
    "Observation": ResourceType(
        OBSERVATIONS,
        _observation,
        ("effectiveDateTime", "effectivePeriod", "effectiveInstant", "issued"),
    ),
    "Procedure": ResourceType("PROCEDURES", _procedure, ("performedDateTime", "performedPeriod")),
    "DiagnosticReport": ResourceType(
        "REPORTS", _report, ("effectiveDateTime", "effectivePeriod", "issued")
    ),
    "ServiceRequest": ResourceType("ORDERS", _order, ("occurrenceDateTime", "authoredOn")),
}


def time_of(resource: Resource, times: tuple[str, ...]) -> tuple[str, str]:
    """When a resource happened: as FHIR states it, for the order, and as a note writes it."""
    for name in times:
        stated = first(resource.get(name))
        if isinstance(stated, dict):
            return inline(stated.get("start")) or inline(stated.get("end")), period(stated)
        if isinstance(stated, str) and stated.strip():
            return stated.strip(), moment(stated)
    return "", ""
