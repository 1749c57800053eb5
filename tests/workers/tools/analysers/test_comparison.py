"""What was there before the change is no finding of it, wherever and however it stands now."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shared.models.findings import Severity
from shared.tools.rules import without_layout
from tests.workers.tools.analysers.test_complexity import function
from tests.workers.tools.changes import Contents, review, rules, stored, subject_of
from workers.tools.analysers.comparison import symbol_at
from workers.tools.analysers.complexity import severity_of
from workers.tools.registry import MemoryDocuments

RUN = """import subprocess


def run(command, log=[]):
    try:
        subprocess.call('cd /srv && ' + command, shell=True, env={'A': 'b', 'C': 'd'}, cwd='/')
    except:
        log.append(command == None)
"""
BLACK = """import subprocess


def run(
    command,
    log=[],
):
    try:
        subprocess.call(
            "cd /srv && " + command,
            shell=True,
            env={"A": "b", "C": "d"},
            cwd="/",
        )
    except:
        log.append(command == None)
"""
ANALYSERS = ("ruff", "bandit", "complexity", "diffcheck")


def found(files: Mapping[str, tuple[Contents, Contents]], *analysers: str) -> list[str]:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, files))
    return [
        rule for tool in analysers or ANALYSERS for rule in rules(review(tool, documents, subject))
    ]


def test_the_function_has_findings_where_it_is_new() -> None:
    assert {"ruff/B006", "ruff/E722", "bandit/B602"} <= {*found({"a.py": (None, RUN)})}


def test_a_formatter_brings_nothing() -> None:
    assert found({"a.py": (RUN, BLACK)}) == []


@pytest.mark.parametrize("emptied", ["import subprocess\n\nLIMIT = 3\n", None])
def test_of_a_function_that_moves_to_another_file_only_what_is_grave_is_told(
    emptied: str | None,
) -> None:
    documents = MemoryDocuments()
    files = {"a.py": (RUN, emptied), "new/b.py": (None, RUN)}
    subject = stored(documents, subject_of(documents, files))
    told = [finding for tool in ANALYSERS for finding in review(tool, documents, subject).findings]
    assert [finding.rule for finding in told] == ["ruff/B006", "bandit/B602"]
    assert {finding.severity for finding in told} == {Severity.INFO}
    assert "was at a.py:6 before" in told[1].title


def test_a_grave_line_that_moves_into_another_function_is_told_where_it_was() -> None:
    documents = MemoryDocuments()
    files = {
        "attic/t.py": ("def old(value):\n    return eval(value)\n", None),
        "web/v.py": (
            "def get(value):\n    return 1\n",
            "def get(value):\n    return eval(value)\n",
        ),
    }
    subject = stored(documents, subject_of(documents, files))
    (finding,) = review("bandit", documents, subject).findings
    assert (finding.rule, finding.severity) == ("bandit/B307", Severity.INFO)
    assert "was at attic/t.py:2 before" in finding.title


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('eval("request")', "eval(request)", "bandit/B307"),
        ("eval('a, b')", "eval(a, b)", "bandit/B307"),
        ('exec("x")', "exec(x)", "bandit/B102"),
        ('pickle.loads("data")', "pickle.loads(data)", "bandit/B301"),
        ('yaml.load("data")', "yaml.load(data)", "bandit/B506"),
        (
            'db.execute("SELECT a FROM b WHERE c = " + "name")',
            'db.execute("SELECT a FROM b WHERE c = " + name)',
            "bandit/B608",
        ),
    ],
)
def test_a_literal_that_becomes_a_variable_is_a_new_weakness(old: str, new: str, rule: str) -> None:
    text = "import pickle, yaml\n\n\ndef f(db, request, data, name, a, b, x):\n    return {}\n"
    assert rule in found({"a.py": (text.format(old), text.format(new))}, "bandit")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a, b)", "f(ab)"),
        ("f(a, b)", "f(a)(b)"),
        ('"a" "b"', '"ab"'),
        ("not x", "notx"),
        ('f("x")', "f(x)"),
    ],
)
def test_what_tells_two_texts_apart_is_no_layout(one: str, other: str) -> None:
    assert without_layout(one) != without_layout(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f('a', b)", 'f(\n    "a",\n    b,\n)'),
        ("return (x)", "return x"),
        ("x = a + \\\n  b", "x = (a + b)"),
        ("f(**a)", "f(\n    **a,\n)"),
        ("{'a': [1, 2]}", '{\n    "a": [\n        1,\n        2,\n    ],\n}'),
    ],
)
def test_a_formatters_work_is_layout(one: str, other: str) -> None:
    assert without_layout(one) == without_layout(other)


def test_a_function_that_becomes_a_method_brings_nothing() -> None:
    head, body = RUN.split("\n\n\n")
    indented = "\n".join("    " + line if line else line for line in body.splitlines())
    assert found({"a.py": (RUN, f"{head}\n\n\nclass A:\n{indented}\n")}) == []


def test_a_copy_brings_its_findings_once_more() -> None:
    copied = RUN + "\n\n" + RUN.partition("\n\n\n")[2].replace("def run", "def walk")
    assert sorted(found({"a.py": (RUN, copied)})).count("bandit/B602") == 1


def test_an_argument_that_changes_is_a_new_weakness() -> None:
    assert "bandit/B602" in found({"a.py": (RUN, RUN.replace("cd /srv", "rm -r /srv"))})


def test_a_weakness_of_a_suppression_that_is_taken_away_is_new() -> None:
    hidden = RUN.replace("cwd='/')", "cwd='/')  # nosec")
    assert "bandit/B602" in found({"a.py": (hidden, RUN)}, "bandit")


def test_what_was_ordinary_in_a_test_is_new_in_the_product() -> None:
    text = "def f(x):\n    assert x\n"
    files = {"tests/test_a.py": (text, None), "src.py": (None, text)}
    assert found(files, "bandit") == ["bandit/B101"]


@pytest.mark.parametrize("line", ["debugger;", "it.only('a', () => {})", "// TODO later"])
def test_a_line_that_moves_or_is_indented_brings_nothing_in_any_language(line: str) -> None:
    old = f"function a() {{\n{line}\n}}\n"
    assert found({"a.js": (None, old)}, "diffcheck")
    assert (
        found({"a.js": (old, f"if (x) {{\n  function a() {{\n    {line}\n  }}\n}}\n")}, "diffcheck")
        == []
    )
    assert found({"a.js": (old, "\n"), "b.js": (None, old)}, "diffcheck") == []
    assert len(found({"a.js": (old, old + old)}, "diffcheck")) == 1


def test_a_hidden_character_in_a_line_that_was_there_is_found() -> None:
    assert found({"a.js": ("let a = 1;\n", "let a\u200b = 1;\n")}, "diffcheck") == [
        "diffcheck/invisible"
    ]


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        (0, 15, None),
        (0, 16, Severity.MINOR),
        (0, 31, Severity.MAJOR),
        (14, 16, Severity.MINOR),
        (31, 32, Severity.INFO),
        (30, 31, Severity.INFO),
        (20, 24, Severity.MINOR),
        (20, 36, Severity.MAJOR),
        (32, 31, None),
    ],
)
def test_growth_weighs_and_not_the_height(old: int, new: int, severity: Severity | None) -> None:
    assert severity_of(new, old) is severity


def test_a_complex_function_that_moves_or_is_renamed_brings_nothing() -> None:
    old = function("f", 17)
    assert found({"a.py": (old, None), "b.py": (None, old)}, "complexity") == []
    assert found({"a.py": (old, function("g", 17))}, "complexity") == []
    assert found({"a.py": (old, old + function("g", 17))}, "complexity") == ["complexity/C901"]


def test_the_symbol_is_the_definition_around_a_line() -> None:
    lines = BLACK.splitlines()
    assert {symbol_at(lines, number) for number in range(4, len(lines) + 1)} == {"run"}
    assert symbol_at(lines, 1) == ""
    go = ["func (s *Server) Close() error {", "\treturn nil", "}", "", "var x = 1"]
    assert [symbol_at(go, number) for number in (1, 2, 5)] == ["Close", "Close", ""]
