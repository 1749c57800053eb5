"""The complexity participant speaks about functions that the change made worse."""

from __future__ import annotations

from shared.models.findings import Severity
from tests.workers.tools.changes import added, red_team, review, stored, subject_of
from workers.tools.analysers.complexity import severity_of
from workers.tools.registry import MemoryDocuments


def function(name: str, branches: int, indent: str = "") -> str:
    lines = [f"{indent}def {name}(x):"]
    for number in range(branches):
        lines += [f"{indent}    if x == {number}:", f"{indent}        return {number}"]
    return "\n".join([*lines, f"{indent}    return -1", "", ""])


def test_a_new_complex_function_is_reported() -> None:
    documents = MemoryDocuments()
    text = "class A:\n" + function("쉬움", 3, "    ") + function("어려움", 17, "    ")
    reply = review("complexity", documents, added(documents, **{"build__.hidden__a b_py": text}))
    (finding,) = reply.findings
    assert finding.rule == "complexity/C901"
    assert finding.title.startswith("A.어려움 has a cyclomatic complexity of 18")
    assert finding.place is not None
    assert (finding.place.line, finding.place.end_line) == (11, 46)
    assert finding.quote == "def 어려움(x):"
    assert finding.severity is Severity.MINOR


def test_a_complex_function_is_left_alone_unless_it_got_worse() -> None:
    documents = MemoryDocuments()
    old = function("f", 17)

    def findings(new: str) -> int:
        subject = subject_of(documents, {"a.py": (old, new)})
        return len(red_team("complexity", documents, stored(documents, subject)).findings)

    assert findings(old + "x = 1\n") == 0
    assert findings(old.replace("return 3", "return 33")) == 0
    assert findings(function("f", 16)) == 0
    assert findings(function("f", 18)) == 1


def test_a_renamed_file_is_compared_with_what_it_was() -> None:
    documents = MemoryDocuments()
    old = function("f", 17)
    subject = subject_of(documents, {"b.py": (old, old.replace("return 3", "return 33"))})
    (file,) = subject.files
    renamed = file.model_copy(update={"status": "renamed", "old_path": "a.py"})
    subject = subject.model_copy(update={"files": (renamed,)})
    assert review("complexity", documents, stored(documents, subject)).findings == ()


def test_a_nested_function_counts_by_itself() -> None:
    documents = MemoryDocuments()
    text = "def outer():\n" + function("inner", 17, "    ") + "    return inner\n"
    titles = [
        f.title for f in review("complexity", documents, added(documents, a_py=text)).findings
    ]
    assert any(title.startswith("outer.inner has") for title in titles)


def test_a_file_without_functions_is_sound_and_a_broken_one_is_named() -> None:
    documents = MemoryDocuments()
    subject = added(documents, a_py="x = 1\n", b_py="def (:\n", c_js="x")
    reply = review("complexity", documents, subject)
    assert reply.verdict == "APPROVED"
    assert reply.unexamined_assumptions == ("b.py was not looked at: it cannot be parsed.",)
    assert "1 finding" not in reply.summary


def test_thresholds_say_how_bad_a_figure_is() -> None:
    assert [severity_of(figure) for figure in (15, 16, 30, 31)] == [
        None,
        Severity.MINOR,
        Severity.MINOR,
        Severity.MAJOR,
    ]
