"""The style sheet and the scripts: words stand out in light and dark, and nothing leads out of the house."""

from __future__ import annotations

import re
from importlib import resources
from itertools import product

import pytest

from orchestrator.web.pages.static_files import address_of, static_file
from tests.support.contrast import LEAST, contrast

STYLE = static_file("quorate.css").content.decode()
COLOUR = re.compile(r"--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)")
OWN = STYLE.partition("/* The pages' design")[2]
FIXED = dict(re.findall(r"--([\w-]+): #([0-9a-f]{6});", OWN))
BACKS = ("page", "panel", "raised", "sunken", "hover", "quote")
TONES = ("critical", "major", "minor", "info", "good")


def colours(scheme: int) -> dict[str, str]:
    return {name: both[scheme] for name, *both in COLOUR.findall(OWN)} | FIXED


@pytest.mark.parametrize("scheme", [0, 1], ids=("light", "dark"))
def test_words_stand_out_from_what_is_behind_them(scheme: int) -> None:
    known = colours(scheme)
    pairs = [*product(("ink", "soft", "link"), BACKS), *product(TONES, ("page", "panel", "raised"))]
    pairs += [(tone, f"{tone}-back") for tone in TONES]
    pairs += [("ink", f"{tone}-back") for tone in TONES]
    pairs += product(("ink",), ("accent-back", "target", "added", "removed", "added-strong"))
    pairs += [("ink", "removed-strong"), ("on-accent", "accent"), ("on-accent", "accent-hover")]
    pairs += product(("on-dark",), ("reviewing", "awaiting"))
    pairs += product(("on-bright",), ("debating", "synthesizing"))
    faint = {
        pair: ratio for pair in pairs if (ratio := contrast(known[pair[0]], known[pair[1]])) < LEAST
    }
    assert faint == {}


@pytest.mark.parametrize("scheme", [0, 1], ids=("light", "dark"))
def test_code_stands_out_from_every_line_of_a_patch(scheme: int) -> None:
    known = colours(scheme)
    rules = re.findall(r"hl-[^{]*\{ color: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)", STYLE)
    assert len(rules) == 7
    backs = ("panel", "quote", "added", "removed", "added-strong", "removed-strong")
    faint = {
        (rule[scheme], back): ratio
        for rule, back in product(rules, backs)
        if (ratio := contrast(rule[scheme], known[back])) < LEAST
    }
    assert faint == {}


def test_the_states_have_the_colours_of_the_first_description() -> None:
    states = ("reviewing", "debating", "awaiting", "synthesizing")
    assert [FIXED[name] for name in states] == ["7c3aed", "d97706", "2563eb", "0891b2"]


def test_every_colour_is_used() -> None:
    assert [name for name in colours(0) if f"var(--{name})" not in STYLE] == []


def test_documents_look_as_in_a_report() -> None:
    assert ".document {" in STYLE
    assert ".finding.critical" in STYLE


@pytest.mark.parametrize("name", ["quorate.css", "quorate.js", "icon.svg"])
def test_nothing_leads_out_of_the_house(name: str) -> None:
    text = static_file(name).content.decode().replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"https?:|//\w|url\(|@import|eval\(|innerHTML", text) == []


def test_an_address_names_the_content() -> None:
    digest = static_file("quorate.css").digest
    assert address_of("quorate.css") == f"/static/quorate.css?v={digest}"


def test_htmx_comes_with_its_licence() -> None:
    folder = resources.files("orchestrator.web.pages") / "static"
    assert "Zero-Clause BSD" in (folder / "htmx.LICENSE").read_text(encoding="utf-8")
