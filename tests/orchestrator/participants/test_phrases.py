"""The report's phrases say the same in both languages."""

from __future__ import annotations

import re

import pytest

from orchestrator.participants.phrases import _PHRASES, phrase


@pytest.mark.parametrize("key", _PHRASES)
def test_both_languages_have_the_same_blanks_and_only_one_has_hangul(key: str) -> None:
    english, korean = _PHRASES[key]
    assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", korean))
    assert re.search(r"[가-힣]", korean)
    assert not re.search(r"[가-힣]", english)


def test_a_phrase_is_filled_in() -> None:
    assert phrase("warning", "en", text="x") == "Warning: x"
    assert phrase("warning", "ko", text="x") == "경고: x"
