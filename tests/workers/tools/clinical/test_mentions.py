"""What a chart mentions, and what the words around it make of that."""

from __future__ import annotations

import pytest

from shared.models.case import Mention
from shared.models.mentions import MentionKind
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.mentions import find_mentions


def mentions(text: str) -> dict[str, Mention]:
    chart = read_chart(text)
    found = find_mentions(chart)
    assert all(text[item.span.start : item.span.end] == item.span.text for item in found)
    return {item.concept: item for item in found}


@pytest.mark.parametrize(
    ("text", "concept", "kind"),
    [
        ("HTN and DM.", "hypertension", MentionKind.PROBLEM),
        ("Type 2 diabetes mellitus.", "diabetes mellitus", MentionKind.PROBLEM),
        ("Shortness\nof breath.", "dyspnea", MentionKind.SYMPTOM),
        ("Headaches for a week.", "headache", MentionKind.SYMPTOM),
        ("The HbA1c is due.", "hemoglobin a1c", MentionKind.TEST),
        ("급성심근경색으로 입원", "myocardial infarction", MentionKind.PROBLEM),
        ("심방 세동 있음", "atrial fibrillation", MentionKind.PROBLEM),
        ("대장내시경 시행", "colonoscopy", MentionKind.PROCEDURE),
    ],
)
def test_synonyms_of_both_languages_are_one_concept(
    text: str, concept: str, kind: MentionKind
) -> None:
    assert mentions(text)[concept].kind is kind


@pytest.mark.parametrize("text", ["He did mi best, a pe teacher.", "부통증가", "copdx and htnx"])
def test_parts_of_words_and_small_letters_are_no_abbreviations(text: str) -> None:
    assert mentions(text) == {}


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("She denies chest pain, nausea, or fever.", "fever"),
        ("No evidence of pneumonia.", "pneumonia"),
        ("Pneumonia was ruled out.", "pneumonia"),
        ("A stroke is unlikely.", "stroke"),
        ("발열과 기침은 없음.", "fever"),
        ("흉통(-), 구토(+)", "chest pain"),
        ("당뇨는 부인함.", "diabetes mellitus"),
        ("cough -, sputum +", "cough"),
    ],
)
def test_what_is_denied_is_negated(text: str, concept: str) -> None:
    assert mentions(text)[concept].negated


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("He denies fever, but has a cough.", "cough"),
        ("Hypertension is not well controlled.", "hypertension"),
        ("No change in her asthma.", "asthma"),
        ("흉통(-), 구토(+)", "vomiting"),
        ("발열은 없으나 기침 있음.", "cough"),
        ("A 54-year-old man with pneumonia.", "pneumonia"),
        ("Past medical history: hypertension.", "hypertension"),
        ("He comes because of a 3-day history of cough.", "cough"),
        ("Profuse non-bloody diarrhea.", "diarrhea"),
        ("A non-Hodgkin’s lymphoma.", "lymphoma"),
        ("A repeat chest x-ray showed a mass.", "chest x-ray"),
        ("A boy is brought by his mother because of fever.", "fever"),
        ("Her father says that she had diarrhea.", "diarrhea"),
        ("어머니와 함께 발열로 내원함.", "fever"),
    ],
)
def test_what_is_not_denied_is_asserted(text: str, concept: str) -> None:
    assert mentions(text)[concept].asserted


@pytest.mark.parametrize(
    ("text", "concept", "field"),
    [
        ("Possible pneumonia.", "pneumonia", "uncertain"),
        ("폐렴 가능성 있음.", "pneumonia", "uncertain"),
        ("심근경색 의심됨.", "myocardial infarction", "uncertain"),
        ("Her mother had breast cancer.", "breast cancer", "family"),
        ("He lives alone; his father died of a stroke.", "stroke", "family"),
        ("FAMILY HISTORY\n\nStroke.", "stroke", "family"),
        ("가족력: 아버지 위암", "gastric cancer", "family"),
        ("History of pneumonia.", "pneumonia", "past"),
        ("PAST MEDICAL HISTORY\n\nMyocardial infarction.", "myocardial infarction", "past"),
        ("We will order a chest x-ray.", "chest x-ray", "planned"),
        ("심초음파 시행 예정.", "echocardiogram", "planned"),
    ],
)
def test_suspicion_relatives_history_and_plans_are_told(
    text: str, concept: str, field: str
) -> None:
    mention = mentions(text)[concept]
    assert getattr(mention, field)
    assert not mention.asserted


@pytest.mark.parametrize(
    ("text", "concept", "side"),
    [
        ("Left knee pain.", "knee pain", "left"),
        ("Pain in her right shoulder.", "pain", "right"),
        ("Bilateral leg swelling.", "edema", "bilateral"),
        ("우측 폐렴", "pneumonia", "right"),
        ("Cough, and pain.", "cough", None),
    ],
)
def test_the_side_is_that_of_the_words_beside(text: str, concept: str, side: str | None) -> None:
    assert mentions(text)[concept].side == side


@pytest.mark.parametrize(
    ("text", "concept", "state"),
    [
        ("Denies fever. +orthopnea, +LE edema.", "edema", "asserted"),
        ("Denies fever. +orthopnea", "orthopnea", "asserted"),
        ("AOM - amoxicillin 720 mg", "otitis media", "asserted"),
        ("She was brought in by her husband, who has epilepsy.", "epilepsy", "family"),
        ("The patient, whose wife had influenza, now has myalgias.", "influenza", "family"),
        ("The patient, whose wife had influenza, now has myalgias.", "muscle pain", "asserted"),
        ("PSH: hysterectomy 2009. C/o nocturia.", "hysterectomy", "past"),
        ("PSH: hysterectomy 2009. C/o nocturia.", "nocturia", "asserted"),
        ("hx of falls, residual hemiparesis", "hemiparesis", "asserted"),
        ("If fever develops he will call.", "fever", "uncertain"),
        ("?early infiltrate in the right base", "infiltrate", "uncertain"),
        ("No pneumothorax, small effusion cannot be excluded.", "effusion", "uncertain"),
        ("환자 남편이 간경화이며, 환자 본인은 위염 없음.", "cirrhosis", "family"),
        ("환자 남편이 간경화이며, 환자 본인은 위염 없음.", "gastritis", "negated"),
        ("과거력: 결핵 완치\n현재 복통, 구토 있음.", "vomiting", "asserted"),
        ("두통으로 뇌 CT 고려", "computed tomography", "planned"),
    ],
)
def test_what_shorthand_and_other_people_in_a_sentence_say_of_a_mention(
    text: str, concept: str, state: str
) -> None:
    mention = mentions(text)[concept]
    assert getattr(mention, state)
    assert state == "asserted" or not mention.asserted
