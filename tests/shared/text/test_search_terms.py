"""A text and a query become the same terms however words are inflected, in English and in Korean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text.search_terms import search_terms
from shared.text.stemming import stem

# From the tables of Porter's paper.
PUBLISHED = {
    "caresses": "caress",
    "ponies": "poni",
    "agreed": "agre",
    "plastered": "plaster",
    "motoring": "motor",
    "sing": "sing",
    "hopping": "hop",
    "falling": "fall",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "vietnamization": "vietnam",
    "triplicate": "triplic",
    "electriciti": "electr",
    "adoption": "adopt",
    "replacement": "replac",
    "rate": "rate",
    "cease": "ceas",
    "controll": "control",
}


@pytest.mark.parametrize(("word", "stemmed"), PUBLISHED.items())
def test_a_word_has_the_stem_that_its_author_published(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("She has diabetes.", "diabetic"),
        ("known hypertension", "hypertensive"),
        ("Potassium 5.2 mmol/L", "5.2"),
        ("started 5mg", "5 mg"),
        ("HbA1c was high", "hba1c"),
        ("고혈압이 있으며", "고혈압"),
        ("고혈압이 있으며", "혈압을"),
        ("아스피린을 복용하였다", "아스피린 복용"),
        ("CT에서 보인다", "CT"),
    ],
)
def test_a_query_finds_the_word_in_another_form(text: str, query: str) -> None:
    terms = search_terms(query)

    assert terms
    assert set(terms) <= set(search_terms(text))


def test_words_without_content_are_no_terms() -> None:
    assert search_terms("and the of it was 그리고 있습니다 및") == []


def test_a_particle_after_a_latin_word_is_no_term() -> None:
    assert search_terms("CT에서") == ["ct"]


@given(st.text(max_size=200))
def test_terms_of_any_text_can_stand_in_a_query_of_postgres(text: str) -> None:
    for term in search_terms(text):
        assert term
        assert not set(term) & set("'\\ \x00\n")
        assert len(term) <= 40


def test_a_megabyte_of_one_word_is_read_once() -> None:
    terms = search_terms("가" * 500_000 + " " + "a" * 500_000)

    assert terms[-1] == stem("a" * 40)
