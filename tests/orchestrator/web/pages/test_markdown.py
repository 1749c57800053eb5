"""What somebody wrote becomes paragraphs, lists and code; nothing of it runs, loads or leads anywhere."""

from __future__ import annotations

import pytest

from orchestrator.web.pages.markdown import MOST_LETTERS, prose
from tests.support.hostile_texts import HOSTILE, UNSEEN, active_parts, text_of


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_does_nothing(text: str) -> None:
    for shown in (text, f"- {text}", f"> {text}", f"    {text}", f"| a |\n|---|\n| {text} |"):
        made = prose(shown)
        assert active_parts(made) == []
        assert "<a" not in made
        assert not UNSEEN.search(made)


def test_the_search_finds_what_is_active() -> None:
    raw = {name: text for name, text in HOSTILE.items() if "<" in text and "\x00" not in text}
    harmless = {"entity", "surrogate", "key", "htmx", "broken tag", "comment", "cdata"}
    harmless |= {name for name in raw if name.startswith("markdown ")}
    assert [name for name in raw if not active_parts(raw[name]) and name not in harmless] == []


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>\n"),
        ("a **b** *c* ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <s>d</s> <code>e</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
        ("## Title", '<p class="title-2">Title</p>\n'),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
    ],
)  # fmt: skip
def test_what_is_said_is_shaped(text: str, markup: str) -> None:
    assert prose(text) == markup


def test_links_and_pictures_stay_as_they_were_written() -> None:
    text = "[docs](https://a.example/b) ![p](https://a.example/p.png) <https://a.example>"
    assert text_of(prose(text)).strip() == text


def test_code_has_the_colours_of_its_language() -> None:
    assert '<span class="hl-k">return</span>' in prose("```python\nreturn 1\n```")
    assert "hl-" not in prose("```no-such-language\nreturn 1\n```")


@pytest.mark.parametrize(
    "text",
    [
        "> " * 50_000 + "x",
        "*" * 100_000,
        "[" * 50_000,
        "`" * 99_999 + "x",
        "- " * 30_000,
        "|" * 50_000 + "\n" + "|-" * 50_000,
        "x" * (MOST_LETTERS + 1),
        "```python\n" + "(" * 90_000 + "\n```",
    ],
    ids=range(8),
)
def test_a_bomb_is_only_a_long_text(text: str) -> None:
    assert active_parts(prose(text)) == []
