"""Markdown in which nothing that somebody else wrote is markup."""

from orchestrator.presentation.formats.markdown import render
from orchestrator.presentation.formats.markdown_text import escape, fenced
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.outcomes import Verdict
from tests.support.reports import PATCH, make_finding, make_report


def test_the_report_has_verdict_table_and_patch():
    fixes = {"fixes": [], "patch": PATCH}
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail={"fixes": fixes}
    )
    text = render(report, ENGLISH)
    assert text.startswith("# a change\n\n*rabc · review · review*\n\n**NEEDS\\_FIX** · ")
    assert "| CRITICAL | app.py:9 | Shell injection | 2/3 | accepted | F1 |" in text
    assert f"```diff\n{PATCH}```" in text


def test_the_tables_speak_the_readers_language():
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(suggestion="Use a list."),)
    )
    text = render(report, Translator("ko"))
    assert "| 심각도 | 위치 | 지적 | 지지 | 상태 | 번호 |\n| --- |" in text
    assert "| app.py:9 | Shell injection | 2/3 | 인정 | F1 |" in text
    assert "제안: Use a list." in text
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
