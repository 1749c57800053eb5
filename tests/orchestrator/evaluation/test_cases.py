"""Labelled cases are read as a whole; every line that is wrong is named."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.application.eval_sources import BUILTIN, builtin_cases, builtin_sets
from orchestrator.evaluation.cases import MOST_SHOWN, change_between, read_cases
from shared.errors import UserError
from shared.git.hunks import apply_hunks
from shared.git.patch import parse_patch
from shared.models.findings import Severity

CASE: dict[str, Any] = {
    "custom_id": "a",
    "files": {"a.py": "x = 1\n"},
    "after": {"a.py": "x = 2\n"},
    "labels": "clean",
}


def content(*cases: dict[str, Any]) -> list[tuple[str, bytes]]:
    return [("cases.jsonl", "\n".join(map(json.dumps, cases)).encode())]


def faults(*lines: str) -> str:
    with pytest.raises(UserError) as caught:
        read_cases([("cases.jsonl", "\n".join(lines).encode())])
    return str(caught.value)


def test_a_case_and_its_labels_are_read_with_their_line():
    label = {"path": "a.py", "line": 1, "severity": "major", "words": "wrong number"}
    (_, read) = read_cases(content(CASE, {**CASE, "custom_id": "b", "labels": [label]}))
    assert read.where == "cases.jsonl line 2"
    (expected,) = read.case.expected
    assert (expected.severity, expected.words) == (Severity.MAJOR, ("wrong number",))
    assert expected.place is not None
    assert expected.place.last_line == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"labels": None}, "labels: expected a list of findings"),
        ({"labels": []}, 'labels: nothing is labelled: write "clean"'),
        ({"labels": "dirty"}, "labels: expected a list of findings"),
        ({"labels": [{}]}, "labels.0: a label needs a line, or words"),
        ({"labels": [{"line": 3}]}, "labels.0: a line needs its path"),
        ({"labels": [{"path": "a.py", "line": 0}]}, "labels.0.line"),
        (
            {"labels": [{"path": "a.py", "line": 9, "end_line": 3}]},
            "end_line must not stand before",
        ),
        ({"labels": [{"words": ["x"], "severity": "huge"}]}, "labels.0.severity"),
        ({"custom_id": ""}, "custom_id"),
        ({"custom_id": "two words"}, "custom_id"),
        ({"unknown": 1}, "unknown: Extra inputs"),
        ({"diff": "x"}, "expected one of diff, diff_file, after, revision; here: diff and after"),
        ({"after": None}, "here: none"),
        ({"after": {"a.py": "x = 1\n"}}, "after changes nothing"),
        ({"repository": "."}, "repository goes with revision"),
        ({"after": None, "revision": "HEAD"}, "a revision has its own"),
        ({"question": "why?"}, "questions with a known answer are not evaluated yet"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(change: dict[str, Any], reason: str):
    wrong = {**CASE, "custom_id": "b", **change}
    text = faults(json.dumps(CASE), json.dumps(wrong))
    assert "cases.jsonl line 2: " in text
    assert reason in text
    assert "line 1:" not in text
    assert "tuple[" not in text
    assert "literal[" not in text


def test_every_wrong_line_is_named_up_to_a_bound():
    text = faults("no json", "", "[1]", json.dumps(CASE), json.dumps(CASE), "[" * 20_000)
    for line in (1, 3, 5, 6):
        assert f"cases.jsonl line {line}: " in text
    assert "custom_id 'a' is that of cases.jsonl line 4, too" in text
    many = faults(*["{}"] * 50)
    assert many.count("cases.jsonl line") == MOST_SHOWN
    assert f"and {2 * 50 - MOST_SHOWN} more" in many


def test_a_file_without_a_case_is_refused():
    assert "there is no case in it" in faults("", "  ")


@given(
    st.one_of(st.none(), st.text(alphabet="ab\n", max_size=12)),
    st.one_of(st.none(), st.text(alphabet="ab\n", max_size=12)),
)
def test_the_diff_of_two_states_leads_from_the_one_to_the_other(old: str | None, new: str | None):
    files = {} if old is None else {"a.txt": old}
    diff = change_between(files, {"a.txt": new}).encode()
    if old == new:
        assert diff == b""
        return
    if not (old or new):  # an empty file comes or goes
        return
    (patch,) = parse_patch(diff)
    assert apply_hunks((old or "").encode(), patch.hunks) == (new or "").encode()


def test_the_builtin_sets_are_valid_and_have_defects_and_clean_changes():
    assert BUILTIN in builtin_sets()
    for name in builtin_sets():
        cases = [each.case for each in builtin_cases(name)]
        assert len(cases) >= 12
        assert sum(not case.expected for case in cases) >= 3
        assert len({path.rpartition(".")[2] for case in cases for path in case.after or {}}) >= 6
        for case in cases:
            for label in case.expected:
                after = (case.after or {})[label.path or ""]
                assert after is not None
                assert label.place is not None
                assert label.place.last_line <= after.count("\n")
                assert any(any("가" <= letter <= "힣" for letter in text) for text in label.words)


def test_an_unknown_builtin_set_is_refused_with_those_that_there_are():
    with pytest.raises(UserError, match=BUILTIN):
        builtin_cases("large")
