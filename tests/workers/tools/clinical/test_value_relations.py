"""Values that contradict one another, and scores that a plan leaves without an answer."""

from __future__ import annotations

import pytest

from shared.models.findings import Severity
from tests.workers.tools.clinical.charts import severity_of


def _grave(text: str) -> dict[str, Severity]:
    points = severity_of(text).points
    return {item.kind: item.severity for item in points if item.severity is not Severity.INFO}


@pytest.mark.parametrize(
    ("index", "kinds"), [("26.2", set()), ("27", set()), ("46.2", {"index_against_weight"})]
)
def test_a_body_mass_index_is_held_against_weight_and_height(index: str, kinds: set[str]) -> None:
    assert set(_grave(f"Wt 148 lb (67.1 kg), Ht 5'3\", BMI {index}")) == kinds
    assert set(_grave(f"체중 67 kg, 키 160 cm, BMI {index}")) == kinds


def test_an_index_of_another_weight_is_not_judged() -> None:
    assert _grave("Weight 67 kg, height 160 cm, BMI 46. Weight 118 kg last year.") == {}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("She lost 4 kg (90 lb) since May.", {"restated_differently"}),
        ("She lost 4 kg (9 lb) since May.", set()),
        ("체중이 4 kg (90 lb) 줄었다.", {"restated_differently"}),
        ("Lifts 20 lb (9 kg) at work.", set()),
    ],
)
def test_kilograms_beside_pounds_are_the_same_weight(text: str, kinds: set[str]) -> None:
    assert set(_grave(text)) == kinds


VITALS = """PHYSICAL EXAMINATION

Confused. BP 84/50 mmHg, HR 128/min, RR 26/min, temperature 36.9 C, SpO2 93% on room air.

ASSESSMENT AND PLAN

{plan}
"""


@pytest.mark.parametrize("plan", ["Ankle sprain. Rest and ice.", "발목 염좌. 안정."])
def test_a_high_score_without_an_answer_in_the_plan_is_grave(plan: str) -> None:
    assert _grave(VITALS.format(plan=plan))["early_warning_score"] is Severity.MAJOR


@pytest.mark.parametrize(
    "plan", ["Sepsis. Admit to the ICU, 30 mL/kg of fluids.", "Oxygen and monitor.", "중환자실 입원, 수액."]
)  # fmt: skip
def test_a_high_score_that_the_plan_answers_is_a_risk_factor(plan: str) -> None:
    assert "early_warning_score" not in _grave(VITALS.format(plan=plan))
