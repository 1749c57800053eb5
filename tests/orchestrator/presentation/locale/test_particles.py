"""Korean particles after words and numbers."""

import pytest

from orchestrator.presentation.locale.particles import with_particle


@pytest.mark.parametrize(
    ("word", "forms", "told"),
    [
        ("패널", "을/를", "패널을"),
        ("심판", "은/는", "심판은"),
        ("의자", "이/가", "의자가"),
        ("claude", "이/가", "claude가"),
        ("gemini", "과/와", "gemini와"),
        ("gpt", "은/는", "gpt는"),
        ("git", "은/는", "git은"),
        ("json", "이/가", "json이"),
        ("qwen", "을/를", "qwen을"),
        ("config.yaml", "으로/로", "config.yaml로"),
        ("서울", "으로/로", "서울로"),
        ("부산", "으로/로", "부산으로"),
        ("3", "을/를", "3을"),
        ("42", "을/를", "42를"),
        ("gpt-4", "이/가", "gpt-4가"),
        ("`make`", "을/를", "`make`를"),
        ("…", "을/를", "…을(를)"),
        ("東京", "이/가", "東京이(가)"),
    ],
)
def test_the_form_follows_the_last_sound(word: str, forms: str, told: str) -> None:
    assert with_particle(word, forms) == told
