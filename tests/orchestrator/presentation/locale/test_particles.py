"""Korean particles after words and numbers."""

import pytest

from orchestrator.presentation.locale.particles import with_particle
from orchestrator.presentation.locale.translator import Translator, _Format


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
        ("nofile", "을/를", "nofile을"),
        ("module", "으로/로", "module로"),
        ("name", "은/는", "name은"),
        ("pipeline", "이/가", "pipeline이"),
        ("…", "을/를", "…을(를)"),
        ("東京", "이/가", "東京이(가)"),
    ],
)
def test_the_form_follows_the_last_sound(word: str, forms: str, told: str) -> None:
    assert with_particle(word, forms) == told


def test_a_format_quotes_a_word_before_its_particle() -> None:
    words = _Format(Translator("ko"))
    assert words.format("{0:`을/를} {1:'은/는}", "git", "claude") == "`git`을 'claude'는"
