"""The ruff participant finds defects on changed lines and offers ruff's safe fixes."""

from __future__ import annotations

import pytest

from shared.errors import ToolError
from shared.models.findings import Severity
from tests.workers.tools.changes import (
    added,
    check,
    red_team,
    review,
    rules,
    stored,
    subject_of,
)
from workers.tools.analysers.ruffrules import BROKEN, STYLE, UNTIDY, WRONG, kind_of
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool


def test_a_defect_is_reported_with_place_quote_rule_and_patch() -> None:
    documents = MemoryDocuments()
    subject = added(documents, a_py="import os\n\nprint(f'hello')\n")
    reply = review("ruff", documents, subject)
    assert reply.verdict == "NEEDS_FIX"
    assert reply.summary.startswith("rule-based analyser ruff 0.")
    assert reply.summary.endswith("2 findings on changed lines of 1 Python file.")
    unused = next(finding for finding in reply.findings if finding.rule == "ruff/F401")
    assert unused.place is not None
    assert (unused.place.path, unused.place.line) == ("a.py", 1)
    assert (unused.quote, unused.severity, unused.category) == (
        "import os",
        Severity.MINOR,
        "maintainability",
    )
    assert unused.patch is not None
    assert "-import os" in unused.patch
    assert any(point.claim.startswith("a.py:1: ") for point in reply.points_of_disagreement)


def test_every_patch_applies_to_the_reviewed_state_and_mends_what_it_says() -> None:
    documents = MemoryDocuments()
    text = "import os, sys\r\n한글 = '😀'; import re\r\n\r\nprint(f'hi', 한글)\r\n\r\n"
    subject = added(documents, **{"폴더__가 나_py": text, "b_py": "import os\n\n\n"})
    reply = review("ruff", documents, subject)
    patches = [finding.patch for finding in reply.findings if finding.patch]
    assert len(patches) == 5
    checked = check(documents, subject, *patches)
    assert [fix.problem for fix in checked.fixes] == [None] * 5
    assert "-import os, sys" in checked.patch
    assert "+print('hi', 한글)" in checked.patch


def test_a_fix_that_may_change_behaviour_is_only_advice() -> None:
    documents = MemoryDocuments()
    reply = review("ruff", documents, added(documents, a_py="def f(a=[]):\n    return a\n"))
    (finding,) = reply.findings
    assert finding.rule == "ruff/B006"
    assert finding.patch is None
    assert "by hand" in (finding.suggestion or "")


def test_lines_that_the_change_did_not_touch_are_left_alone() -> None:
    documents = MemoryDocuments()
    old = "import os\n\n\ndef f():\n    return 1\n"
    subject = stored(documents, subject_of(documents, {"a.py": (old, old.replace("1", "2"))}))
    reply = review("ruff", documents, subject)
    assert (reply.verdict, reply.findings) == ("APPROVED", ())
    assert reply.points_of_agreement == ("No rule objects to the changed lines of a.py.",)


def test_a_finding_over_several_lines_stands_on_its_first_changed_line() -> None:
    documents = MemoryDocuments()
    old = "def f(\n    a=1,\n):\n    print(\n        'x',\n        'y'.format(1),\n    )\n    return a\n"
    new = old.replace("a=1", "a=[]")
    subject = stored(documents, subject_of(documents, {"a.py": (old, new)}))
    (finding,) = review("ruff", documents, subject).findings
    assert finding.place is not None
    assert (finding.rule, finding.place.line) == ("ruff/B006", 2)


def test_a_syntax_error_is_critical_and_does_not_hide_other_files() -> None:
    documents = MemoryDocuments()
    subject = added(
        documents, bad_py="x = (\ny = 2\n", good_py="import os\n", odd_py=b"\xff\xfe = 1\n"
    )
    reply = review("ruff", documents, subject)
    assert rules(reply) == ["ruff/syntax-error", "ruff/F401"]
    assert reply.findings[0].severity is Severity.CRITICAL
    assert reply.unexamined_assumptions == ("odd.py was not looked at: it is not valid UTF-8.",)


def test_a_syntax_error_that_shows_elsewhere_is_placed_on_the_change() -> None:
    documents = MemoryDocuments()
    old = "x = [1]\n" + "y = 1\n" * 20
    subject = stored(documents, subject_of(documents, {"a.py": (old, old.replace("[1]", "[1"))}))
    (finding,) = review("ruff", documents, subject).findings
    assert finding.place is not None
    assert finding.place.line == 1


def test_new_syntax_is_no_error() -> None:
    documents = MemoryDocuments()
    text = 'type A = int\nmatch 1:\n    case _:\n        print(f"{\'a\' + "b"}")\n'
    assert review("ruff", documents, added(documents, a_py=text)).findings == ()


def test_red_team_sections_follow_the_categories() -> None:
    documents = MemoryDocuments()
    text = "import os\nimport time\n\n\nasync def f(a=[]):\n    time.sleep(1)\n    return a\n"
    reply = red_team("ruff", documents, added(documents, a_py=text))
    assert len(reply.edge_cases) == 1
    assert "a.py:5" in reply.edge_cases[0]
    assert "a.py:6" in reply.scalability_concerns[0]
    assert "a.py:1" in reply.maintenance_burden[0]
    assert len(reply.issue_summary) == len(reply.findings) == 3
    assert reply.security_risks == ()


@pytest.mark.parametrize(("path", "text"), [("a.js", "x"), ("README", "hello")])
def test_a_change_without_a_python_file_is_no_approval(path: str, text: str) -> None:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, {path: (None, text)}))
    for tool in ("ruff", "bandit", "complexity"):
        with pytest.raises(ToolError, match="Nothing analysed"):
            review(tool, documents, subject)


@pytest.mark.parametrize("tool", ["ruff", "bandit", "complexity", "diffcheck"])
def test_a_file_that_cannot_be_read_is_named_as_unread(tool: str) -> None:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, {"a.py": (None, b"x = '\xe9'\n")}))
    coverage = review(tool, documents, subject).coverage
    assert coverage.read == ()
    assert [file.path for file in coverage.unread] == ["a.py"]


def test_an_unknown_reply_model_is_refused() -> None:
    documents = MemoryDocuments()
    inputs = {"subject": added(documents, a_py="x"), "reply_model": "synthesis"}
    with pytest.raises(ToolError, match="reply_model"):
        run_tool("ruff", inputs, ToolContext(documents, 10.0))


def test_the_longest_prefix_says_how_bad_a_rule_is() -> None:
    assert kind_of("F401") is UNTIDY
    assert kind_of("F541") is STYLE
    assert kind_of("F821") is WRONG
    assert kind_of("invalid-syntax") is BROKEN


def test_what_only_costs_time_is_no_defect_of_a_test() -> None:
    documents = MemoryDocuments()
    text = "import time\n\n\nasync def f():\n    time.sleep(1)\n"
    findings = review(
        "ruff", documents, added(documents, tests__test_a_py=text, a_py=text)
    ).findings
    assert [(f.place and f.place.path, f.rule, f.severity) for f in findings] == [
        ("a.py", "ruff/ASYNC251", Severity.MAJOR),
        ("tests/test_a.py", "ruff/ASYNC251", Severity.INFO),
    ]


def test_an_awaited_call_is_no_blocking_one() -> None:
    text = "async def f(client: httpx.Client):\n    {}\n"
    for call, blocks in (
        ("return await client.get('x')", False),
        ("return (await\n        client.get('x'))", False),
        ("return client.get('x')", True),
        ("awaited = client.get('x')", True),
    ):
        documents = MemoryDocuments()
        reply = review(
            "ruff", documents, added(documents, a_py="import httpx\n" + text.format(call))
        )
        assert ("ruff/ASYNC212" in {finding.rule for finding in reply.findings}) is blocks, call


def test_a_run_out_of_time_is_an_error() -> None:
    documents = MemoryDocuments()
    inputs = {"subject": added(documents, a_py="x = 1\n")}
    with pytest.raises(ToolError, match=r"too long|time limit"):
        run_tool("ruff", inputs, ToolContext(documents, 0.001))
