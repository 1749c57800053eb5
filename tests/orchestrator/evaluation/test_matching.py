"""A finding names a labelled defect by its place and its words, one to one."""

import pytest

from orchestrator.evaluation.cases import ExpectedFinding
from orchestrator.evaluation.matching import likeness, matched
from shared.models.findings import Finding, Place, Severity


def finding(title: str, path: str | None = "a.py", line: int = 10, *, id: str = "F1") -> Finding:
    place = None if path is None else Place(path=path, line=line)
    return Finding(
        id=id,
        title=title,
        detail="",
        severity=Severity.MAJOR,
        category="general",
        place=place,
        raised_by=("ann",),
        raised_in_round=1,
    )


LABEL = ExpectedFinding(
    path="a.py", line=10, words=("SQL injection in the query", "쿼리에서 SQL 삽입이 가능함")
)


@pytest.mark.parametrize(
    ("title", "path", "line", "names"),
    [
        ("SQL injection in the query", "a.py", 10, True),
        ("Query is open to SQL injection", "./a.py", 12, True),
        ("쿼리에서 SQL 삽입이 가능합니다", "a.py", 10, True),
        ("SQL injection in the query", "a.py", 80, True),  # a wrong line, the same words
        ("SQL injection in the query", None, 1, True),
        ("SQL injection in the query", "b.py", 10, False),
        ("Unused import os", "a.py", 10, False),
        ("Query is slow", "a.py", 80, False),
        ("No SQL injection in the query", "a.py", 10, False),
    ],
)
def test_place_and_words_decide(title: str, path: str | None, line: int, names: bool):
    assert (likeness(LABEL, finding(title, path, line)) > 0) is names


@pytest.mark.parametrize(("line", "names"), [(7, True), (10, True), (15, True), (16, False)])
def test_a_label_without_words_is_named_by_its_lines_and_three_beside_them(line: int, names: bool):
    label = ExpectedFinding(path="a.py", line=10, end_line=12)
    assert (likeness(label, finding("anything", line=line)) > 0) is names


def test_each_label_has_one_finding_and_each_finding_one_label():
    labels = [ExpectedFinding(path="a.py", line=10), ExpectedFinding(path="a.py", line=12)]
    both = finding("x", line=11)
    assert len(matched(labels, [both])) == 1
    assert sorted(matched(labels, [both, finding("y", line=14)]).items()) == [(0, 0), (1, 1)]


def test_a_finding_gives_way_where_another_label_has_no_other():
    """Greedy pairing by the best score would leave the second label without a finding."""
    near_both, near_first = finding("x", line=12), finding("y", line=8)
    labels = [ExpectedFinding(path="a.py", line=10), ExpectedFinding(path="a.py", line=15)]
    assert matched(labels, [near_both, near_first]) == {1: 0, 0: 1}


def test_nothing_expected_is_named_by_nothing():
    assert matched([], [finding("x")]) == {}
    assert matched([LABEL], []) == {}


TERMS = ExpectedFinding(path="a.py", line=10, words=("lock release", "deadlock", "잠금"))


@pytest.mark.parametrize(
    ("title", "line", "names"),
    [
        ("Take never releases the lock", 10, True),
        ("Not released: the lock of the cache", 10, True),
        ("A deadlock when the key is absent", 10, True),
        ("잠금이 해제되지 않습니다", 10, True),
        ("The block is released", 10, False),  # a term begins a word
        ("The lock is slow", 10, False),  # every word of a term
        ("A deadlock when the key is absent", 80, False),  # elsewhere one term is not enough
        ("Deadlock: nothing releases the lock", 80, True),
    ],
)
def test_terms_occur_in_any_order_and_form(title: str, line: int, names: bool):
    assert (likeness(TERMS, finding(title, line=line)) > 0) is names
