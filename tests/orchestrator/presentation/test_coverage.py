"""What nobody read stands in the first lines of every form of a result, in both languages."""

from __future__ import annotations

import pytest

from orchestrator.presentation.formats import markdown, text
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.coverage import (
    Absence,
    CoverageReport,
    FileCoverage,
    ReaderCoverage,
    ReaderKind,
    UnreadReason,
)
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.models.outcomes import Verdict
from tests.support.reports import make_report


def covered(count: int = 1):
    files = tuple(
        FileCoverage(path=f"job{n}.py", status="added", required=True, reason=UnreadReason.BINARY)
        for n in range(count)
    )
    absent = (Absence(participant="bandit", path="b.py", reason=UnreadReason.NOT_PARSED),)
    coverage = CoverageReport(files=files, absent=absent)
    return make_report(
        fail_on=Severity.MAJOR,
        verdict=Verdict.INCONCLUSIVE,
        detail={"coverage": coverage.model_dump(mode="json")},
    )


def test_text_names_it_right_below_the_gate():
    lines = text.render(covered(), ENGLISH).splitlines()
    assert lines[0].startswith("INCONCLUSIVE")
    assert lines[1] == "Gate inconclusive: nobody read job0.py"
    assert lines[2] == "⚠ Nobody read job0.py: it is binary"
    assert lines[3] == "⚠ bandit did not analyse b.py: it could not be parsed"


def test_korean_says_the_same():
    lines = text.render(covered(), Translator("ko")).splitlines()
    assert lines[1] == "게이트 결론 없음: 아무도 읽지 않음: job0.py"
    assert lines[2] == "⚠ 아무도 읽지 않음: job0.py (바이너리 파일)"
    assert lines[3] == "⚠ bandit 분석하지 못함: b.py (구문 분석 불가)"


def test_markdown_names_it_below_the_head():
    parts = markdown.render(covered(), ENGLISH).split("\n\n")
    assert parts[3].startswith("⚠ Nobody read job0.py: it is binary")


def test_json_has_the_whole_of_it():
    made = as_json(covered(7))
    assert made["gate"]["outcome"] == "inconclusive"
    assert made["coverage"]["complete"] is False
    assert made["coverage"]["unread"] == [f"job{n}.py" for n in range(7)]
    assert made["coverage"]["absent"][0]["participant"] == "bandit"


def test_json_words_why_a_reader_failed():
    why = notice("unusable_twice", who="cyd", why="no JSON").model_dump_json()
    failed = {"failed": UnreadReason.FAILED, "detail": why}
    coverage = CoverageReport(
        files=(FileCoverage(path="a.py", status="added", required=True, detail=why),),
        absent=(Absence(participant="cyd", reason=UnreadReason.FAILED, detail=why),),
        readers=(ReaderCoverage(participant="cyd", kind=ReaderKind.MODEL, **failed),),
    )
    made = as_json(make_report(detail={"coverage": coverage.model_dump(mode="json")}))
    for shown in (made["coverage"], made["detail"]["coverage"]):
        for rows in (shown["files"], shown["absent"], shown["readers"]):
            assert rows[0]["detail"] == "cyd answered twice in an unusable form: no JSON"


def test_many_files_are_counted():
    assert "⚠ and 3 more: --json names them" in text.render(covered(7), ENGLISH)


@pytest.mark.parametrize("reason", UnreadReason)
def test_every_reason_has_its_words(reason: UnreadReason):
    assert ENGLISH.knows(f"unread_{reason}")
