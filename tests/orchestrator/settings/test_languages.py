"""In which language a run speaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.settings.languages import language_of


@pytest.mark.parametrize(
    "text",
    [
        "안녕",
        "이 서비스 아키텍처 어떻게 구성할까?",
        "서비스를 monolith로 시작할까, microservices로 갈까?",
        "이 architecture의 trade-off를 어떻게 평가할까?",
        "Kubernetes와 Docker Swarm 중 무엇?",
        "GPT-5 vs Claude Opus 비교",
        "PostgreSQL vs MySQL 장단점",
        '"To be or not to be, that is the question"를 번역해줘',
        "왜 느린가요?\n```python\nfor row in the_table:  # what is this for\n    print(row)\n```",
        "왜 실패하나요?\nTraceback (most recent call last):\n  what is in the file and why is it not there",
        "이 에러는 왜 나요? Error: the file is not in the directory that you have given",
        "https://example.test/what-is-this 요약해줘",
        "`git rebase -i HEAD~3` 설명",
    ],
)
def test_a_korean_question_is_korean_also_with_english_terms_code_and_quotations(text: str) -> None:
    assert language_of(None, text) == "ko"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "1 + 1 = ?",
        "Which architecture should we choose?",
        "What does 안녕하세요 mean?",
        "How do I say 'good morning' in Korean? Is it 좋은 아침?",
        "Translate this into English: 오늘은 날씨가 좋다",
        'Why does the label "주문 내역을 불러오는 중입니다" overflow?',
        "Why does this fail?\n```py\nname = '한국어 문자열입니다'  # 이름\n```",
        "¿Qué arquitectura elegimos?",
    ],
)
def test_an_english_question_is_english_also_when_it_quotes_korean(text: str) -> None:
    assert language_of(None, text) == "en"


@pytest.mark.parametrize(("chosen", "text"), [("en", "안녕하세요"), ("ko", "Hello there")])
def test_what_somebody_chose_counts_before_the_subject(chosen: str, text: str) -> None:
    assert language_of(chosen, text) == chosen


def test_a_question_of_nothing_but_a_quotation_is_read_as_it_stands() -> None:
    assert language_of(None, "“오늘은 날씨가 좋다”") == "ko"


@given(st.text(max_size=200))
def test_any_text_has_a_language_and_text_without_hangul_is_english(text: str) -> None:
    found = language_of(None, text)
    assert found in ("en", "ko")
    if not any("가" <= letter <= "힣" for letter in text):
        assert found == "en"
