"""What rules alone found: place, rule, title, the line of code, and the rule's page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.core.lines import plain
from orchestrator.presentation.formats.markdown import render as as_markdown
from orchestrator.presentation.formats.text import result_lines
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding
from shared.models.outcomes import Verdict
from shared.models.panel import Panel, Participant
from tests.support.reports import make_finding, make_report, make_spec

PAGE = "https://example.org/rules/eval"


def eval_at(line: int, identity: str = "F1", **changes: Any) -> Finding:
    """What an analyser says of a line with `eval`."""
    fields: dict[str, Any] = {
        "title": "Use of eval (B307)",
        "detail": f"Rule eval: {PAGE}",
        "rule": "bandit/B307",
        "place": {"path": "app.py", "line": line},
        "quote": "return  eval(a | b)",
        "stances": {},
    }
    return make_finding(identity, **{**fields, **changes})


def keyless(*findings: Finding) -> RunReport:
    """A run in which nobody but an analyser looked."""
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=findings)
    rules = Participant(name="rules", provider="rules")
    critic = Participant(name="bandit", provider="analyser")
    spec = make_spec().model_copy(
        update={"panel": Panel(critics=(critic,), author=rules, chair=rules)}
    )
    return replace(report, run=replace(report.run, spec=spec.model_dump(mode="json")))


def lines_of(report: RunReport, most: int | None = 9) -> list[str]:
    return plain(result_lines(report, words=ENGLISH, max_findings=most)).splitlines()


def test_a_finding_of_a_rule_shows_its_line_of_code_and_names_the_rule_once() -> None:
    lines = lines_of(keyless(eval_at(9)))
    at = next(number for number, row in enumerate(lines) if row.startswith("app.py:9: "))
    assert lines[at].count("B307") == 1
    assert "bandit/B307 Use of eval" in lines[at]
    assert lines[at + 1 : at + 3] == ["    return eval(a | b)", f"    {PAGE}"]


def test_the_page_of_a_rule_is_named_once() -> None:
    text = "\n".join(lines_of(keyless(eval_at(9), eval_at(12, "F2"))))
    assert (text.count("return eval"), text.count(PAGE)) == (2, 1)


def test_with_everything_the_line_of_code_stands_above_the_reasons() -> None:
    lines = lines_of(keyless(eval_at(9)), most=None)
    assert lines.index("    return eval(a | b)") + 1 == lines.index(f"    Rule: {PAGE}")


def test_a_finding_without_a_quotation_is_a_line_and_the_page_of_its_rule() -> None:
    lines = lines_of(keyless(eval_at(9, quote=None, detail="No page.")))
    at = next(number for number, row in enumerate(lines) if row.startswith("app.py:9: "))
    assert not lines[at + 1].startswith("    ")


def test_markdown_has_the_line_of_code_in_the_table_and_the_rule_once() -> None:
    row = next(
        row for row in as_markdown(keyless(eval_at(9)), ENGLISH).splitlines() if "eval" in row
    )
    assert f"Use of eval [<code>bandit/B307</code>]({PAGE})<br><code>return eval(a" in row
    assert row.count("B307") == 1


def test_what_a_title_ends_with_stays_unless_it_is_the_rule() -> None:
    finding = eval_at(9, title="Use of eval (twice)")
    assert any("Use of eval (twice)" in row for row in lines_of(keyless(finding)))
