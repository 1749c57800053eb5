"""What was there before the change is no finding of it, wherever and however it stands now."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shared.models.findings import Severity
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


def test_a_function_that_moves_to_another_file_brings_nothing() -> None:
    rest = "import subprocess\n\nLIMIT = 3\n"
    assert found({"a.py": (RUN, rest), "new/b.py": (None, RUN)}) == []
    assert found({"a.py": (RUN, None), "b.py": (rest, rest + RUN.partition("\n")[2])}) == []


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
