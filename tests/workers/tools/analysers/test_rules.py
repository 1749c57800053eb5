"""What a person says about rules reaches the analysers."""

from __future__ import annotations

from typing import Any

from shared.models.findings import Severity
from shared.models.reply_bounds import MAX_LISTED
from shared.models.review_replies import ReviewAnalysis, ReviewCritique
from tests.workers.tools.analysers.test_complexity import function
from tests.workers.tools.changes import added, rules
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

TEXT = "import subprocess\n\n\ndef f(a):\n    assert a\n    subprocess.call(a, shell=True)\n"


def answer(tool: str, text: str, **stated: Any) -> ReviewCritique:
    documents = MemoryDocuments()
    inputs = {"subject": added(documents, a_py=text), "rules": stated}
    reply = run_tool(tool, inputs, ToolContext(documents, 60.0))
    assert isinstance(reply, ReviewCritique)
    return reply


def test_a_rule_is_switched_off_and_its_findings_are_counted() -> None:
    reply = answer("bandit", TEXT, ignore=["B101"])
    assert rules(reply) == ["bandit/B602"]
    assert "Left out because their rules are switched off, or as known: 1." in reply.summary


def test_a_rule_is_switched_on() -> None:
    assert rules(answer("bandit", TEXT, ignore=["B101", "B602"])) == []
    more = answer("bandit", TEXT, select=["bandit/B404"], ignore=["B101", "B602"])
    assert rules(more) == ["bandit/B404"]
    assert rules(answer("ruff", TEXT)) == []
    assert rules(answer("ruff", TEXT, select=["D103", "ruff/ANN201"])) == [
        "ruff/ANN201",
        "ruff/D103",
    ]


def test_a_severity_decides_the_verdict() -> None:
    reply = answer("bandit", TEXT, severity={"bandit/*": "info"})
    assert {finding.severity for finding in reply.findings} == {Severity.INFO}
    assert reply.verdict == "APPROVED"


def test_a_function_may_be_as_complex_as_is_allowed() -> None:
    text = function("f", 12)
    assert rules(answer("complexity", text)) == []
    (finding,) = answer("complexity", text, complexity=10).findings
    assert finding.severity is Severity.MINOR
    assert rules(answer("complexity", function("f", 40), complexity=41)) == []


def test_an_analyser_lists_the_gravest_and_counts_the_rest() -> None:
    weak = "".join(f"x{n} = eval(input())\n" for n in range(MAX_LISTED + 20))
    reply = answer("bandit", f"{weak}assert x1\n")
    assert len(reply.findings) == MAX_LISTED
    assert isinstance(reply, ReviewAnalysis)
    assert reply.coverage is not None
    assert reply.coverage.unlisted == 21
    assert answer("bandit", TEXT).coverage.unlisted == 0  # type: ignore[attr-defined]
