"""Somebody's Markdown inside ours: readable, and without a link, an image or a tag."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orchestrator.presentation.formats.markdown_text import escape, prose

HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "![a](https://evil.test/x.png)",
                "[a](javascript:x)",
                "<img src=x>",
                "<https://e.test>",
            ),
            *("[ref]: https://evil.test", "[ref]", "`", "``", "```", "~~~", "```python", "    ```"),
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
    assert not any(one.type == "heading_open" and one.tag in ("h1", "h2") for one in tokens)


def test_a_page_that_came_of_it_calls_nobody_and_leads_nowhere() -> None:
    text = "ask @octo-org/team about #12, mail a@b.test, `@decorator` stays"
    for made in (prose(text), escape(text.replace("`", ""))):
        shown = PARSER.render(made).replace("<code>@decorator</code>", "")
        assert not re.search(r"[@#]\w", shown)
        assert "octo-org/team" in shown
    assert "`@decorator`" in prose(text)


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
