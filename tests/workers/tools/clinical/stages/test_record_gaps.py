"""What a record lacks, by the kind of its text."""

from __future__ import annotations

import pytest

from orchestrator.presentation.locale.translator import Translator
from shared.models.case import Division, Mention, PatientFacts
from shared.models.mentions import MentionKind
from tests.workers.tools.clinical.charts import MAN, chart_input
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.stages import record_gaps

NOTE = """CHIEF COMPLAINT

{complaint}

MEDICATIONS

Lisinopril 10 mg daily.

ALLERGIES

{allergies}

PHYSICAL EXAMINATION

{exam}

ASSESSMENT AND PLAN

{plan}
"""
WHOLE = {
    "complaint": "Chest pain for two days.",
    "allergies": "No known drug allergies.",
    "exam": "Blood pressure is 130/80 mm Hg. The lungs are clear.",
    "plan": "Angina is likely. We will start aspirin 81 mg daily. He will return in two weeks.",
}


def _gaps(
    text: str, patient: PatientFacts = MAN, drug: str = "aspirin", dose: str | None = "81 mg"
) -> list[str]:
    inputs, context = chart_input(text, patient)
    start = text.find(drug)
    if start >= 0:
        mention = Mention(
            span=read_chart(text).span(start, start + len(drug)),
            kind=MentionKind.DRUG,
            concept=drug,
            division=Division.PLAN,
            dose=dose,
        )
        chart = inputs.chart.model_copy(update={"mentions": (mention,)})
        inputs = inputs.model_copy(update={"chart": chart})
    return [gap.what for gap in record_gaps.run(inputs, context).gaps]


def test_a_whole_note_lacks_nothing() -> None:
    assert _gaps(NOTE.format(**WHOLE)) == []


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        ({"exam": "The lungs are clear."}, "vital_signs"),
        ({"allergies": ""}, "allergies"),
        (
            {
                "plan": "Angina is likely. We will start aspirin 81 mg daily for the heart of this man."
            },
            "follow_up",
        ),
    ],
)
def test_what_is_taken_out_of_it_is_missed(change: dict[str, str], gap: str) -> None:
    text = NOTE.format(**{**WHOLE, **change}).replace("ALLERGIES\n\n\n\n", "")
    assert _gaps(text) == [gap]


def test_a_drug_that_is_begun_without_a_dose_is_missed() -> None:
    assert _gaps(NOTE.format(**WHOLE).replace("aspirin 81 mg daily", "aspirin"), dose=None) == [
        "doses"
    ]


def test_a_plan_without_examination_and_results_is_missed() -> None:
    text = NOTE.format(**WHOLE)
    before, _, rest = text.partition("PHYSICAL EXAMINATION")
    _, _, plan = rest.partition("ASSESSMENT AND PLAN")
    gaps = _gaps(f"{before}Pulse 80.\n\nASSESSMENT AND PLAN{plan}")
    assert gaps == ["examination"]


def test_a_complaint_that_is_denied_needs_no_vital_signs() -> None:
    text = NOTE.format(
        **{**WHOLE, "complaint": "Knee pain. He denies chest pain.", "exam": "The knee is swollen."}
    )
    assert _gaps(text) == []


def test_of_a_vignette_only_age_and_sex_are_asked() -> None:
    vignette = "A patient comes to the office with chest pain for two days. Aspirin was started and an ECG was done."
    assert _gaps(vignette, PatientFacts()) == ["age", "sex"]
    assert _gaps(vignette) == []


def test_a_text_of_a_few_words_is_no_record() -> None:
    assert _gaps("Chest pain.", PatientFacts()) == []


def test_a_korean_note_is_judged_alike() -> None:
    text = "\n\n".join(
        (
            "주소\n\n2일 전부터 흉통",
            "과거력\n\n고혈압",
            "신체 검진\n\n폐음은 깨끗함.",
            "평가 및 계획\n\n협심증 의심. 아스피린 81 mg 투여를 시작한다. 안정을 취하도록 설명하였다. "
            "심장에 대한 설명을 자세히 하였다.",
        )
    )
    gaps = _gaps(text, drug="아스피린")
    assert "vital_signs" in gaps
    assert "allergies" in gaps
    assert "follow_up" in gaps


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_gap_can_be_told_in_both_languages(language: str) -> None:
    inputs, context = chart_input(
        "A patient comes with chest pain for two days. Aspirin was started by us today, and an ECG was done.",
        PatientFacts(),
    )
    gaps = record_gaps.run(inputs, context).gaps
    assert len(gaps) == 2
    assert all("gap_" not in Translator(language).translate(gap.message) for gap in gaps)
