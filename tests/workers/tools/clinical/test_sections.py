"""Which lines of a note tell what: notes of several styles, with headings and without."""

from __future__ import annotations

import pytest

from shared.models.case import Division
from workers.tools.clinical.chart import read_chart

S, E, R, P = Division.SUBJECTIVE, Division.EXAM, Division.RESULTS, Division.PLAN


def divisions(text: str) -> list[Division]:
    chart = read_chart(text)
    return [chart.division_at(start) for start in chart.line_starts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S: Sore throat.\nO: T 38.2, tonsils red.\nA: Tonsillitis.\nP: Amoxicillin.", [S, E, P, P]),
        ("HPI: Cough.\nPE: Lungs clear.\nLabs: WBC 12.\nImpression: Bronchitis.", [S, E, R, P]),
        ("# History\nFell.\n## Physical Exam\nTender.\n## Plan\nCast.", [S, S, E, E, P, P]),
        ("1. 주호소: 흉통\n2. 신체 검진: 정상\n3. 검사 결과: 정상\n4. 치료 계획: 관찰", [S, E, R, P]),
        ("[현병력]\n기침\n[활력징후]\n120/80\n[검사소견]\n정상\n[진단]\n폐렴", [S, S, E, E, R, R, P, P]),
        ("CARDIAC EXAM\nNo murmur.\nPERTINENT LABS ON ADMISSION\nK 4.\nDISCHARGE DRUGS\nAspirin.", [E, E, R, R, P, P]),
        ("HISTORY\r\nPain.\r\nEXAM\r\nTender.\r\n", [S, S, E, E, E]),
    ],
)  # fmt: skip
def test_headings_of_many_styles_begin_their_divisions(text: str, expected: list[Division]) -> None:
    assert divisions(text) == expected


def test_what_a_plan_orders_is_no_result() -> None:
    assert divisions("PLAN\nLabs: repeat in a week.\nMedications: start iron.") == [P, P, P]


def test_the_impression_of_a_radiologist_is_a_result() -> None:
    text = "RESULTS\nCT of the head.\nImpression: no bleeding.\n\nIMPRESSION\nMigraine."
    assert divisions(text) == [R, R, R, R, P, P]


def test_a_sentence_of_one_word_is_no_heading() -> None:
    assert divisions("CHIEF COMPLAINT\n\nFollow-up.\n\nHISTORY\n\nShe is well.") == [S] * 7


def test_a_pulse_is_no_plan() -> None:
    assert divisions("EXAM\nP: 72\nT: 37.0") == [E, E, E]


def test_vitals_taken_with_the_history_are_told_with_it_but_otherwise_with_the_examination() -> (
    None
):
    assert divisions("HISTORY\nPain.\nVITALS\n120/80\nPHYSICAL EXAM\nTender.") == [S, S, S, S, E, E]
    assert divisions("HISTORY\nPain.\nVITALS\n120/80\nLABS\nK 4.0") == [S, S, E, E, R, R]
    assert divisions("OBJECTIVE\nLungs clear.\nVITALS\n120/80\nEXAM\nTender.") == [E] * 6


def test_below_objective_results_are_told_from_the_examination() -> None:
    exam, labs = (
        "BP 120/80, lungs clear to auscultation.",
        "Hemoglobin 9.1 g/dL, creatinine 1.0 mg/dL.",
    )
    text = f"Objective:\n{exam}\n{labs}\nPlan:\nIron."
    assert divisions(text) == [E, E, R, P, P]


def test_lines_without_headings_are_known_by_their_words() -> None:
    text = (
        "The patient reports cough for three days and denies fever.\n"
        "Lungs clear to auscultation, abdomen not tender, no edema.\n"
        "Hemoglobin 12 g/dL, creatinine 1.0 mg/dL, chest x-ray normal.\n"
        "We will order a repeat test and recommend follow-up in a week."
    )
    assert divisions(text) == [S, E, R, P]


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_chart_has_no_sections(text: str) -> None:
    assert read_chart(text).sections == ()
    assert read_chart(text).sentences == ()


def test_sections_follow_one_another_without_gaps() -> None:
    text = "\nText first.\n\nEXAM\n\nTender.\n\nPLAN: rest\n\n"
    sections = read_chart(text).sections
    lines = [line for item in sections for line in range(item.first_line, item.last_line + 1)]
    assert lines == list(range(1, text.count("\n") + 2))


def test_korean_headings_with_a_parenthesis_divide_a_note() -> None:
    sections = read_chart("S) 기침\nO) BP 120/80\nA/P) 폐렴\n항생제 투여").sections
    assert [section.heading for section in sections] == ["S", "O", "A/P"]
    assert sections[-1].division is Division.PLAN


@pytest.mark.parametrize(
    "title", ["PSYCHIATRY FOLLOW UP", "FOLLOW UP", "Progress note", "경과기록", "DISCHARGE SUMMARY"]
)
def test_the_title_of_a_note_says_nothing_about_its_lines(title: str) -> None:
    text = f"{title}\nThe patient reports cough and denies fever.\nPLAN\nRest."
    assert divisions(text)[1:] == [S, P, P]


def test_a_heading_of_follow_up_further_down_is_of_the_plan() -> None:
    assert divisions("HPI\nCough.\nCARDIOLOGY FOLLOW UP\nIn two weeks.") == [S, S, P, P]
