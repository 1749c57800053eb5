"""What analysers say they have read: what they could not take in is theirs to name."""

from __future__ import annotations

import pytest

from shared.models.findings import Severity
from shared.models.review_replies import ReviewAnalysis
from tests.workers.tools.changes import (
    Contents,
    red_team,
    review,
    rules,
    stored,
    subject_of,
)
from workers.tools.registry import MemoryDocuments

EVIL = "import subprocess\nsubprocess.call(t, shell=True)\n"
GOOD = "VALUE = 1\n"


def read_by(tool: str, **files: Contents) -> ReviewAnalysis:
    """The critique of added files; `job_py` is job.py."""
    documents = MemoryDocuments()
    named = {name.replace("_", "."): (None, content) for name, content in files.items()}
    reply = review(tool, documents, stored(documents, subject_of(documents, named)))
    assert isinstance(reply, ReviewAnalysis)
    return reply


def unread(reply: ReviewAnalysis) -> dict[str, str]:
    assert reply.coverage is not None
    return {one.path: one.reason.value for one in reply.coverage.unread}


@pytest.mark.parametrize("tool", ["ruff", "bandit", "complexity"])
def test_an_analyser_of_python_reads_python_alone(tool: str) -> None:
    reply = read_by(tool, a_py=GOOD, b_md="# b\n")
    assert reply.coverage is not None
    assert (reply.coverage.read, reply.coverage.unread) == (("a.py",), ())


@pytest.mark.parametrize("terms", [2_000, 20_000])
def test_a_long_expression_hides_nothing(terms: int) -> None:
    long = "SUM = " + " + ".join(["1"] * terms) + "\n"
    reply = read_by("bandit", job_py=long + EVIL)
    assert rules(reply) == ["bandit/B602"]
    assert unread(reply) == {}


def test_a_file_on_which_a_program_crashes_is_unread_and_the_others_are_not() -> None:
    deep = "x = " + "-" * 300_000 + "1\n"
    reply = read_by("ruff", a_py="import os\n", deep_py=deep, z_py="import sys\n")
    assert rules(reply) == ["ruff/F401", "ruff/F401"]
    assert unread(reply) == {"deep.py": "crashed"}
    reply = read_by("bandit", a_py=EVIL, deep_py=deep)
    assert rules(reply) == ["bandit/B602"]
    assert unread(reply) == {"deep.py": "not_parsed"}


def test_a_syntax_error_is_a_finding_and_leaves_the_file_unread() -> None:
    reply = read_by("ruff", a_py="def (:\n", b_py=GOOD)
    assert reply.findings[0].severity is Severity.CRITICAL
    assert unread(reply) == {"a.py": "not_parsed"}


def test_findings_after_lone_carriage_returns_stand_on_gits_line() -> None:
    documents = MemoryDocuments()
    text = "import subprocess\rx = 1\nsubprocess.call(x,\r  shell=True)\n"
    subject = subject_of(documents, {"a.py": (None, text)})
    (finding,) = review("bandit", documents, stored(documents, subject)).findings
    assert finding.place is not None
    assert finding.place.line == 2
    assert "shell=True" in (finding.quote or "")


@pytest.mark.parametrize("folder", [".tox", "CVS", "x.egg", "node_modules", ".git.py"])
def test_no_folder_hides_a_file(folder: str) -> None:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, {f"{folder}/a.py": (None, EVIL)}))
    assert rules(review("bandit", documents, subject)) == ["bandit/B602"]


@pytest.mark.parametrize(
    ("tool", "hidden"),
    [
        ("bandit", EVIL.replace("True)", "True)  # nosec")),
        ("bandit", EVIL.replace("True)", "True)  # nosec B602")),
        ("ruff", "def f(a=[]):  # noqa\n    return a\n"),
        ("ruff", "def f(a=[]):  # noqa: B006\n    return a\n"),
        ("ruff", "# ruff: noqa\ndef f(a=[]):\n    return a\n"),
        ("ruff", "# flake8: noqa: B006\ndef f(a=[]):\n    return a\n"),
    ],
)
def test_what_the_change_suppresses_is_said_and_unread(tool: str, hidden: str) -> None:
    reply = read_by(tool, a_py=hidden)
    assert [finding.severity for finding in reply.findings] == [Severity.INFO]
    assert unread(reply) == {"a.py": "suppressed"}


@pytest.mark.parametrize(
    "text",
    ["import os  # noqa: F401\n", "def f(a=[]):  # type: ignore\n    return a\n"],
)
def test_a_suppression_of_a_small_thing_or_of_another_rule_hides_nothing(text: str) -> None:
    assert unread(read_by("ruff", a_py=text)) == {}


def test_a_suppression_from_before_the_change_stays_accepted() -> None:
    documents = MemoryDocuments()
    old = EVIL.replace("(t,", "(  # nosec\n    t,")
    subject = subject_of(documents, {"a.py": (old, old.replace("    t,", "    u,"))})
    reply = review("bandit", documents, stored(documents, subject))
    assert [finding.severity for finding in reply.findings] == [Severity.INFO]
    assert isinstance(reply, ReviewAnalysis)
    assert unread(reply) == {}


def test_an_old_suppression_does_not_accept_a_new_weakness() -> None:
    documents = MemoryDocuments()
    old = "import subprocess\nsubprocess.call(  # nosec B603\n    [t],\n)\n"
    subject = subject_of(documents, {"a.py": (old, old.replace("[t]", "t, shell=True"))})
    reply = review("bandit", documents, stored(documents, subject))
    assert isinstance(reply, ReviewAnalysis)
    assert unread(reply) == {"a.py": "suppressed"}


QUOTED = 'import subprocess\n\n\ndef f(t):\n    """\n    subprocess.call(t, shell=True)\n    """\n    return t\n'
CLOSED = QUOTED.replace('"""\n    s', '"""\n    """\n    s').replace('"""\n    r', '""""""\n    r')
LONG_CALL = (
    "import subprocess\n\nsubprocess.call(\n    ARGV,\n"
    + "    # more\n" * 30
    + "    shell=False,\n)\n"
)


@pytest.mark.parametrize(
    ("tool", "before", "after", "rule"),
    [
        ("bandit", QUOTED, QUOTED.replace('    """\n', ""), "bandit/B602"),
        ("bandit", QUOTED, CLOSED, "bandit/B602"),
        ("bandit", LONG_CALL, LONG_CALL.replace("False", "True"), "bandit/B602"),
        ("bandit", "import json as c\n\nc.loads(x)\n", "import pickle as c\n\nc.loads(x)\n", "bandit/B301"),
        ("ruff", "import os\n\nos.getcwd()\n", "\nos.getcwd()\n", "ruff/F821"),
    ],
)  # fmt: skip
def test_a_line_that_the_change_makes_weak_without_touching_it_is_found(
    tool: str, before: str, after: str, rule: str
) -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"a.py": (before, after)})
    reply = review(tool, documents, stored(documents, subject))
    (finding,) = (one for one in reply.findings if one.rule == rule)
    assert finding.severity.rank <= Severity.MAJOR.rank
    (change,) = subject.files
    if finding.place is None:
        assert not change.changed
        assert finding.title.startswith("a.py:")
    else:
        last = finding.place.end_line or finding.place.line
        assert any(r.first <= last and finding.place.line <= r.last for r in change.changed)


@pytest.mark.parametrize("tool", ["bandit", "ruff"])
def test_what_was_weak_before_is_left_alone_where_the_change_is_elsewhere(tool: str) -> None:
    documents = MemoryDocuments()
    old = "import subprocess\n\nsubprocess.call(t, shell=True)\nVALUE = 1\n"
    subject = subject_of(documents, {"a.py": (old, "\n" + old.replace("1", "2"))})
    reply = review(tool, documents, stored(documents, subject))
    assert reply.findings == ()


def test_a_script_is_linted_whatever_it_is_called() -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"pyproject.toml": (None, "#!/usr/bin/env python3\nx = y\n")})
    files = tuple(file.model_copy(update={"language": "python"}) for file in subject.files)
    subject = subject.model_copy(update={"files": files})
    assert rules(review("ruff", documents, stored(documents, subject))) == ["ruff/F821"]


@pytest.mark.parametrize("at", [0, 4_990, 5_000, 60_000])
def test_diffcheck_reads_a_line_of_any_length_to_its_end(at: int) -> None:
    key = "AKIA" + "Q" * 16
    reply = read_by("diffcheck", a_js="x " * (at // 2) + key + " y" * 3_000 + "\n", b_js="y\n")
    assert rules(reply) == ["diffcheck/token"]
    assert unread(reply) == {}


def test_an_unseen_character_far_to_the_right_is_placed_where_it_stands() -> None:
    (finding,) = read_by("diffcheck", a_js="x" * 20_000 + "\u202e\n").findings
    assert finding.detail.startswith("Column 20001 holds U+202E")
    assert finding.patch is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("*.py text working-tree-encoding=SHIFT-JIS", True),
        ("*.py working-tree-encoding=cp932 eol=lf", True),
        ("*.ps1 working-tree-encoding=UTF-16LE-BOM", False),
        ("# *.py working-tree-encoding=SHIFT-JIS", False),
        ("*.py diff=python", False),
    ],
)
def test_files_that_git_rewrites_with_other_letters_are_named(line: str, found: bool) -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"src/.gitattributes": (None, line + "\n")})
    said = rules(review("diffcheck", documents, stored(documents, subject)))
    assert said == (["diffcheck/rewritten-on-checkout"] if found else [])


def test_a_line_of_a_path_file_that_python_runs_is_no_path() -> None:
    reply = read_by("diffcheck", a_pth="lib\nimport os; os.system('id')\n")
    assert [(one.rule, one.place and one.place.line) for one in reply.findings] == [
        ("diffcheck/path-import", 2)
    ]


def test_diffcheck_reads_text_of_any_encoding_and_nothing_with_a_nul() -> None:
    reply = read_by("diffcheck", a_txt=b"caf\xe9\n", b_sh=b"echo\n# \0\n")
    assert unread(reply) == {"b.sh": "binary"}


def test_a_red_team_critique_says_the_same() -> None:
    documents = MemoryDocuments()
    subject = stored(
        documents, subject_of(documents, {"a.py": (None, "x = (\n"), "b.py": (None, GOOD)})
    )
    reply = red_team("bandit", documents, subject)
    assert '"unread":[{"path":"a.py","reason":"not_parsed"' in reply.model_dump_json()
