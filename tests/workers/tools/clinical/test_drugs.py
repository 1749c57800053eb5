"""Drugs with their doses, allergies, and what is done with a drug."""

from __future__ import annotations

import pytest

from shared.models.mentions import MentionKind
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.drugs import drug_status, find_drugs


def named(text: str) -> list[tuple[str, str | None]]:
    return [
        (mention.concept, mention.dose)
        for mention in find_drugs(read_chart(text))
        if mention.kind is MentionKind.DRUG
    ]


def allergies(text: str) -> list[tuple[str, bool]]:
    return [
        (mention.concept, mention.negated)
        for mention in find_drugs(read_chart(text))
        if mention.kind is MentionKind.ALLERGY
    ]


def statuses(text: str) -> list[str]:
    chart = read_chart(text)
    return [str(drug_status(chart, mention)) for mention in find_drugs(chart)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She takes metformin 500 mg BID.", [("metformin", "500 mg BID")]),
        ("She takes Lasix 40 mg once a day.", [("furosemide", "40 mg once a day")]),
        ("Take 81 mg aspirin daily.", [("aspirin", "81 mg daily")]),
        ("Lisinopril was increased from 10 mg to 20 mg daily.", [("lisinopril", "20 mg daily")]),
        ("Aspirin, metoprolol 25 mg and no insulin.", [("aspirin", None), ("metoprolol", "25 mg"), ("insulin", None)]),
        ("아목시실린 500mg 하루 3회 복용.", [("amoxicillin", "500mg 하루 3회")]),
    ],
)  # fmt: skip
def test_a_drug_is_found_with_its_dose(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He is allergic to penicillin and latex.", [("penicillin", False), ("latex", False)]),
        ("PCN allergy: rash.", [("penicillin", False)]),
        ("Allergies: sulfa, codeine (hives).", [("sulfonamide antibiotic", False), ("codeine", False)]),
        ("ALLERGIES\n\nAmoxicillin.\n\nPLAN\n\nRest.", [("amoxicillin", False)]),
        ("NKDA.", [("no known allergies", True)]),
        ("No known drug allergies.", [("no known allergies", True)]),
        ("페니실린 알레르기가 있음.", [("penicillin", False)]),
        ("알레르기: 조영제", [("contrast medium", False)]),
        ("알레르기 없음.", [("no known allergies", True)]),
        ("No allergy to penicillin.", [("penicillin", True)]),
    ],
)  # fmt: skip
def test_an_allergy_is_found_and_is_no_drug_that_is_taken(
    text: str, expected: list[tuple[str, bool]]
) -> None:
    assert allergies(text) == expected
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("We will start metformin 500 mg.", "started"),
        ("Discontinue metformin.", "stopped"),
        ("Metformin was stopped.", "stopped"),
        ("Increase metformin to 1000 mg.", "changed"),
        ("Continue metformin.", "continued"),
        ("She was given metformin.", "received"),
        ("He previously tried metformin.", "past"),
        ("Metformin 500 mg.", "given"),
        ("메트포르민 500mg 중단함.", "stopped"),
        ("메트포르민 500mg 처방함.", "started"),
    ],
)
def test_what_is_done_with_a_drug_is_told_by_its_verb(text: str, status: str) -> None:
    assert statuses(text) == [status]
