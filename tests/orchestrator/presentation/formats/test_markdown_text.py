"""Somebody's Markdown inside ours: readable, and without a link, an image or a tag."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orchestrator.presentation.formats.markdown_text import code, escape, linked, prose, with_code

HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "![a](https://evil.test/x.png)",
                "[a](javascript:x)",
                "<img src=x>",
                "<https://e.test>",
            ),
            *(
                "[ref]: https://evil.test",
                "[ref]",
                "`",
                "``",
                "```",
                "~~~",
                "```python",
                "```mermaid",
                "    ```",
            ),
            *("\n", "\n\n", "> ", "- ", "\\", "\\`", "# ", "a", " ", "~~~ `x`", "--", "=="),
            *("www.evil.test", "https://evil.test", "&lt;", "<!--", "-->", "<div>", "@all", "#12"),
        ]
    ),
    max_size=30,
).map("".join)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@example("~~~ `x`\n```\n~~~\n![a](https://evil.test/x.png)")
@example("`a\n`![x](https://e.test)")
@example("    ```\n![x](https://e.test)")
@given(HOSTILE)
def test_no_participant_brings_a_link_an_image_or_a_tag(text: str) -> None:
    tokens = PARSER.parse(prose(text))
    kinds = {one.type for one in tokens}
    kinds |= {child.type for one in tokens for child in one.children or ()}
    assert not kinds & {"link_open", "image", "html_inline", "html_block"}
    assert {one.info for one in tokens if one.type == "fence"} <= {"", "python"}
    assert not any(one.type == "heading_open" and one.tag in ("h1", "h2") for one in tokens)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`eval(x)` must go", "<code>eval(x)</code> must go"),
        ("- a `b` and *c*", "- a <code>b</code> and *c*"),
        ("lone ` tick", "lone ` tick"),
        ("`<img src=x>` [a](b)", "<code>&lt;img src=x&gt;</code> [a](b)"),
    ],
)
def test_a_line_keeps_its_code_and_nothing_else(text: str, shown: str) -> None:
    assert unescape(PARSER.renderInline(with_code(text, escape))) == unescape(shown)


@given(HOSTILE)
def test_a_line_brings_no_link_and_no_image(text: str) -> None:
    (line,) = PARSER.parseInline(with_code(text, escape).replace("\n", " "))
    made = [child for child in line.children or () if child.type != "text"]
    assert {child.type for child in made} <= {"html_inline", "softbreak"}
    assert {child.content for child in made if child.type == "html_inline"} <= {"<code>", "</code>"}


def test_a_page_that_came_of_it_calls_nobody_and_leads_nowhere() -> None:
    text = "ask @octo-org/team about #12, mail a@b.test, `@decorator` stays"
    for made in (prose(text), escape(text.replace("`", ""))):
        shown = PARSER.render(made).replace("<code>@decorator</code>", "")
        assert not re.search(r"[@#]\w", shown)
        assert "octo-org/team" in shown
    assert "`@decorator`" in prose(text)


@pytest.mark.parametrize(
    "name", ["a_b.py", "a*b|c`d.py", "x@2x.png", "a&#95;b.py", "<a> [b]#1", "$A$.js"]
)
def test_a_name_is_shown_as_it_is(name: str) -> None:
    for made in (code(name), linked(name, "https://host.test/x")):
        shown = unescape(re.sub("<[^>]*>", "", PARSER.render(made))).strip()
        assert shown.replace("\u200b", "") == name
        assert shown.count("\u200b") == name.count("@")
    assert code("a_b.py") == "<code>a&#95;b.py</code>"


def test_another_hosts_reference_leads_nowhere() -> None:
    shown = PARSER.render(prose("Fixes GH-7 and gh-8, closes !9; RIGH-7 stays"))
    assert not re.search(r"GH-\d|!\d", shown.replace("RIGH-7", ""), re.IGNORECASE)
    assert "RIGH-7" in shown


@pytest.mark.parametrize("text", ["$a_b$", "$$x$$", "$`x`$", "from $HOME to $PATH", "\\$x\\$"])
def test_a_formula_is_shown_as_it_was_written(text: str) -> None:
    for made in (prose(text), escape(text)):
        assert not re.search(r"(?<!<span>)\$(?!\d)", made)
    assert escape("$0.31 of $1.00") == "$0.31 of $1.00"


@pytest.mark.parametrize(
    "kind", ["suggestion", "mermaid", "geojson", "math", "suggestion:-0+1", "Stl"]
)
def test_a_block_of_code_is_nothing_that_a_host_draws_or_commits(kind: str) -> None:
    assert prose(f"~~~ {kind}\nx\n~~~") == "```\nx\n```"


def test_a_number_begins_no_list_unless_a_blank_follows() -> None:
    assert escape("0.83 → 1.00") == "0.83 → 1.00"
    assert escape("1. one") == "1\\. one"


@pytest.mark.parametrize(
    "kept",
    ["**bold** and *not*", "- one\n- two", "1. one\n2. two", "a `code < span` here", "> a quote"],
)
def test_what_only_shapes_a_text_is_kept(kept: str) -> None:
    assert prose(kept) == kept


def test_code_is_kept_to_the_letter_and_closed() -> None:
    assert prose("So:\n```python\nif a < b: # [x](y)\n    pass") == (
        "So:\n```python\nif a < b: # [x](y)\n    pass\n```"
    )


def test_code_in_a_list_moves_to_the_margin() -> None:
    assert prose("1. Do\n   ```sh\n   ls\n   ```\n2. Done") == "1. Do\n```sh\nls\n```\n2. Done"


def test_headings_stand_below_ours() -> None:
    assert prose("# Title\ntext\n---") == "### Title\ntext\n\\---"


def test_unseen_characters_are_gone() -> None:
    assert prose("a\x1b[31mb\u202ec") == "abc"
