"""What is stored as an English sentence of ours is told in the reader's language; what others wrote never is."""

import pytest

from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.findings import Finding, Severity
from tests.support.english import english_left
from workers.tools.analysers.complexity import SUGGESTION
from workers.tools.analysers.linechecks import LINE_CHECKS

KOREAN = Translator("ko")
PLACE = {"match": "it.only", "character": "U+202E"}


def finding(title: str, rule: str | None, detail: str = "", advice: str | None = None) -> Finding:
    return Finding(
        id="F1",
        title=title,
        detail=detail,
        severity=Severity.MINOR,
        category="general",
        rule=rule,
        suggestion=advice,
        raised_by=("diffcheck",),
        raised_in_round=1,
    )


@pytest.mark.parametrize("check", LINE_CHECKS, ids=lambda check: f"{check.rule}: {check.title}")
def test_what_diffcheck_finds_in_a_line_is_told_in_korean(check: object) -> None:
    assert check in LINE_CHECKS
    row = LINE_CHECKS[LINE_CHECKS.index(check)]  # type: ignore[arg-type]  # asserted above
    column = "Column 5 " if "{character}" in row.detail else ""
    found = finding(
        row.title.format_map(PLACE),
        f"diffcheck/{row.rule}",
        column + row.detail.format_map(PLACE),
        row.suggestion,
    )

    told = KOREAN.finding(found)

    assert english_left(f"{told.title}\n{told.detail}\n{told.suggestion or ''}") == []
    assert ENGLISH.finding(found) == found


@pytest.mark.parametrize(
    ("title", "korean"),
    [
        ("A secret is committed (assigned-secret)", "비밀 값이 커밋됨 (assigned-secret)"),
        ("Broken JSON: Expecting value", "잘못된 JSON: Expecting value"),
        ("parse has a cyclomatic complexity of 12 (C901)", "parse의 순환 복잡도가 12 (C901)"),
        (SUGGESTION, "나누십시오. 경우나 단계마다 함수를 따로 만들거나 표로 나타내십시오."),
        (
            "More than 10 independent paths are hard to test; it was 8 before the change.",
            "독립 경로가 10개를 넘으면 테스트하기 어렵습니다. 변경 전에는 8이었습니다.",
        ),
    ],
)
def test_what_an_analyser_of_ours_says_with_figures_is_told_in_korean(
    title: str, korean: str
) -> None:
    assert KOREAN.finding(finding(title, "diffcheck/rule")).title == korean


def test_each_name_of_a_finding_is_told_in_the_same_language() -> None:
    unused = "`os` imported but unused (F401)"
    found = finding(unused, "ruff/F401").model_copy(
        update={"titles": {"ruff": unused, "ada": "os?"}}
    )

    told = KOREAN.finding(found)

    assert told.titles == {"ruff": told.title, "ada": "os?"}


def test_what_a_model_wrote_stays_as_it_is() -> None:
    found = finding("A private key is committed", None, "Delete the line.")

    assert KOREAN.finding(found) == found


def test_what_other_analysers_find_most_is_told_in_korean() -> None:
    shell = "subprocess call with shell=True identified, security issue. (B602)"
    unused = "`os` imported but unused (F401)"
    binary = "a.bin is added, and nobody here can review it: it is binary"

    assert KOREAN.finding(finding(shell, "bandit/B602")).title.startswith("shell=True로")
    assert KOREAN.finding(finding(unused, "ruff/F401")).title.startswith("`os`를")
    assert KOREAN.finding(finding(binary, "diffcheck/x")).title.endswith(": 바이너리 파일")


@pytest.mark.parametrize(
    ("title", "korean"),
    [
        ("staged changes", "스테이징된 변경"),
        ("uncommitted changes of the working tree", "커밋하지 않은 작업 트리의 변경"),
        (
            "uncommitted changes of the working tree, with 2 new files",
            "커밋하지 않은 작업 트리의 변경, 새 파일 2개 포함",
        ),
        ("changes from HEAD~1 to HEAD", "HEAD~1에서 HEAD까지의 변경"),
        ("topic since it left main (3 commits)", "main에서 갈라진 뒤의 topic (커밋 3개)"),
        ("last commit 1a2b3c4: Fix the parser", "마지막 커밋 1a2b3c4: Fix the parser"),
        ("fork of r3k: staged changes", "r3k에서 갈라짐: 스테이징된 변경"),
        ("r3k에서 갈라짐: staged changes", "r3k에서 갈라짐: 스테이징된 변경"),
        ("given diff, on top of 1a2b3c4d5e", "받은 diff (1a2b3c4d5e 기준)"),
    ],
)
def test_the_title_of_a_review_is_told_in_korean(title: str, korean: str) -> None:
    assert KOREAN.run_title(title, "review") == korean
    assert ENGLISH.run_title(title, "review") == title


def test_a_question_that_reads_like_a_title_of_ours_stays_as_it_was_asked() -> None:
    assert KOREAN.run_title("changes from tabs to spaces", "ask") == "changes from tabs to spaces"
