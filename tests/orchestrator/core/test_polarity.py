"""Opposites in almost the same words are no one claim; the same lack in other words is."""

from __future__ import annotations

import pytest

from orchestrator.core.findings.merging import Raised, absorb
from orchestrator.core.findings.polarity import opposed
from shared.models.findings import Place, RaisedFinding

OPPOSITES = [
    ("The input is validated", "The input is not validated"),
    ("The flag is set", "The flag isn't set"),
    ("Input is validated", "Input is unvalidated"),
    ("The comparison is correct", "The comparison is incorrect"),
    ("The token check is there", "The token check is missing"),
    ("The lock is held while writing", "The lock is never held while writing"),
    ("입력값을 검증합니다", "입력값을 검증하지 않습니다"),
    ("입력값 검증이 있습니다", "입력값 검증이 없습니다"),
    ("예외를 처리한다", "예외를 처리하지 못한다"),
    ("토큰을 확인합니다", "토큰 확인 누락"),
    ("비밀번호를 암호화했습니다", "비밀번호를 안 암호화했습니다"),
]
SAME_SIDE = [
    ("Missing input validation", "Input is not validated"),
    ("Unvalidated input reaches the query", "Input is not validated before the query"),
    ("`open` without encoding", "encoding not specified in open"),
    ("No timeout on the request", "Request has no timeout"),
    ("Unused import os", "`os` imported but unused"),
    ("File handle leaks", "The file handle is never closed"),
    ("입력값 검증이 없습니다", "입력값을 검증하지 않습니다"),
    ("입력 검증 누락", "입력값 검증이 없음"),
]


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_what_the_one_states_and_the_other_denies_are_opposites(one: str, other: str) -> None:
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(("one", "other"), SAME_SIDE)
def test_one_lack_in_two_wordings_is_no_opposition(one: str, other: str) -> None:
    assert not opposed(one, other)
    assert not opposed(other, one)


@pytest.mark.parametrize("text", [text for pair in (*OPPOSITES, *SAME_SIDE) for text in pair])
def test_nothing_is_the_opposite_of_itself(text: str) -> None:
    assert not opposed(text, text)


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_opposites_stay_two_findings_even_on_one_line(one: str, other: str) -> None:
    place = Place(path="app/db.py", line=3)
    for where in (place, None):
        raised = [
            Raised(who, 1, RaisedFinding(title=title, place=where))
            for who, title in (("a", one), ("b", other))
        ]
        assert len(absorb(raised).findings) == 2
