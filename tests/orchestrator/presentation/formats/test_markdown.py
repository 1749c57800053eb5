"""Markdown in which nothing that somebody else wrote is markup."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orchestrator.presentation.formats.markdown import render
from orchestrator.presentation.formats.markdown_text import escape, fenced, looks_like_code
from orchestrator.presentation.formats.text import render as as_text
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.outcomes import Verdict
from tests.support.reports import PATCH, make_finding, make_report


def test_the_report_has_headline_names_and_patch():
    good = {"findings": ["F1"], "patch": PATCH, "source": "claude"}
    report = make_report(
        verdict=Verdict.NEEDS_FIX,
        findings=(make_finding(),),
        detail={"fixes": {"fixes": [good], "patch": PATCH}},
    )
    text = render(report, ENGLISH)
    assert text.startswith("## ❌ NEEDS\\_FIX · 1 finding: 1 CRITICAL\n\n*a change · review · rabc")
    assert "| id | severity | place | finding | for | against |\n" in text
    assert (
        "| F1 | 🔴&nbsp;CRITICAL | <code>app.py:9</code> | Shell injection <code>bandit/B602</code> "
        "| bandit, claude |  |" in text
    )
    assert (
        "### Patch\n\nThe patch would mend F1: all that was found.\n\n- Fixes F1, written by claude\n\n"
        f"```diff\n{PATCH}```" in text
    )


def test_the_tables_speak_the_readers_language():
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(suggestion="Use a list."),)
    )
    text = render(report, Translator("ko"))
    assert "| 번호 | 심각도 | 위치 | 지적 | 찬성 | 반대 |\n| --- |" in text
    assert "**제안:** Use a list." in text
    assert "| 라운드 | 동의율 | 안정도 | 점수 | 권고 | 응답 |" in text


def test_no_image_link_tag_or_mention_of_a_finding_survives():
    hostile = "![x](http://evil/?a) <img src=x> [l](http://e) @somebody | cell `code`"
    assert escape(hostile) == (
        "\\!\\[x\\](http\\://evil/?a) \\<img src=x\\> \\[l\\](http\\://e) \\@&#8203;somebody \\| cell "
        "\\`code\\`"
    )


def test_a_line_that_looks_like_a_list_or_a_heading_is_text():
    assert escape("- item") == "\\- item"
    assert escape("1. item") == "1\\. item"
    assert escape("# head") == "\\# head"


def test_a_patch_cannot_close_its_own_fence():
    text = fenced("+```\n+# a heading\n", "diff")
    assert text.startswith("````diff\n")
    assert text.endswith("\n````")


HOSTILE = "<img src=https://evil.test/p.png> @me [click](https://evil.test) #12"


@given(
    st.lists(
        st.sampled_from(
            ["```x\n", "```\n", "~~~\n", "- ", "    ", "\n", "> ", f"{HOSTILE}\n", "`", "a"]
        )
    ).map("".join)
)
@example(f"```x\n{HOSTILE}\n```")
@example(f"    ```\n{HOSTILE}")
def test_no_suggestion_leaves_its_place(suggestion: str) -> None:
    """Whatever one finding suggests, its details end where ours end, and the next finding's quotation is code."""
    found = make_finding(suggestion=suggestion), make_finding("F2", quote="<b>quoted</b>")
    text = render(make_report(verdict=Verdict.NEEDS_FIX, findings=found), ENGLISH)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    inner = [child for token in tokens for child in token.children or ()]

    assert blocks.count("</details>") == blocks.count("<details") == text.count("<details") >= 2
    assert "evil" not in blocks
    assert not any(c.type in {"image", "link_open"} for c in inner)
    assert not any("evil" in c.content for c in inner if c.type == "html_inline")
    assert any(token.type == "fence" and "<b>quoted</b>" in token.content for token in tokens)


def test_a_suggestion_of_several_lines_keeps_its_layout():
    code = "if balance < total:\n    raise InsufficientFunds"
    found = make_finding(suggestion=code)
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(found,))
    assert f"**Suggestion:**\n\n```\n{code}\n```" in render(report, ENGLISH)
    shown = as_text(report, ENGLISH)
    assert (
        "    Suggestion:\n      if balance < total:\n          raise InsufficientFunds\n" in shown
    )


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("a = 1\nb = 2", True),
        ("for x in y:\n\tprint(x)", True),
        ("Use a list.\nIt is shorter.", False),
        ("Do:\n\n- this\n- that", False),
        ("One line", False),
        ("So:\n```\nx\n```", False),
        ("First part.\n\nSecond part.", False),
    ],
)
def test_code_without_a_fence_is_told_from_words(text: str, is_code: bool):
    assert looks_like_code(text) is is_code


def test_a_details_block_cannot_be_left_by_a_title():
    report = make_report(
        verdict=Verdict.NEEDS_FIX,
        findings=(make_finding(title="</summary></details><script>x</script>"),),
    )
    assert "<script>" not in render(report, ENGLISH)
