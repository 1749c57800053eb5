"""Headings of clinical notes in English and Korean, and which of the four divisions the lines below them belong to.

The divisions are those of the ACI-BENCH notes (Yim et al., Sci Data 2023;10:586). Names of organs ("Cardiovascular")
are no headings here: they stand in the review of systems as well as in the examination.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shared.models.case import Division
from shared.patterns import regex

_SUBJECTIVE = """
chief complaint; chief complaints; cc; reason for visit; reason for consultation; reason for consult;
reason for admission; reason for referral;
presenting complaint; presenting problem; presentation; complaint; complaints; history; hpi;
history of present illness; history of presenting illness;
history of the present illness; history of presenting complaint; present illness; interval history;
interim history; subjective; s; pmh; pmhx; past medical history; past history;
medical history; prior medical history; past medical and surgical history; past surgical history; psh;
pshx; surgical history; family history; fh; fhx; fmh; social history; sh; shx; soc hx;
family and social history; past family social history; pfsh; obstetric history; gynecologic history;
ob gyn history; ob history; birth history; developmental history;
psychiatric history; substance use history; occupational history; travel history; sexual history;
allergies; allergy; drug allergies; medication allergies; allergies and intolerances;
medications; current medications; home medications; outpatient medications; medication list;
medications on admission; admission medications; meds; current meds; home meds;
prior to admission medications;
review of systems; ros; immunizations; immunization history; patient information; demographics;
identification; id; source of history; problem list; active problems; hospital course prior; habits;
past medical hx; medical hx; family hx; social hx; surgical hx; encounters;
주호소; 주소; 주증상; 주소증; 내원사유; 내원경위; 입원사유; 입원경위; 현병력; 현재력; 과거력; 과거병력;
기저질환; 기왕력; 병력; 수술력; 과거수술력; 가족력; 사회력; 개인력; 약물력; 투약력; 복용약물; 복용약;
현재복용약; 현재복용약물; 현재투약; 투약현황; 약물; 투약; 약제; 현재약물; 복용중인약물; 복용중인약;
투여약물; 투여중인약물; 상용약; 상용약물; 처방약; 입원전투약; 입원시투약;
알레르기; 알러지; 약물알레르기; 알레르기력; 계통문진;
계통적문진; 문진; 문진소견; 주관적; 주관적정보; 주관적자료; 환자정보; 인적사항; 직업력; 흡연력; 음주력;
여행력; 산과력; 월경력; 예방접종력
"""
_EXAM = """
physical exam; physical examination; exam; examination; pe; p e; px; objective; o; on examination;
vital signs; vitals; vs; vital signs reviewed; vitals reviewed; vitals and nursing notes; focused exam;
focused physical exam; physical findings; exam findings; examination findings;
mental status examination; mental status exam; mse; neurological examination; neurologic exam;
objective findings; clinical examination; admission exam; discharge exam; admission physical exam;
discharge physical exam; general examination; physical exam on admission; physical exam on discharge;
physical examination on admission; physical examination on discharge;
신체검진; 신체검사; 신체진찰; 이학적검사; 이학적소견; 진찰; 진찰소견; 신체소견; 신체검진소견; 활력징후;
활력증후; 바이탈; 바이탈사인; 객관적; 객관적정보; 객관적자료; 신경학적검사; 신경학적진찰; 정신상태검사
"""
_RESULTS = """
results; result; lab results; labs; lab; laboratory; laboratory data; laboratory results;
laboratory findings; laboratory studies; laboratory values; lab data; lab values; pertinent results;
pertinent labs; data; data reviewed; data review; diagnostics; diagnostic studies; diagnostic results;
diagnostic testing; diagnostic data; diagnostic tests; diagnostic imaging; imaging; imaging results;
imaging studies; imaging findings; radiology; radiology results; radiographs; radiographic studies;
test results; tests; studies; investigations; investigation results; pathology; pathology results;
microbiology; micro; ekg; ecg; electrocardiogram; x ray; xray; x rays; ct; mri; ultrasound;
echocardiogram; echo; admission labs; discharge labs; results review; review of results;
laboratory and imaging; labs and imaging; labs imaging; observations; reports; results reviewed; x ray results;
검사결과; 검사소견; 검사실소견; 검사; 혈액검사; 혈액검사결과; 진단검사; 영상검사; 영상소견; 영상의학;
영상; 방사선소견; 방사선검사; 심전도; 심초음파; 초음파; 소변검사; 요검사; 병리; 병리검사; 병리결과;
조직검사; 조직검사결과; 임상병리검사; 검사실검사; 미생물검사; 배양검사; 흉부x선; 흉부엑스선; 검사자료
"""
_PLAN = """
assessment and plan; assessment plan; a p; ap; a and p; assessment; impression; impressions; imp;
clinical impression; impression and plan; impression plan; assessment and recommendations;
impression and recommendations; diagnosis; diagnoses; final diagnosis; final diagnoses;
discharge diagnosis; discharge diagnoses; admission diagnosis; admitting diagnosis; primary diagnosis;
secondary diagnosis; secondary diagnoses; principal diagnosis; working diagnosis;
differential diagnosis; differential; differential diagnoses; ddx; dx; plan; treatment plan;
plan of care; care plan; management plan; management; plan and recommendations; recommendations;
recommendation; treatment; treatment and plan; therapy; disposition; follow up; followup;
follow up plan; follow up instructions; instructions; patient instructions; discharge instructions;
discharge plan; discharge medications; discharge condition; condition at discharge;
condition on discharge; discharge disposition; hospital course; brief hospital course;
course in hospital; medical decision making; mdm; discussion; orders; a; p;
counseling; patient education; summary and plan; conclusion; conclusions; medications on discharge;
ed course; emergency department course; prescriptions;
평가; 평가및계획; 평가와계획; 진단; 진단명; 추정진단; 임상진단; 최종진단; 퇴원진단; 입원진단; 주진단;
부진단; 감별진단; 인상; 소견및계획; 계획; 치료계획; 진료계획; 향후계획; 치료; 치료및경과; 경과및계획;
처치; 처방; 처방내역; 퇴원처방; 퇴원약; 퇴원시처방; 퇴원계획; 퇴원교육; 추적관찰; 추적관찰계획;
추후계획; 경과; 경과기록; 입원경과; 임상경과; 교육; 권고; 권고사항; 종합소견; 지시사항;
평가계획; 고찰; 협진
"""


@cache
def divisions_by_heading() -> Mapping[str, Division]:
    """Normalised headings (`normalised`) and their divisions."""
    tables = {
        Division.SUBJECTIVE: _SUBJECTIVE,
        Division.EXAM: _EXAM,
        Division.RESULTS: _RESULTS,
        Division.PLAN: _PLAN,
    }
    return {
        " ".join(heading.split()): division
        for division, table in tables.items()
        for heading in table.split(";")
    }


def normalised(heading: str) -> str:
    """Lower-case words without punctuation; Korean ones without spaces, which are written either "
    "way."""
    words = "".join(letter if letter.isalnum() else " " for letter in heading.lower()).split()
    text = " ".join(words)
    return text.replace(" ", "") if any("가" <= letter <= "힣" for letter in text) else text


_OBJECTIVE = frozenset(
    ("objective", "o", "objective findings", "objective data", "객관적", "객관적정보", "객관적자료")
)
_TITLE_WORDS = (
    (
        Division.SUBJECTIVE,
        regex(
            r"\b(?:history|complaints?|allergies|review of systems|hpi|ros|medications?)\b|병력"
            r"|과거력|가족력"
        ),
    ),
    (Division.EXAM, regex(r"\b(?:exam|examination|vitals?|vital signs)\b|신체검진|진찰|활력징후")),
    (
        Division.RESULTS,
        regex(
            r"\b(?:results?|labs?|laboratory|imaging|radiology|studies|data)\b|검사 ?결과"
            r"|검사 ?소견|영상"
        ),
    ),
    (
        Division.PLAN,
        regex(
            r"\b(?:plan|impression|diagnos[ei]s|recommendations?|instructions?|disposition"
            r"|assessment)\b|계획|진단|처방"
        ),
    ),
)
_NO_TITLE = regex(
    r"\b(?:pain|opioid|risk|fall|functional|nutrition\w{0,2}|self) assessment\b|\b(?:no|none|not"
    r"|normal|negative)\b"
)
_DISCHARGE = regex(r"\b(?:discharge|follow[- ]?up)\b|퇴원")
_NOTE_TITLE = regex(
    r"\bfollow ?up\b(?! (?:plan|instructions?|appointments?|care|recommendations?|with|in)\b)|\bprogress\b"
    r"|\b(?:consult\w{0,7}|discharge|clinic|visit|daily|ward|procedure|transfer)\b.{0,30}\b(?:note|summary|report)\b"
    r"|(?:경과|외래|퇴원|입원|협진|진료)(?:기록|요약|노트|기록지|회신)|외래추적|외래재진"
)
"""What a note is called; at its top such words head all of it, further down what is to be done."""


def is_objective(heading: str) -> bool:
    """True for a normalised heading below which examination and results stand together."""
    return heading in _OBJECTIVE


def is_note_title(heading: str) -> bool:
    """True for a normalised heading that names the kind of a note: "psychiatry follow up", "경과기록"."""
    return _NOTE_TITLE.search(heading) is not None


def division_of_title(heading: str) -> Division | None:
    """The division of a heading that is in no table, by its words: "CARDIAC EXAM", "PERTINENT LABS "
    "ON ADMISSION"."""
    title = heading.lower()
    if _NO_TITLE.search(title):
        return None
    if _DISCHARGE.search(title):
        return Division.PLAN
    matches = [division for division, words in _TITLE_WORDS if words.search(title)]
    return matches[-1] if matches else None
