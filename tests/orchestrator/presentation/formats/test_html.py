"""A page that holds everything itself, and in which nothing that somebody else wrote is markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.document import (
    Block,
    Drawing,
    FindingEntry,
    FindingList,
    FindingWords,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    NamedRule,
    Patch,
    Title,
    Words,
    remark,
)
from orchestrator.core.lines import Span, Style
from orchestrator.core.pictures import (
    AnnotatedText,
    Chronology,
    DrawnEvent,
    DrawnValue,
    Highlight,
    Plots,
    RangePlot,
    Tick,
)
from orchestrator.presentation.formats.html import as_page, render
from orchestrator.presentation.formats.markdown import as_markdown
from orchestrator.presentation.formats.text import as_lines
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.findings import Severity
from shared.models.outcomes import Verdict
from tests.support.reports import PATCH, make_finding, make_report

HOSTILE = (
    "</style><script>alert(1)</script><img src=x onerror=alert(1)>\"' onload='x' &lt; \x1b[31m\x00"
)
VOID = {"meta", "br", "line", "circle", "rect", "polyline", "polygon"}
OURS = {
    *("html", "head", "meta", "title", "style", "body", "a", "div", "header", "h1", "h2", "h3", "p", "main"),
    *("nav", "ul", "li", "section", "article", "span", "code", "pre", "b", "strong", "small", "blockquote"),
    *("dl", "dt", "dd", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "figure"),
    *("figcaption", "svg", "line", "text", "g", "circle", "rect", "polyline", "polygon", "mark", "br"),
}  # fmt: skip


class Elements(HTMLParser):
    """What a browser finds: elements that are closed in their order, with their attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.opened: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.opened and self.opened[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def everything(content: str) -> list[Block]:
    """A document in which somebody's text stands wherever one can."""
    finding = make_finding(
        title=content,
        detail=content,
        suggestion=content,
        quote=content,
        rule=content,
        category=content,
    )
    words = FindingWords(content, content, content, content, defaultdict(lambda: content))
    grid = Grid((content, "where"), ((content, "chart:2"),))
    events = (DrawnEvent(1, 0.0, content, content, 1), DrawnEvent(2, 400.0, content, content, 2))
    values = (
        DrawnValue(1.0, content, 1, 0.0, content),
        DrawnValue(9.0, content, 2, 3.0, content, True),
    )
    drawings = (
        Drawing(Chronology(content, events, (Tick(0.0, content), Tick(400.0, content))), grid),
        Drawing(Plots((RangePlot(content, content, values, 2.0, 5.0, content),)), grid),
    )
    return [
        Title(content, content),
        remark(content, Span(content, Style.COMMAND)),
        FindingList(
            (
                FindingEntry(
                    finding,
                    why=content,
                    suggestion=content,
                    carried=content,
                    rules=(NamedRule(content),),
                ),
            ),
            words,
        ),
        Heading(content, content),
        Items((Item(content, content, content), Item(f"a\n{content}"))),
        *drawings,
        Words(f"{content}\n\n- {content}\n\n```\n{content}\n```\n`{content}` **{content}**"),
        Patch(f"+{content}\n"),
        Folded(content, (Heading(content, content), Words(content), grid)),
        AnnotatedText(content, "chart", f"{content}\n{content}", _marks(content)),
    ]


def _marks(content: str) -> tuple[Highlight, ...]:
    end = 2 * len(content)
    return (
        Highlight(1, end, content, Severity.MAJOR),
        Highlight(0, min(4, end), "F1", Severity.MINOR),
        Highlight(2, end + 90, "F2", Severity.CRITICAL),
    )


def assert_harmless(page: str) -> Elements:
    """Only our elements, closed in order, with attributes that run and load nothing."""
    elements = Elements(page)
    assert elements.opened == []
    assert {tag for tag, _ in elements.tags} <= OURS
    for _, attributes in elements.tags:
        assert not any(name.startswith("on") or name in {"src", "style"} for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    return elements


def test_hostile_text_is_shown_and_is_no_markup_wherever_it_stands():
    page = as_page(everything(HOSTILE), ENGLISH)
    elements = assert_harmless(page)
    assert elements.text.count("<script>alert(1)</script>") > 20
    assert page.count("</style>") == 1
    assert "\x1b" not in page
    assert "\x00" not in page


@given(st.text(alphabet=st.sampled_from("<>&\"'`*#-\n\r\t\x00\x1b[]()=aF1:c가;/!~ "), max_size=40))
def test_no_text_opens_or_closes_an_element(content: str):
    assert_harmless(as_page(everything(content), ENGLISH))


def test_the_page_forbids_itself_scripts_and_requests_and_knows_its_one_style():
    page = as_page(everything("x"), ENGLISH)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policies = [a.get("content") for _, a in Elements(page).tags if "http-equiv" in a]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_a_review_is_a_page_in_the_readers_language():
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(quote="os.system(name)"),)
    )
    page = render(report, Translator("ko"))
    elements = assert_harmless(page)
    assert ("html", {"lang": "ko"}) in elements.tags
    assert "본문으로 건너뛰기" in elements.text
    assert "os.system(name)" in elements.text
    assert "app.py:9" in elements.text


def test_a_place_in_the_text_is_a_link_to_its_line_and_a_highlight_to_what_is_said_of_it():
    chart = AnnotatedText(
        "Chart", "chart", "BP 80/40\nPulse 130", (Highlight(3, 8, "F1", Severity.MAJOR),)
    )
    page = as_page([Items((Item("see chart:2 and mychart:2"),)), chart], ENGLISH)
    assert '<a class="place" href="#L2">chart:2</a> and mychart:2' in page
    assert '<div id="L1" class="marked">' in page
    assert '<mark class="major">80/40</mark><a class="reference" href="#F1">F1</a>' in page
    assert '<div id="L2">' in page


def test_overlapping_highlights_show_the_worst_and_name_both():
    marks = (Highlight(0, 5, "F1", Severity.MINOR), Highlight(3, 9, "F2", Severity.CRITICAL))
    page = as_page([AnnotatedText("Chart", "chart", "abcdefghij", marks)], ENGLISH)
    row = re.search(r'<div id="L1".*?</div>', page)
    assert row is not None
    assert re.findall(r'<mark class="(\w+)">(\w+)</mark>', row[0]) == [
        ("minor", "abc"),
        ("critical", "de"),
        ("critical", "fghi"),
    ]
    assert row[0].index("#F1") < row[0].index("fghi") < row[0].index("#F2")


def test_a_highlight_over_several_lines_is_named_once_at_its_end():
    marks = (Highlight(2, 9, "F1", Severity.INFO),)
    page = as_page([AnnotatedText("Chart", "chart", "abcd\nefgh\nijkl", marks)], ENGLISH)
    assert page.count('href="#F1"') == 1
    assert page.count('class="marked"') == 2


def test_text_and_markdown_have_the_facts_of_a_picture_as_a_table_and_the_text_with_its_lines():
    blocks = everything("fact")
    rows = ["".join(span.text for span in row) for row in as_lines(blocks)]
    assert "  fact  chart:2" in rows
    assert rows[-2:] == ["  1  fact  [F1, fact, F2]", "  2  fact  [fact, F2]"]
    markdown = as_markdown(blocks)
    assert "| fact | chart:2 |" in markdown
    assert re.search(r"1  fact  \[F1, fact, F2\]", markdown)


@pytest.mark.parametrize(
    "days", [(0.0,), (0.0, 0.0), (0.0, 5.0), (-40000.0, 0.0), tuple(map(float, range(300)))]
)
def test_every_event_stands_within_the_picture(days: tuple[float, ...]):
    events = tuple(DrawnEvent(n, day, "drug", "x", 1) for n, day in enumerate(days))
    shown = Chronology("Timeline", events, (Tick(days[0], "first"), Tick(days[-1], "last")))
    page = as_page([Drawing(shown, Grid((), ()))], ENGLISH)
    size = re.search(r'viewBox="0 0 (\S+) (\S+)"', page)
    assert size is not None
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', page)
    assert len(dots) == len(days)
    assert all(0 < float(x) < float(size[1]) and 0 < float(y) < float(size[2]) for x, y in dots)


def test_values_outside_their_range_differ_from_others_by_their_shape():
    values = (DrawnValue(4.0, "4.0", 1), DrawnValue(6.9, "6.9", 2, outside=True))
    page = as_page(
        [Drawing(Plots((RangePlot("K", "mmol/L", values, 3.5, 5.1),)), Grid((), ()))], ENGLISH
    )
    assert page.count("<circle") == 1
    assert page.count("<polygon") == 1
    assert 'aria-label="K: 4.0; 6.9. "' in page


def test_the_contents_lead_to_every_part_and_what_is_folded_has_headings_below_its_name():
    blocks = [*(Heading(name) for name in "abc"), Folded("How", (Heading("inner"), Words("x")))]
    page = as_page(blocks, ENGLISH)
    assert re.findall(r'<li><a href="#(\w+)">(\w+)</a>', page) == [
        *(("s1", "a"), ("s2", "b"), ("s3", "c"), ("s4", "How")),
    ]
    assert '<summary><h2 id="s4">How</h2></summary><h3>inner</h3>' in page


def test_a_patch_keeps_its_signs():
    page = as_page([Patch(PATCH)], ENGLISH)
    assert '<span class="s-removed">-bad</span>\n<span class="s-added">+good</span>' in page
