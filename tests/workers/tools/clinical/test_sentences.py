"""Where sentences of notes end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workers.tools.clinical.languages import find_language
from workers.tools.clinical.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Blood pressure is 120/80 mm Hg. at rest and 1.5 times higher after exercise.",
        "Dr. Kim saw the pt. in the clinic.",
        "Take 5 mg q.d. and 10 mg b.i.d. with food.",
        "Risk factors, e.g. smoking and obesity, were discussed.",
        "1. Continue lisinopril.",
        "체온은 37.5도로 측정되었으며 1.5배 증가하였다.",
    ],
)
def test_points_inside_a_sentence_do_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He is well. She is not.", ["He is well.", "She is not."]),
        ("Take it q.d. Return in a week.", ["Take it q.d.", "Return in a week."]),
        ("기침 있음. 발열은 없음.", ["기침 있음.", "발열은 없음."]),
        ("흉통을 호소하였다.발열은 없었다.", ["흉통을 호소하였다.", "발열은 없었다."]),
        ("• Fever\n• Cough\r\n2. Rash", ["• Fever", "• Cough", "2. Rash"]),
        ("Is it worse? Yes!", ["Is it worse?", "Yes!"]),
    ],
)
def test_sentences_end_at_their_points_and_lines(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_wrapped_line_goes_on() -> None:
    text = "The patient is a farmer who was seen in the clinic for\nhis cough."
    assert sentences(text) == [text]


_ODD = ("", "\x00", "e\u0301. N\u0303o", "\u202eabc. \u202cDef", "\uff21. \uff22\u3002 C", "\n\n")


@pytest.mark.parametrize("text", _ODD)
def test_nothing_but_white_space_is_lost_of_odd_texts(text: str) -> None:
    ranges = split_sentences(text)
    kept = "".join(text[start:end] for start, end in ranges)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The patient has a cough and no fever.", "en"),
        ("BP 120/80, HR 70", "en"),
        ("", "en"),
        ("HTN, DM으로 amlodipine, metformin 복용 중인 환자", "ko"),
        ("Der Patient klagt über Husten und Fieber seit drei Tagen, die Lunge ist frei.", "de"),
        ("El paciente presenta fiebre y tos desde hace tres días con dolor en el pecho.", "es"),
        ("患者は三日前から咳があり、熱はない。", "ja"),
        ("Пациент жалуется на кашель.", "ru"),
    ],
)  # fmt: skip
def test_the_language_of_a_note_is_recognised(text: str, language: str) -> None:
    assert find_language(text) == language
