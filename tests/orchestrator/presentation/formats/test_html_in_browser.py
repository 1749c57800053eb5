"""The page in a real Chromium: no script of anybody runs, the style applies, and nothing is wider than a telephone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from orchestrator.presentation.formats.html import render
from orchestrator.presentation.locale.translator import Translator
from tests.support.case_reports import case_report, case_result

pytestmark = [pytest.mark.component, pytest.mark.needs_chromium]
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n"
    + 400 * "W"
)
SIZES = ((1360, 900), (390, 844))


def opened(
    chromium: Any, page: Path, size: tuple[int, int] = SIZES[0], scheme: str = "light"
) -> Any:
    width, height = size
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=True
    )
    shown = context.new_page()
    shown.goto(page.as_uri())
    return shown


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    result = case_result(text=HOSTILE, critique=(), analysis=HOSTILE)
    path.write_text(render(case_report(result=result), Translator("ko")), encoding="utf-8")
    return path


def test_no_script_runs_and_nothing_is_loaded(chromium: Any, page: Path) -> None:
    shown = opened(chromium, page)
    assert shown.title() == "chart.txt"
    assert shown.locator("script, img, iframe, link").count() == 0
    assert "<script>" in shown.locator(".text").inner_text()


@pytest.mark.parametrize("size", SIZES, ids=("screen", "telephone"))
def test_the_page_is_no_wider_than_its_window(
    chromium: Any, page: Path, size: tuple[int, int]
) -> None:
    shown = opened(chromium, page, size)
    assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_style_applies_and_follows_the_readers_scheme(chromium: Any, page: Path) -> None:
    backs = [
        opened(chromium, page, scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert backs == ["rgb(251, 251, 250)", "rgb(20, 23, 26)"]


def test_the_keyboard_reaches_the_content_first(chromium: Any, page: Path) -> None:
    shown = opened(chromium, page)
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.className") == "skip"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "content"


def test_headings_follow_one_another_and_pictures_have_names(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(case_report(), Translator("en")), encoding="utf-8")
    shown = opened(chromium, path)
    levels = shown.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    pictures = shown.locator("svg[role=img]")
    names = [pictures.nth(n).get_attribute("aria-label") for n in range(pictures.count())]
    assert len(names) == 4
    assert all(names)
    assert shown.evaluate(
        "new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size"
    ) == (shown.locator("[id]").count())
