"""How many identifiers of a note are masked, and what is masked that is none.

    python -m benchmarks.case_masking NOTES.json|CSV ...

Identifiers are made up and put into real notes: a head with labels, and sentences between those of the note. The names
come from the lists below, which the rules do not know (`rare` are names of many countries that are in no list of
theirs). What is masked in the notes as they are is counted by kind: ACI-BENCH has names in its notes, so its count is
no measure of false alarms by itself; the masked texts are printed with --show.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from shared.text.masking.identifiers import mask_identifiers

GIVEN = (
    "Dmitri Priya Xiomara Kwame Siobhan Lars Mei Tomas Fatima Olga Hiroshi Ngozi Rafael Ingrid Yusuf Leila Anders "
    "Marisol Tariq Zofia Emeka Bjorn Farid Noor Ewa Goran Ximena"
).split()
COMMON = (
    "James Mary Robert Patricia John Linda Michael Barbara David Susan Karen Emily Brian".split()
)
SURNAMES = (
    "Okafor Novak Patel Lindqvist Garcia Nguyen Johnson Smith Kowalski O'Connor Haddad Yamamoto Fernandez Abdi Petrov "
    "Iyer McAllister Dubois Van-Dyke Osei Brown Miller Wagner Rossi Jimenez"
).split()
STREETS = (
    "Maple Street|Sunset Blvd|Old Mill Road|W. Jackson Ave|Harbor View Drive|3rd Street".split("|")
)
CITIES = "Riverton, OH 44121|Boise, ID 83702|Lake Forest, IL|Austin, TX 78701".split("|")
K_SURNAMES = "김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 남궁".split()
K_GIVEN = "민준 서연 지훈 은영 철수 영희 도현 하윤 수빈 재호 미경 성민 혜진 동욱 유나 상철".split()
K_PLACES = (
    "서울특별시 강남구 테헤란로 152|부산광역시 해운대구 우동 1411-2|경기도 성남시 분당구 판교로 235, 101동 1203호|"
    "대전 유성구 대학로 99|전라북도 전주시 완산구 서신동 770|제주특별자치도 제주시 연동 312-1"
).split("|")
Planted = tuple[str, str, str]
"""Its kind, how it stands there, and the identifier."""


def _date(chance: random.Random) -> str:
    year, month, day = chance.randint(1930, 2015), chance.randint(1, 12), chance.randint(1, 28)
    return chance.choice(
        (
            f"{month:02}/{day:02}/{year}",
            f"{year}-{month:02}-{day:02}",
            f"{month}/{day}/{year % 100:02}",
            f"March {day}, {year}",
        )
    )


def _phone(chance: random.Random) -> str:
    area, office, line = chance.randint(201, 989), chance.randint(200, 999), chance.randint(0, 9999)
    form = chance.choice(
        ("({}) {}-{:04}", "{}-{}-{:04}", "{}.{}.{:04}", "+1 {}-{}-{:04}", "{} {} {:04}")
    )
    return form.format(area, office, line)


def english(chance: random.Random) -> tuple[list[str], list[Planted]]:
    """Lines to be put into a note, and the identifiers in them."""
    rare = chance.random() < 0.6
    given = chance.choice(GIVEN if rare else COMMON)
    last, other = chance.sample(SURNAMES, 2)
    born, phone, record = _date(chance), _phone(chance), f"{chance.randint(10**6, 10**8)}"
    street = f"{chance.randint(2, 9999)} {chance.choice(STREETS)}, {chance.choice(CITIES)}"
    mail = (
        f"{given.lower()}.{last.lower().replace(chr(39), '')}{chance.randint(1, 99)}@mail.example"
    )
    social = f"{chance.randint(100, 899)}-{chance.randint(10, 99)}-{chance.randint(1000, 9999)}"
    head = chance.choice(
        (
            (f"Patient Name: {given} {last}", "label"),
            (f"NAME: {last}, {given}", "label"),
            (f"{given} {last} is a {chance.randint(20, 90)}-year-old patient.", "age"),
            (f"RE: {given} {last}", "nothing"),
        )
    )
    relative = chance.choice(GIVEN)
    sentences = (
        (f"Ms. {last} was seen today.", "NAME", "title", last),
        (f"{last} denies any fever.", "NAME", "repeated", last),
        (f"Referred by Dr. {other}.", "NAME", "title", other),
        (
            f"Electronically signed by: {relative} {other}, MD",
            "NAME",
            "degree",
            f"{relative} {other}",
        ),
        (f"Her daughter {relative} was with her.", "NAME", "nothing", relative),
        (f"DOB: {born}", "BIRTHDATE", "label", born),
        (f"The patient was born on {born}.", "BIRTHDATE", "label", born),
        (f"Phone: {phone}", "PHONE", "label", phone),
        (f"She can be reached at {phone}.", "PHONE", "form", phone),
        (f"MRN: {record}", "RECORD", "label", record),
        (f"Account number {record} was opened.", "RECORD", "label", record),
        (f"Chart {record}", "RECORD", "nothing", record),
        (f"Address: {street}", "ADDRESS", "label", street),
        (f"She lives at {street}.", "ADDRESS", "form", street),
        (f"Contact {mail} for results.", "EMAIL", "form", mail),
        (f"SSN {social}", "RESIDENT", "form", social),
    )
    chosen = chance.sample(sentences, 6)
    whole = f"{last}, {given}" if head[0].startswith("NAME") else f"{given} {last}"
    planted = [("NAME", f"{head[1]}, {'rare' if rare else 'common'}", whole)]
    planted += [(kind, form, value) for _, kind, form, value in chosen]
    return [head[0], *(text for text, *_ in chosen)], planted


def korean(chance: random.Random) -> tuple[list[str], list[Planted]]:
    """The same in Korean."""
    name, other, nurse = (chance.choice(K_SURNAMES) + chance.choice(K_GIVEN) for _ in range(3))
    born = f"{chance.randint(30, 99):02}{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    resident = f"{born}-{chance.randint(1, 4)}{chance.randint(0, 999999):06}"
    phone = f"010-{chance.randint(1000, 9999)}-{chance.randint(1000, 9999)}"
    home = f"0{chance.choice(('2', '31', '51'))}-{chance.randint(200, 9999)}-{chance.randint(1000, 9999)}"
    record, place = f"{chance.randint(10**6, 10**8)}", chance.choice(K_PLACES)
    date = f"19{born[:2]}년 {int(born[2:4])}월 {int(born[4:])}일"
    head = chance.choice(
        (
            (f"성명: {name}", "label"),
            (f"환자명 : {name}", "label"),
            (f"{name}({chance.choice('남여')}/{chance.randint(20, 90)})", "age"),
            (f"{name} 환자는 {chance.randint(20, 90)}세이다.", "환자"),
            (f"{name}, 흉통으로 내원", "nothing"),
        )
    )
    sentences = (
        (f"{name}님은 오늘 호전되었다.", "NAME", "address", name),
        (f"{name}은 통증을 호소하지 않음.", "NAME", "repeated", name),
        (f"주치의: {other}", "NAME", "label", other),
        (f"{other} 교수에게 협진 의뢰함.", "NAME", "address", other),
        (f"딸 {nurse}와 함께 옴.", "NAME", "nothing", nurse),
        (f"{nurse} 간호사가 설명함.", "NAME", "address", nurse),
        (f"주민등록번호: {resident}", "RESIDENT", "form", resident),
        (f"연락처: {phone}", "PHONE", "label", phone),
        (f"자택 {home}으로 연락함", "PHONE", "form", home),
        (f"등록번호: {record}", "RECORD", "label", record),
        (f"생년월일: {date}", "BIRTHDATE", "label", date),
        (f"주소: {place}", "ADDRESS", "label", place),
        (f"{place}에 거주함.", "ADDRESS", "form", place),
    )
    chosen = chance.sample(sentences, 6)
    planted = [("NAME", head[1], name)]
    planted += [(kind, form, value) for _, kind, form, value in chosen]
    return [head[0], *(text for text, *_ in chosen)], planted


K_NOTES = (
    "상기 환자는 고혈압과 당뇨병으로 치료 중이며 내원 3일 전부터 흉통이 있었다.\n혈압 150/95 mmHg, 맥박 88회/분.",
    "심부전 환자로 이뇨제를 복용 중이다. 하지 부종이 심해져 내원함.\n칼륨 5.9 mmol/L, 크레아티닌 1.8 mg/dL.",
    "주호소: 3주간의 기침. 과거력상 천식 있음. 보호자와 상의하여 입원 결정.\n계획: 흉부 CT, 항생제 변경.",
    "유방암 수술 후 추적 관찰. 우측 상지 부종. 전이 소견 없음.\n2024년 3월 1일 검사에서 이상 없음.",
)


def notes_of(path: Path) -> Iterator[str]:
    """The notes of ACI-BENCH (JSON) or of MEDEC (a table)."""
    if path.suffix == ".json":
        yield from (row["tgt"] for row in json.loads(path.read_text(encoding="utf-8"))["data"])
    else:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream)
            yield from (row["Text"] for row in rows if row["Error Flag"] == "0")


def planted(note: str, lines: list[str], chance: random.Random) -> str:
    """The note with the first line at its top and the others between its own."""
    own = note.split("\n")
    for text in lines[1:]:
        own.insert(chance.randint(0, len(own)), text)
    return "\n".join((lines[0], *own))


def main() -> None:
    """Print recall by kind and form, and what is masked in the notes as they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    typed = parser.parse_args()
    for path in typed.notes:
        notes = [*notes_of(path)]
        _report(f"{path.name}: {len(notes)} notes", notes, english, typed.seed, show=typed.show)
    _report("Korean templates", list(K_NOTES) * 100, korean, typed.seed, show=typed.show)


def _report(title: str, notes: list[str], make, seed: int, *, show: bool) -> None:  # type: ignore[no-untyped-def]
    chance = random.Random(seed)
    seen: Counter[tuple[str, str]] = Counter()
    hidden: Counter[tuple[str, str]] = Counter()
    alarms: Counter[str] = Counter()
    alarming = 0
    for note in notes:
        lines, identifiers = make(chance)
        text, _ = mask_identifiers(planted(note, lines, chance))
        for kind, form, value in identifiers:
            seen[kind, form] += 1
            hidden[kind, form] += value not in text
        _, mapping = mask_identifiers(note)
        alarms.update(name[1:].partition("-")[0] for name in mapping)
        alarming += bool(mapping)
        if show and mapping:
            print("   ", mapping)
    print(f"{title}: recall {hidden.total() / seen.total():.3f} of {seen.total()}")
    for kind, form in sorted(seen):
        print(f"  {kind:<10} {form:<16} {hidden[kind, form]:>5} of {seen[kind, form]}")
    print(f"  masked in the notes as they are: {dict(alarms)}, in {alarming} of {len(notes)} notes")


if __name__ == "__main__":
    main()
