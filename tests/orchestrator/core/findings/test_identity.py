"""A finding keeps its fingerprint while its defect stays, whatever moves around it and whoever says it."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.defect_catalogue import DEFECTS, defect_of
from orchestrator.core.findings.identity import fingerprints
from shared.models.findings import Finding, Place
from tests.support.reports import make_finding

CALL = "    subprocess.run(command, shell=True)"


def at(line: int, identity: str = "F1", **changes: object) -> Finding:
    return make_finding(identity, place=Place(path="app.py", line=line), **changes)


def mark(finding: Finding, text: str) -> str:
    return fingerprints([finding], {"app.py": text})[finding.id]


def test_lines_above_and_indentation_change_nothing():
    before = mark(at(1), CALL)
    assert mark(at(4), f"a\nb\nc\n        {CALL.strip()}\n") == before


def test_the_wording_changes_nothing():
    named = at(1, title="subprocess call with shell=True", rule="bandit/B602")
    reworded = at(
        1, title="A name reaches a shell: command injection", rule=None, raised_by=("ada",)
    )
    assert mark(named, CALL) == mark(reworded, CALL)


def test_another_line_another_file_and_another_kind_have_another_one():
    other_file = make_finding(place=Place(path="b.py", line=1))
    marks = {
        mark(at(1), CALL),
        mark(at(1), CALL.replace("command", "line")),
        mark(at(1, rule="bandit/B101", title="assert"), CALL),
        fingerprints([other_file], {"b.py": CALL})["F1"],
    }
    assert len(marks) == 4


def test_equal_lines_are_counted_from_the_top():
    text = f"{CALL}\n{CALL}\n"
    marks = fingerprints([at(2, "F1"), at(1, "F2")], {"app.py": text})
    assert len(set(marks.values())) == 2
    assert marks["F2"] == mark(at(1), text)


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from([None, "x/y", "mypy/index"]))
def test_whatever_a_reply_says_the_rule_is_in_the_catalogue(
    title: str, category: str, rule: str | None
) -> None:
    finding = make_finding(title=title or "x", category=category, rule=rule)
    assert defect_of(finding) in DEFECTS.values()


def test_a_category_names_its_entry_in_both_languages():
    def named(category: str) -> str:
        return defect_of(make_finding(title="x", rule=None, category=category)).id

    assert named("Error handling") == "reliability"
    assert named("동시성") == "concurrency"
    assert named("what a model invents") == "general"
