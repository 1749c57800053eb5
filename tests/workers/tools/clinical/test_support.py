"""What a passage does for a statement is judged by values and by what is denied, and not judged elsewhere."""

import time

import pytest

from shared.models.case import Support
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.support import SourceKind
from workers.tools.clinical.support import support as support_at

S, C, M = Support.SUPPORTS, Support.CONTRADICTS, Support.MENTIONS


def support(query: str, passage: str, relevance: float, kind: SourceKind) -> Support:
    """Of a source that has nothing but the passage."""
    return support_at(query, read_chart(passage), (0, len(passage)), relevance, kind)


@pytest.mark.parametrize(
    ("query", "passage", "expected"),
    [
        ("chest pain", "She reports chest pain since Monday.", S),
        ("chest pain", "She denies chest pain, fever or cough.", C),
        ("cough", "She denies chest pain, fever or cough.", C),
        ("no chest pain", "She denies chest pain.", S),
        ("no chest pain", "She has chest pain.", C),
        ("fever", "No cough but fever for two days.", S),
        ("pneumonia", "Pneumonia was ruled out.", C),
        ("pneumonia", "Possible pneumonia.", M),
        ("diabetes", "Her mother had diabetes.", M),
        ("potassium 5.9", "Potassium was 5.9 mmol/L.", S),
        ("potassium 5.9", "Potassium was 4.1 mmol/L.", C),
        ("potassium 5.9", "Potassium was 4.1 mmol/L last year.", M),
        ("potassium 5.9 and fever", "Sodium 140. Fever.", S),
        ("발열", "발열이 있다.", S),
        ("발열", "발열, 기침은 없음.", C),
        ("흉통 없음", "흉통은 호소하지 않음.", S),
        ("폐렴", "폐렴 의심.", M),
    ],
)
def test_a_chart_supports_contradicts_or_mentions(
    query: str, passage: str, expected: Support
) -> None:
    assert support(query, passage, 1.0, SourceKind.CHART) is expected


def test_a_passage_with_little_of_a_statement_merely_mentions_it() -> None:
    assert support("chest pain at rest", "She denies pain.", 0.3, SourceKind.CHART) is M


def test_another_patient_says_nothing_about_this_one() -> None:
    assert support("fever", "No fever.", 1.0, SourceKind.SIMILAR) is M


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("Metformin is recommended as first-line treatment.", S),
        ("Metformin is contraindicated in acidosis.", C),
        ("Metformin is a biguanide.", M),
        ("메트포르민은 1차 약제로 권고된다.", S),
        ("메트포르민은 금기이다.", C),
    ],
)
def test_a_document_supports_what_it_advises_and_contradicts_what_it_warns_of(
    passage: str, expected: Support
) -> None:
    assert support("metformin 메트포르민", passage, 1.0, SourceKind.DOCUMENT) is expected


def test_a_long_hostile_passage_is_judged_in_a_moment() -> None:
    begun = time.perf_counter()
    support("no pain", "no pain " * 5_000, 1.0, SourceKind.CHART)

    assert time.perf_counter() - begun < 2
