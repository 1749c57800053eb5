"""Markdown in which nothing that somebody else wrote is markup."""

from orchestrator.presentation.formats.markdown import render
from orchestrator.presentation.formats.markdown_text import escape, fenced
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
        "| F1 | 🔴&nbsp;CRITICAL | <code>app.py:9</code> | Shell injection | bandit, claude |  |"
        in text
    )
    assert (
        f"### Patch\n\nMends F1: all that was found.\n\n- Fixes F1, written by claude\n\n```diff\n{PATCH}```"
        in text
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


def test_a_details_block_cannot_be_left_by_a_title():
    report = make_report(
        verdict=Verdict.NEEDS_FIX,
        findings=(make_finding(title="</summary></details><script>x</script>"),),
    )
    assert "<script>" not in render(report, ENGLISH)
