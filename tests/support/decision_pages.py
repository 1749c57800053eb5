"""Reports that wait for a decision, and the page that a decider is sent of one: nothing is stored, nothing is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request

from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.web.pages.decision_view import decision_view
from orchestrator.web.pages.inbox_view import decision_address
from orchestrator.web.pages.rendering import page
from shared.models.findings import Position, Severity, Stance
from shared.models.outcomes import Ending, RunStatus
from shared.models.rows import DecisionRow
from tests.support.reports import make_assessment, make_decision, make_finding, make_report


def waiting_report(decision: DecisionRow | None = None, **changes: Any) -> RunReport:
    """A review that waits for an answer."""
    report = make_report(RunStatus.WAITING, findings=(make_finding(),))
    decision = decision or make_decision()
    return replace(report, decisions=(decision,), **changes)


def shown_page(report: RunReport, language: str = "en", **changes: Any) -> str:
    """The page as a decider is sent it."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/x",
        "query_string": b"",
        "headers": [(b"accept-language", language.encode())],
        "server": ("127.0.0.1", 8765),
        "scheme": "http",
    }
    decision = report.decisions[-1]
    given: dict[str, Any] = {
        "view": decision_view(report, decision, Translator(language)),
        "run": report.run,
        "strategy": report.strategy,
        "usage": report.usage,
        "address": decision_address(report.run.id, decision.key),
        "may_decide": True,
        "conflict": "",
        "wanted": "",
        "message": "",
        "again": "/runs/rabc/fork?at=round:2",
    }
    answer = page(Request(scope), "decision.html", **{**given, **changes})
    return bytes(answer.body).decode()


def discussed_report(ending: Ending = Ending.STALLED) -> RunReport:
    """A review with everything that its page can show: dissent, a change of mind, a synthesis, rounds, a patch."""
    first = make_finding(detail="A name reaches a **shell**:\n\n```python\nos.system(name)\n```")
    other = make_finding(
        "F2",
        title="A second one",
        severity=Severity.MINOR,
        suggestion="Quote it.",
        stances={"bandit": Position.AGREE, "claude": Position.DISAGREE},
    )
    ledger = tuple(
        Stance(
            round=number, participant="claude", role="critique", finding="F2", position=position,
            reason="It is quoted in line 4.",
        )
        for number, position in enumerate((Position.AGREE, Position.DISAGREE), 1)
    )  # fmt: skip
    rounds = (make_assessment(), make_assessment(ending, 2))
    report = waiting_report(recorded=(first, other), ledger=ledger, assessments=rounds)
    report.run.spec["panel"]["chair"]["provider"] = "scripted"
    return report
