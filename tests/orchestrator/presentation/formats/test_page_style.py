"""The page's colours: words can be read on what stands behind them, in light and in dark."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from orchestrator.presentation import formats
from tests.support.contrast import LEAST, contrast

STYLE = (Path(formats.__path__[0]) / "page.css").read_text(encoding="utf-8")
SCHEMES = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)[:2]
WORDS = ("ink", "soft", "link", "critical", "major", "minor", "info", "good")
BACKS = ("page", "panel")


def colours(scheme: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): #([0-9a-f]{3,6})", scheme))


def test_contrast_is_as_wcag_has_it():
    assert contrast("000", "fff") == pytest.approx(21)
    assert contrast("777777", "ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES, ids=("light", "dark"))
def test_words_stand_out_from_what_is_behind_them(scheme: str):
    known = colours(scheme)
    pairs = [*product(WORDS, BACKS), ("ink", "quote"), ("ink", "target"), ("panel", "link")]
    pairs += [("ink", f"{severity}-back") for severity in ("critical", "major", "minor", "info")]
    pairs += [("link", f"{severity}-back") for severity in ("critical", "major", "minor", "info")]
    faint = {
        pair: ratio for pair in pairs if (ratio := contrast(known[pair[0]], known[pair[1]])) < LEAST
    }
    assert faint == {}


def test_both_schemes_have_the_same_colours_and_every_one_is_used():
    light, dark = map(colours, SCHEMES)
    assert light.keys() == dark.keys()
    assert [name for name in light if f"var(--{name})" not in STYLE] == []
