"""The rule-based speaker: who concedes, who defends, who withdraws, and that it says what it is."""

from __future__ import annotations

import json
import threading

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.findings import Finding, FindingStatus, Place, Position, Severity
from shared.models.outcomes import FailureKind
from shared.models.review_replies import (
    FixProposal,
    RedTeamRebuttal,
    ReviewCritique,
    ReviewRebuttal,
    Synthesis,
)
from shared.models.wire import ForeignWire
from tests.workers.providers.calls import call_of
from workers.providers import rules
from workers.turns.replies import obtain


def finding(name: str = "F1", **fields: object) -> Finding:
    values: dict[str, object] = {
        "id": name,
        "title": f"Title of {name}",
        "detail": "",
        "severity": Severity.MAJOR,
        "category": "security",
        "rule": "B602",
        "place": Place(path="app/run.py", line=10),
        "raised_by": ("bandit",),
        "raised_in_round": 1,
    }
    return Finding.model_validate(values | fields)


def speak(
    role: str, reply_model: str, brief: dict[str, object], round_number: int = 2
) -> ForeignWire:
    wire: dict[str, JsonValue] = json.loads(
        json.dumps(brief, default=lambda value: value.model_dump(mode="json"))
    )
    call = call_of(
        "rules", None, role=role, reply_model=reply_model, round_number=round_number, brief=wire
    )
    got = obtain(rules, call, threading.Event(), lambda _: None)
    assert got.completions[0].model == "rule-based"
    assert got.completions[0].usage.cost_usd == 0.0
    return got.reply


def answer(one: Finding, source: str = "", changed: object = None) -> tuple[Position, str]:
    """The author's stance on one finding, and the word in brackets."""
    brief = {
        "findings": [one],
        "changed": {"app/run.py": [[1, 100]], "tests/shared/models/test_run.py": [[1, 100]]}
        if changed is None
        else changed,
        "sources": {one.id: source},
    }
    reply = speak("rebuttal", "rebuttal.review", brief)
    assert isinstance(reply, ReviewRebuttal)
    (stance,) = reply.stances
    return stance.position, stance.reason.partition("]")[0] + "]"


CONCEDED = (Position.AGREE, "[conceded]")
SUPPRESSED = (Position.DISAGREE, "[suppressed]")


@pytest.mark.parametrize(
    ("rule", "source", "expected"),
    [
        ("B602", "    run(cmd, shell=True)  # nosec", SUPPRESSED),
        ("B602", "    run(cmd, shell=True)  # nosec B602", SUPPRESSED),
        ("B602", "run(cmd, shell=True)  # nosec: B101, B602 reviewed", SUPPRESSED),
        ("B602", "run(cmd, shell=True)  # noqa: S602", SUPPRESSED),
        ("S602", "run(cmd, shell=True)  # nosec", SUPPRESSED),
        ("E501", "x = 1  # noqa: F401,E501", SUPPRESSED),
        ("F401", "from a import (  # noqa: F401", SUPPRESSED),
        ("B602", "run(cmd, shell=True)  # nosec B101", CONCEDED),
        ("B602", "run(cmd, shell=True)  # noqa", CONCEDED),
        ("E501", "x = 1  # nosec", CONCEDED),
        ("E501", "x = 1  # noqa: F401", CONCEDED),
        ("B602", "run('# nosec', shell=True)", CONCEDED),
        ("B602", "run(cmd, shell=True)", CONCEDED),
        (None, "run(cmd, shell=True)  # nosec", CONCEDED),
        # Read by the tokenizer it would take minutes.
        ("E501", "x = '" + '\\"' * 40_000 + "'  # noqa: E501", CONCEDED),
    ],
)
def test_a_suppression_must_be_a_comment_for_that_rule(
    rule: str | None, source: str, expected: tuple[Position, str]
) -> None:
    assert answer(finding(rule=rule), source) == expected


@pytest.mark.parametrize(
    ("rule", "path", "defended"),
    [
        ("B101", "tests/shared/models/test_run.py", True),
        ("S101", "pkg/test/checks.py", True),
        ("B105", "test_run.py", True),
        ("S106", "pkg/run_test.py", True),
        ("B107", "conftest.py", True),
        ("B101", "app/run.py", False),
        ("B602", "tests/shared/models/test_run.py", False),
        ("B101", "app/contest.py", False),
        ("B101", "app/latest_run.py", False),
    ],
)
def test_asserts_and_passwords_are_defended_in_tests_only(
    rule: str, path: str, defended: bool
) -> None:
    one = finding(rule=rule, place=Place(path=path, line=5))
    expected = (Position.DISAGREE, "[test-code]") if defended else CONCEDED
    assert answer(one, changed={path: [[1, 100]]}) == expected


@pytest.mark.parametrize(
    ("line", "end_line", "changed", "defended"),
    [
        (10, None, {"app/run.py": [[10, 10]]}, False),
        (10, None, {"app/run.py": [[11, 20]]}, True),
        (10, 15, {"app/run.py": [[15, 20]]}, False),
        (10, 5, {"app/run.py": [[5, 9]]}, True),
        (10, None, {"other.py": [[1, 100]]}, True),
        (10, None, {}, True),
    ],
)
def test_a_place_outside_the_change_is_defended(
    line: int, end_line: int | None, changed: dict[str, object], defended: bool
) -> None:
    one = finding(place=Place(path="app/run.py", line=line, end_line=end_line))
    expected = (Position.DISAGREE, "[unchanged-line]") if defended else CONCEDED
    assert answer(one, changed=changed) == expected


def test_without_a_place_or_evidence_nothing_is_defended() -> None:
    assert answer(finding(place=None, rule=None), changed={"x": []}) == CONCEDED
    reply = speak("rebuttal", "rebuttal.review", {"findings": [finding()]})
    assert isinstance(reply, ReviewRebuttal)
    assert reply.stances[0].position is Position.AGREE


def test_both_strategies_get_their_own_sections() -> None:
    brief: dict[str, object] = {
        "findings": [finding(), finding("F2", place=Place(path="old.py", line=1))],
        "changed": {"app/run.py": [[1, 100]]},
    }
    review = speak("rebuttal", "rebuttal.review", brief)
    assert isinstance(review, ReviewRebuttal)
    assert review.conceded_points == ("F1: Title of F1",)
    assert review.defended_points[0].point == "F2: Title of F2"
    assert review.refined_recommendation.startswith("Rule-based: 1 of 2")
    red_team = speak("rebuttal", "rebuttal.red-team", brief)
    assert isinstance(red_team, RedTeamRebuttal)
    assert red_team.accepted_challenges == review.conceded_points
    assert red_team.rejected_challenges == review.defended_points


def second_look(
    cited: dict[str, object], findings: list[Finding] | None = None, **brief: object
) -> ReviewCritique:
    values = {"findings": findings or [finding()], "own": ["F1"], "defences": cited} | brief
    reply = speak("critique", "critique.review", values, 3)
    assert isinstance(reply, ReviewCritique)
    return reply


@pytest.mark.parametrize(
    "cited",
    [
        {"rule": "[unchanged-line]", "reason": "..."},
        {"rule": "unchanged-line"},
        {"reason": "[unchanged-line] The change does not touch this place."},
    ],
)
def test_an_own_finding_is_withdrawn_when_the_cited_rule_holds(cited: dict[str, str]) -> None:
    reply = second_look({"F1": cited}, changed={"app/run.py": [[1, 2]]})
    assert reply.stances[0].position is Position.WITHDRAW
    assert reply.stances[0].reason.startswith("[unchanged-line]")
    assert reply.verdict == "APPROVED"


@pytest.mark.parametrize(
    "cited",
    [
        {},
        {"F1": {"rule": "unchanged-line", "reason": "trust me"}},
        {"F1": {"rule": "suppressed", "reason": "trust me"}},
        {"F1": {"rule": "test-code"}},
        {"F1": {"rule": "because"}},
        {"F1": {"reason": "I do not like it"}},
        {"F1": {"reason": "I say [unchanged-line]"}},
        {"F1": {"reason": "[unchanged-line"}},
    ],
)
def test_an_own_finding_is_held_against_a_defence_that_only_says_so(
    cited: dict[str, object],
) -> None:
    reply = second_look(cited, changed={"app/run.py": [[1, 100]]}, sources={"F1": "run(cmd)"})
    assert reply.stances[0].position is Position.AGREE
    assert reply.stances[0].reason.startswith("[held]")
    assert reply.verdict == "NEEDS_FIX"


def test_a_rule_that_holds_but_was_not_cited_does_not_help() -> None:
    reply = second_look({"F1": {"rule": "suppressed"}}, changed={})
    assert reply.stances[0].position is Position.AGREE


def test_findings_of_others_are_not_judged() -> None:
    reply = second_look({}, [finding("F2")])
    assert reply.stances[0].position is Position.ABSTAIN
    assert reply.verdict == "APPROVED"
    assert reply.findings == ()


def test_a_remark_alone_does_not_ask_for_a_fix() -> None:
    assert second_look({}, [finding(severity=Severity.INFO)]).verdict == "APPROVED"


def test_the_synthesis_counts_and_says_that_no_model_wrote_it() -> None:
    findings = [
        finding("F1", status=FindingStatus.ACCEPTED, severity=Severity.MINOR),
        finding("F2", status=FindingStatus.REJECTED),
        finding("F3", status=FindingStatus.CONTESTED),
        finding("F4", status=FindingStatus.UNDECIDED, place=None),
        finding("F5", status=FindingStatus.ACCEPTED, severity=Severity.CRITICAL),
    ]
    reply = speak(
        "synthesis",
        "synthesis",
        {
            "findings": findings,
            "ending": "converged",
            "assessment": {"metrics": {"agreement_ratio": 0.75}},
        },
    )
    assert isinstance(reply, Synthesis)
    assert reply.summary == (
        "Rule-based synthesis (counted by code, written by no model): 5 findings, 2 accepted, "
        "1 rejected, 2 open. The discussion ended as converged. Agreement 0.75."
    )
    assert reply.consensus == (
        "F5 CRITICAL (app/run.py:10): Title of F5",
        "F1 MINOR (app/run.py:10): Title of F1",
    )
    assert reply.resolved_issues == ("F2 MAJOR (app/run.py:10): Title of F2",)
    assert len(reply.remaining_concerns) == 2


def test_a_synthesis_of_nothing_is_still_one() -> None:
    reply = speak("synthesis", "synthesis", {"findings": [], "ending": None, "assessment": None})
    assert isinstance(reply, Synthesis)
    assert "0 findings" in reply.summary


def test_fixes_are_the_analysers_own_patches() -> None:
    patch = "--- a/app/run.py\n+++ b/app/run.py\n@@ -1 +1 @@\n-a\n+b\n"
    reply = speak(
        "fix",
        "fix",
        {
            "findings": [
                finding("F1", patch=patch),
                finding("F2"),
                finding("F3", patch=patch, status=FindingStatus.REJECTED),
            ]
        },
    )
    assert isinstance(reply, FixProposal)
    (fix,) = reply.fixes
    assert fix.findings == ("F1",)
    assert fix.patch.strip() == patch.strip()
    assert fix.explanation == "Rule-based: the analyser's own fix (B602)."


@pytest.mark.parametrize(
    ("role", "reply_model", "brief"),
    [
        ("argument", "synthesis", {}),
        ("rebuttal", "rebuttal.review", {}),
        ("rebuttal", "synthesis", {"findings": []}),
        ("synthesis", "synthesis", {"findings": "none"}),
    ],
)
def test_without_rules_or_matter_it_does_not_speak(
    role: str, reply_model: str, brief: dict[str, JsonValue]
) -> None:
    call = call_of("rules", None, role=role, reply_model=reply_model, brief=brief)
    with pytest.raises(ProviderError, match="rule-based participant gpt cannot speak") as caught:
        rules.complete(call, threading.Event())
    assert caught.value.kind is FailureKind.BAD_REQUEST
