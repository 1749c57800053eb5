"""Other words for what a query asks: abbreviations and their meanings, drugs' names, English and Korean.

A query that finds too little is asked again with all of them. A row is what notes use for one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from workers.tools.clinical.drug_names import find_names
from workers.tools.clinical.drug_tables import drugs

_ABBREVIATION = 3
"""Names of up to so many Latin letters are found in capitals only: `US`, not `us`."""
_TABLE = """
[problem]
heart failure|chf|congestive heart failure|cardiac failure|hfref|hfpef|심부전
hypertension|htn|high blood pressure|elevated blood pressure|고혈압
diabetes mellitus|dm|t2dm|t1dm|diabetes|당뇨병|당뇨
coronary artery disease|cad|ischemic heart disease|ihd|관상동맥질환|관상동맥 질환|허혈성 심질환
myocardial infarction|mi|ami|stemi|nstemi|heart attack|심근경색|심근경색증
atrial fibrillation|afib|af|심방세동
deep vein thrombosis|dvt|심부정맥혈전증|심부정맥 혈전증
pulmonary embolism|pe|폐색전증
chronic obstructive pulmonary disease|copd|emphysema|만성폐쇄성폐질환|만성 폐쇄성 폐질환
chronic kidney disease|ckd|chronic renal failure|만성신질환|만성 신부전|만성콩팥병
acute kidney injury|aki|acute renal failure|급성신손상|급성 신부전
gastroesophageal reflux disease|gerd|acid reflux|위식도역류질환|역류성 식도염
urinary tract infection|uti|요로감염
upper respiratory infection|uri|common cold|상기도감염|감기
stroke|cva|cerebrovascular accident|cerebral infarction|뇌졸중|뇌경색
transient ischemic attack|tia|일과성 허혈 발작
rheumatoid arthritis|ra|류마티스 관절염|류마티스관절염
osteoarthritis|oa|degenerative joint disease|djd|골관절염|퇴행성 관절염
hyperlipidemia|dyslipidemia|hld|high cholesterol|hypercholesterolemia|고지혈증|이상지질혈증
hypothyroidism|underactive thyroid|갑상선기능저하증|갑상선 기능 저하증
hyperthyroidism|overactive thyroid|thyrotoxicosis|갑상선기능항진증|갑상선 기능 항진증
benign prostatic hyperplasia|bph|enlarged prostate|전립선비대증
peripheral artery disease|pad|pvd|peripheral vascular disease|말초동맥질환
obstructive sleep apnea|osa|sleep apnea|수면무호흡증|수면 무호흡
major depressive disorder|mdd|depression|우울증
pneumonia|폐렴
asthma|천식
sepsis|septicemia|패혈증
anemia|빈혈
cirrhosis|간경변|간경화
epilepsy|seizure disorder|뇌전증|간질
cancer|carcinoma|malignancy|neoplasm|암|악성종양
[symptom]
shortness of breath|sob|dyspnea|breathlessness|호흡곤란|숨참
chest pain|cp|angina|흉통|가슴 통증
abdominal pain|stomach pain|belly pain|복통
headache|cephalalgia|두통
dizziness|vertigo|lightheadedness|어지럼증|어지러움|현기증
nausea|queasiness|오심|구역|메스꺼움
vomiting|emesis|구토
diarrhea|loose stools|설사
constipation|변비
fever|febrile|pyrexia|발열|열감
cough|기침
palpitations|heart racing|심계항진|두근거림
edema|swelling|부종
fatigue|tiredness|malaise|피로|피로감
weight loss|체중감소|체중 감소
rash|skin eruption|발진
[vital]
blood pressure|bp|혈압
heart rate|hr|pulse|심박수|맥박
respiratory rate|rr|호흡수
oxygen saturation|spo2|o2 sat|산소포화도|산소 포화도
temperature|temp|체온
[test]
hemoglobin a1c|hba1c|a1c|glycated hemoglobin|당화혈색소
white blood cell|wbc|leukocyte|백혈구
hemoglobin|hgb|hb|혈색소|헤모글로빈
platelet|plt|혈소판
blood urea nitrogen|bun|혈액요소질소
creatinine|cr|scr|크레아티닌
potassium|칼륨|포타슘
sodium|나트륨|소듐
liver function test|lft|간기능검사|간기능 검사
complete blood count|cbc|일반혈액검사|전혈구검사
electrocardiogram|ecg|ekg|심전도
echocardiogram|echo|tte|심초음파|심장초음파
magnetic resonance imaging|mri|자기공명영상
computed tomography|ct|ct scan|전산화단층촬영
x-ray|radiograph|xr|cxr|엑스레이|방사선 촬영
ultrasound|sonography|us|초음파
troponin|tni|tnt|트로포닌
lipid panel|lipid profile|fasting lipids|지질검사|지질 검사
urinalysis|ua|소변검사|요검사
urine culture|소변배양검사|소변 배양
blood culture|혈액배양검사|혈액 배양
c-reactive protein|crp|c 반응 단백
erythrocyte sedimentation rate|esr|적혈구침강속도
thyroid stimulating hormone|tsh|thyroid function test|tft|갑상선자극호르몬|갑상선기능검사
brain natriuretic peptide|bnp|nt-probnp|뇌나트륨이뇨펩티드
d-dimer|디다이머
stress test|exercise test|운동부하검사
pulmonary function test|pft|spirometry|폐기능검사
bone density|dexa|dxa|골밀도
mammogram|mammography|유방촬영
upper endoscopy|egd|gastroscopy|위내시경
colonoscopy|대장내시경
[procedure]
surgery|operation|수술
dialysis|hemodialysis|투석|혈액투석
biopsy|조직검사|생검
cardiac catheterization|coronary angiography|관상동맥조영술
physical therapy|physiotherapy|물리치료
[other]
follow-up|return visit|추적관찰|추적 관찰|외래 추적
allergy|allergic|알레르기
smoking|tobacco|smoker|흡연
alcohol|drinking|etoh|음주
"""


@dataclass(frozen=True)
class NamedThing:
    """A range of a query, and all names of what is named there, in a fixed order."""

    start: int
    end: int
    names: tuple[str, ...]
    kind: str
    """`problem`, `symptom`, `drug`, `test`, `procedure`, `vital` or `other`."""


def other_words(query: str) -> list[NamedThing]:
    """What a query names that has other names, in order, the longest where names overlap."""
    things = [*_of_the_table(query), *_drugs(query)]
    chosen: list[NamedThing] = []
    for thing in sorted(things, key=lambda thing: (thing.start, -thing.end)):
        if not chosen or thing.start >= chosen[-1].end:
            chosen.append(thing)
    return chosen


def _of_the_table(query: str) -> Iterator[NamedThing]:
    rows = _rows()
    for match in _pattern().finditer(query):
        kind, names = rows[_spelled(match[0])]
        yield NamedThing(match.start(), match.end(), names, kind)


def _drugs(query: str) -> Iterator[NamedThing]:
    for name in find_names(query):
        drug = drugs()[name.concept]
        yield NamedThing(name.start, name.end, (drug.name, *drug.names, *drug.korean), "drug")


@cache
def _rows() -> dict[str, tuple[str, tuple[str, ...]]]:
    rows: dict[str, tuple[str, tuple[str, ...]]] = {}
    kind = ""
    for line in _TABLE.strip().splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        names = tuple(line.split("|"))
        rows |= {_spelled(name): (kind, names) for name in names if _spelled(name) not in rows}
    return rows


def _spelled(name: str) -> str:
    """As the table is looked up: Latin words with single spaces, Korean ones with none."""
    return ("" if not name.isascii() else " ").join(name.lower().split())


@cache
def _pattern() -> re.Pattern[str]:
    """Grouped by first letters, so that few names are tried at a place; the longest first."""
    latin: dict[str, list[str]] = {}
    korean: dict[str, list[str]] = {}
    for name in sorted(_rows(), key=len, reverse=True):
        if not name.isascii():
            korean.setdefault(name[0], []).append("".join(rf"\s?{re.escape(c)}" for c in name[1:]))
        elif len(name) <= _ABBREVIATION:
            latin.setdefault(name[0].upper(), []).append(name[1:].upper())
        else:
            rest = re.escape(name[1:]).replace(r"\ ", r"\s{1,3}")
            latin.setdefault(f"[{name[0]}{name[0].upper()}]", []).append(f"(?i:{rest})")
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{_grouped(latin)})(?![A-Za-z0-9])|(?<![가-힣])(?:{_grouped(korean)})"
    )


def _grouped(groups: dict[str, list[str]]) -> str:
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in groups.items())
