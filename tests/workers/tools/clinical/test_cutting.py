"""A text is cut where a statement ends, and nothing of it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.tools.clinical.cutting import LONGEST, cut_passages


def cuts(text: str) -> list[str]:
    return [text[start:end] for start, end in cut_passages(text)]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("He fell. She came.", ["He fell.", "She came."]),
        ("Seen by Dr. Lee at 5 p.m. today.", ["Seen by Dr. Lee at 5 p.m. today."]),
        ("Potassium was 5.2. It fell.", ["Potassium was 5.2.", "It fell."]),
        ("열이 있었다. 기침은 없다.", ["열이 있었다.", "기침은 없다."]),
        (
            "- fever present today\n- cough for a week now",
            ["- fever present today", "- cough for a week now"],
        ),
        (
            "1. Start aspirin now.\n2. Stop ibuprofen.",
            ["1. Start aspirin now.", "2. Stop ibuprofen."],
        ),
        ("PLAN\n\nStart aspirin.", ["PLAN\n\nStart aspirin."]),
        (
            "The patient was seen in the clinic and says that the pain in the\nback is better.",
            ["The patient was seen in the clinic and says that the pain in the\nback is better."],
        ),
        ("", []),
        ("\n \n--\n", []),
    ],
)
def test_a_passage_is_a_statement(text: str, passages: list[str]) -> None:
    assert cuts(text) == passages


@given(st.text(alphabet="ab가나1.!?。:\n \t-", max_size=300))
def test_passages_are_in_order_apart_and_hold_every_letter(text: str) -> None:
    covered: set[int] = set()
    last = 0
    for start, end in cut_passages(text):
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        covered.update(range(start, end))
        last = end

    assert {n for n, letter in enumerate(text) if letter.isalnum()} <= covered


def test_a_sentence_without_end_is_cut_between_words() -> None:
    text = "word " * 1000

    passages = cut_passages(text)

    assert all(end - start <= LONGEST for start, end in passages)
    assert {text[start:end].split(maxsplit=1)[0] for start, end in passages} == {"word"}


def test_headings_without_end_do_not_gather_into_one_passage() -> None:
    assert all(end - start <= LONGEST for start, end in cut_passages("ab\n" * 5000))
