"""An attack on the masking of identifiers: whole notes, written after the rules, with everybody who stands in them.

    python -m benchmarks.case_masking_notes [--copies N] [--show]

Each template is a note with fields (`{name}`, `{record}`, ...) that are filled N times with made-up people; no template
and no name was used for the rules. Counted are identifiers that no longer stand in the masked text, by kind, and places
that were masked and are no identifier (eponyms, drugs, hospitals' words, dates that are no birth dates), by note.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from shared.text.masking.identifiers import mask_identifiers

ENGLISH = (
    """DISCHARGE SUMMARY
Patient: {last}, {given}    MRN: {record}    DOB: {birth}
Attending: {doctor}, MD
{given} {last} is a 67-year-old retired teacher with Parkinson disease and a Foley catheter,
admitted on 03/02/2024 with fever.
Mr. {last} improved on ceftriaxone 2 g daily. Contact: wife {relative} at {phone}.
Follow-up with Dr. {doctor} in two weeks. Potassium 4.1 mmol/L.""",
    """Dear Dr. {doctor},
Thank you for referring {given} {last}, who lives at {address}. On examination the Babinski sign was absent.
I will see {given} again after the MRI. You may call me at {phone} or write to {mail}.
Sincerely,
{relative} {last}""",
    """{last}, {given} | {birth} | #{record}
S: Pt states "my knee hurts". Lives w/ son {relative}.
O: BP 132/84, HR 78. Lachman negative, McMurray positive.
A/P: Baker cyst. Naproxen 500 mg BID. PCP {doctor} informed.""",
    """Telephone encounter 02/11/2024: {given} {last} called from {phone} about her blood sugars. Verified with
date of birth {birth}.
Advised to take metformin with food. Ms. {last} voiced understanding. Message sent to {mail}.""",
    """EMERGENCY DEPARTMENT NOTE
Name: {given} {last}
SSN: {social}
Address: {address}
Emergency contact: {relative} {last} ({phone})
A 45-year-old man with Crohn disease presents with abdominal pain for 3 days.
Murphy sign negative. CT on 01/05/2024 unremarkable.
Discharged home by {doctor} PA-C.""",
    """Operative report. Surgeon: {doctor}. Patient {given} {last}, account {record}.
Procedure: Whipple. A Kocher maneuver was performed and a Jackson-Pratt drain was left.
Estimated blood loss 200 mL.""",
    """Social work: {given} lives with her husband {relative} at {address}. She was born {birth} in Ohio.
{given} has no car.
Home phone {phone}. Meals on Wheels arranged.""",
    """PSYCHIATRY FOLLOW UP
{given} {last} returns for follow-up of depression. He feels better on sertraline 100 mg.
{last} denies suicidal ideation.
Therapist: {doctor}, LCSW. Next visit April 3.""",
    """NURSING: {record} {last} - resting comfortably, Tylenol 650 mg given at 0400.
Daughter {relative} at bedside. {doctor} RN""",
    """Radiology. Patient ID {record}. {given} {last}, born {birth}. Indication: cough.
Findings: no consolidation. Dictated by {doctor}, M.D.""",
)
KOREAN = (
    """퇴원요약지
환자성명: {name}   등록번호: {record}   생년월일: {birth}
주치의: {doctor}
{name} 환자는 파킨슨병으로 치료 중이던 67세 남자로 2024년 3월 2일 발열로 입원함. 세프트리악손 2 g 투여 후 호전됨.
보호자 {relative}(배우자) 연락처 {phone}. 퇴원 후 2주 뒤 {doctor} 교수 외래 예정.""",
    """{doctor} 선생님께
귀하께서 의뢰하신 {name} 님은 {address}에 거주하시는 분으로, 진찰상 바빈스키 징후는 없었습니다.
문의: {phone}, {mail}""",
    """{name}/M/54 #{record}
S) 3일 전부터 무릎이 아프다고 함. 아들 {relative}과 거주.
O) 혈압 132/84, 맥박 78.
P) 나프록센 500mg. {doctor} 과장님께 보고함.""",
    """전화상담 2024-02-11: {name}님이 {phone}로 전화하여 혈당에 대해 문의함. 주민번호 {social} 확인함.
메트포르민은 식후 복용하도록 설명.""",
    """응급실 기록
이름 {name}
주소 {address}
비상연락처 {relative} {phone}
45세 남자, 크론병으로 추적 중이며 3일간의 복통으로 내원. 머피 징후 음성.
2024년 1월 5일 CT 이상 없음. 담당의 {doctor}""",
    """수술기록지  집도의: {doctor}  환자번호 {record}  {name}
휘플 수술 시행. 실혈량 200 mL. 배액관 유지.""",
    """사회사업: {name} 씨는 남편 {relative} 씨와 {address}에서 살고 있음. {birth}생. 집전화 {phone}.""",
    """정신건강의학과 경과기록
{name}은 우울증으로 서트랄린 100mg 복용하며 호전되었다. {name}은 자살사고를 부인함. 상담사 {doctor}.""",
    """간호기록: {record} {name} - 안정 중. 타이레놀 650mg 투여. 딸 {relative} 보호자로 상주. {doctor} RN""",
    """영상의학과 판독. 환자ID {record}. {name}, {birth}생. 기침. 폐경화 없음. 판독의 {doctor}.""",
)
_GIVEN = (
    "Thandiwe Casimir Philippa Ronan Isolde Bogdan Meera Tobias Anneliese Kofi Beatrix Dagny Evander Sunniva Matteo "
    "Linnea Oksana Teodor Harriet Clement Joan Walter Theresa Gordon"
).split()
_LAST = (
    "Achterberg Oyelaran Szymanski Whitcomb Delacroix Bhattacharya Tanaka Hollingsworth Moreau Vasquez Abernathy "
    "Lund Krishnan Zielinski Underwood Castellanos Fitzgerald Mbeki Sato Harrington"
).split()
_STREETS = (
    "Birchwood Lane",
    "Tamarack Court",
    "North 7th Avenue",
    "Quarry Ridge Rd",
    "County Road 12",
)
_CITIES = ("Duluth, MN 55802", "Macon, GA 31201", "Yuma, AZ", "Bangor, ME 04401")
_K_LAST = "구 마 류 봉 표 노 하 민 지 원 변 채 김 이 박 정".split()
_K_GIVEN = "나래 우석 다온 태형 소담 규리 찬호 말순 복자 현배 예솔 준모 금옥 세라 인욱 하람".split()
_K_PLACES = (
    "인천광역시 남동구 구월로 33",
    "강원특별자치도 춘천시 효자동 612-4",
    "경상남도 김해시 가야로 88번길 7, 302호",
    "세종특별자치시 한누리대로 2130",
)
_MONTHS = "January February March April May June July August September October November December"


def _english(chance: random.Random) -> dict[str, str]:
    given, relative = chance.sample(_GIVEN, 2)
    last, other = chance.sample(_LAST, 2)
    year, month, day = chance.randint(1931, 2003), chance.randint(1, 12), chance.randint(1, 28)
    births = (
        f"{month}/{day}/{year}",
        f"{_MONTHS.split()[month - 1]} {day}, {year}",
        f"{year}-{month:02}-{day:02}",
    )
    area, office, line = chance.randint(201, 989), chance.randint(200, 999), chance.randint(0, 9999)
    phones = (
        f"({area}) {office}-{line:04}",
        f"{area}-{office}-{line:04}",
        f"{area}.{office}.{line:04}",
    )
    return {
        "given": given,
        "last": last,
        "relative": relative,
        "doctor": f"{chance.choice(_GIVEN)} {other}",
        "birth": chance.choice(births),
        "phone": chance.choice(phones),
        "record": str(chance.randint(10**6, 10**8)),
        "social": f"{chance.randint(100, 665)}-{chance.randint(10, 99)}-{chance.randint(1000, 9999)}",
        "address": f"{chance.randint(2, 9999)} {chance.choice(_STREETS)}, {chance.choice(_CITIES)}",
        "mail": f"{given.lower()}_{last.lower()}{chance.randint(1, 99)}@post.example",
    }


def _korean(chance: random.Random) -> dict[str, str]:
    name, doctor, relative = (chance.choice(_K_LAST) + chance.choice(_K_GIVEN) for _ in range(3))
    year, month, day = chance.randint(31, 99), chance.randint(1, 12), chance.randint(1, 28)
    middle, last = chance.randint(2000, 9999), chance.randint(0, 9999)
    return {
        "name": name,
        "doctor": doctor,
        "relative": relative,
        "birth": chance.choice((f"19{year}.{month:02}.{day:02}", f"19{year}년 {month}월 {day}일")),
        "phone": chance.choice((f"010-{middle}-{last:04}", f"010 {middle} {last:04}")),
        "record": str(chance.randint(10**6, 10**8)),
        "social": f"{year}{month:02}{day:02}-{chance.randint(1, 4)}{chance.randint(0, 999999):06}",
        "address": chance.choice(_K_PLACES),
        "mail": f"user{chance.randint(100, 999)}@post.example",
    }


def _is_left(value: str, text: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(value)}(?![A-Za-z0-9])", text) is not None


def attack(templates: Sequence[str], people: Sequence[Mapping[str, str]], *, show: bool) -> str:
    """The figures of all templates, each filled with everybody of `people`."""
    stood: Counter[str] = Counter()
    hidden: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[tuple[int, str]] = Counter()
    for number, template in enumerate(templates):
        fields = set(re.findall(r"{(\w+)}", template))
        for values in people:
            text, mapping = mask_identifiers(template.format(**values))
            for field in fields:
                stood[field] += 1
                left = _is_left(values[field], text)
                hidden[field] += not left
                missed[number, field] += left
            named = " ".join(values.values())
            wrong.update(
                original
                for original in mapping.values()
                if original not in named and not any(part in original for part in values.values())
            )
    lines = [f"recall {hidden.total() / stood.total():.3f} of {stood.total()}"]
    lines += [f"  {field:<9} {hidden[field]:>5} of {stood[field]}" for field in sorted(stood)]
    notes = len(templates) * len(people)
    lines.append(f"  masked that is none: {wrong.total() / notes:.3f} a note")
    if show:
        lines += [
            f"  missed {count:>3} {field:<9} in note {number}"
            for (number, field), count in missed.most_common()
            if count
        ]
        lines.append(f"  {wrong.most_common(12)}")
    return "\n".join(lines)


def main() -> None:
    """Print the figures of both languages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=25, help="how often each template is filled")
    parser.add_argument(
        "--show", action="store_true", help="what was missed, and what was masked wrongly"
    )
    typed = parser.parse_args()
    chance = random.Random(13)
    for title, templates, person in (("English", ENGLISH, _english), ("Korean", KOREAN, _korean)):
        people = [person(chance) for _ in range(typed.copies)]
        print(
            f"{title}: {len(templates) * typed.copies} notes: {attack(templates, people, show=typed.show)}"
        )


if __name__ == "__main__":
    main()
