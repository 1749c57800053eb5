"""The impact of a debate: changes of mind, what they rest on and what each costs, the first vote beside the result."""

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.core.discussion.impact import (
    FindingsDebate,
    GroundsKind,
    Impact,
    Sources,
    debate_impact,
    evidence_of,
    impact,
    leading_vote,
)
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.findings.quotations import GivenTexts, quoted_in
from orchestrator.core.findings.stances import RAISING
from orchestrator.core.rounds import Contribution
from shared.models.deliberation import Context, Question
from shared.models.findings import Finding, FindingStatus, Position, Severity, Stance
from shared.models.panel import Participant
from shared.models.steps import StepResult

TASK = "Two disks failed in March, and nobody noticed."


def member(name: str, family: str | None = None) -> Participant:
    return Participant(name=name, provider="scripted", family=family or name)


def line(who: str, number: int, position: Position, **fields: Any) -> Stance:
    role = "critique"
    return Stance(
        round=number, participant=who, role=role, finding="F1", position=position, **fields
    )


FINDING = Finding(
    id="F1",
    title="No way back",
    detail="",
    severity=Severity.MAJOR,
    category="general",
    raised_by=("ada",),
    raised_in_round=1,
    status=FindingStatus.ACCEPTED,
)
LEDGER = (
    line("ada", 1, Position.AGREE, reason=RAISING),
    line("bob", 2, Position.DISAGREE, reason="it is new"),
    line("bob", 3, Position.AGREE, reason="so it is", quote="two disks FAILED"),
)


def vote(who: str, number: int, verdict: str) -> Contribution:
    return Contribution(who, "critique", round=number, verdict=verdict)


def priced(who: str, cost: float | None) -> TurnResult:
    return TurnResult(who, StepResult(reply={}, tokens=1, cost_usd=cost))


def debated(**fields: Any) -> FindingsDebate:
    history: Any = {
        "contributions": [
            vote("ada", 1, "NEEDS_FIX"),
            vote("bob", 1, "APPROVED"),
            vote("bob", 3, "NEEDS_FIX"),
        ],
        "findings": [FINDING],
        "ledger": LEDGER,
        "blind": [priced("ada", 0.5), priced("bob", 0.5)],
        "debate": [priced("ada", 1.0), priced("bob", 2.0)],
    }
    return FindingsDebate(
        critics=[member("ada"), member("bob")],
        history=SimpleNamespace(**{**history, **fields}),  # type: ignore[arg-type]
        verdict="NEEDS_FIX",
        sources=Sources(partial(quoted_in, texts=[TASK]), {}),
        label="R2{}".format,
    )


def test_votes_positions_changes_and_price_stand_side_by_side():
    made: Any = debate_impact(debated()).model_dump(mode="json")
    assert made["first_votes"] == {"ada": "NEEDS_FIX", "bob": "APPROVED"}
    assert made["last_votes"] == {"ada": "NEEDS_FIX", "bob": "NEEDS_FIX"}
    assert (made["first_leading"], made["verdict"], made["helped"]) == (
        None,
        "NEEDS_FIX",
        "settled",
    )
    (row,) = made["findings"]
    assert row["finding"] == "R2F1"
    assert row["first"] == {"ada": "agree", "bob": "disagree"}
    assert row["last"] == {"ada": "agree", "bob": "agree"}
    (change,) = made["changes"]
    assert (change["participant"], change["evidence"], change["round"]) == ("bob", "quoted", 3)
    assert made["changed_votes"] == [
        {
            "participant": "bob",
            "from": "APPROVED",
            "to": "NEEDS_FIX",
            "round": 3,
            "evidence": "quoted",
            "reason": "so it is",
            "quote": "two disks FAILED",
        }
    ]
    assert made["changed_findings"] == 1
    assert made["first_round"]["cost_usd"] == 1.0
    assert (made["cost_per_changed_vote"], made["cost_per_changed_finding"]) == (3.0, 3.0)


def test_a_vote_that_changes_and_says_on_no_finding_why_rests_on_nothing():
    made: Any = debate_impact(debated(ledger=LEDGER[:2])).model_dump(mode="json")
    (changed,) = made["changed_votes"]
    assert (changed["evidence"], changed["reason"], changed["quote"]) == ("none", "", None)


def test_a_vote_that_went_there_and_back_has_not_changed():
    made: Any = debate_impact(
        debated(contributions=[vote("ada", n, w) for n, w in enumerate("ABA", 1)])
    ).model_dump(mode="json")
    assert (made["changed_votes"], made["cost_per_changed_vote"]) == ([], None)


def test_a_price_that_is_not_wholly_known_is_not_known():
    made: Any = debate_impact(debated(debate=[priced("ada", 1.0), priced("bob", None)])).model_dump(
        mode="json"
    )
    assert made["cost_per_changed_finding"] is None


def test_without_a_change_there_is_no_price():
    made: Any = debate_impact(debated(ledger=LEDGER[:1])).model_dump(mode="json")
    assert (made["changed_findings"], made["cost_per_changed_finding"]) == (0, None)


@pytest.mark.parametrize(
    ("first", "final", "changes", "word"),
    [
        ("NEEDS_FIX", None, True, Impact.UNSETTLED),
        (None, "NEEDS_FIX", False, Impact.SETTLED),
        ("APPROVED", "NEEDS_FIX", True, Impact.CHANGED),
        ("APPROVED", "APPROVED", False, Impact.CONFIRMED),
        ("APPROVED", "APPROVED", True, Impact.CONFIRMED_AFTER_CHANGES),
    ],
)
def test_one_word_says_what_the_debate_did(first, final, changes, word):
    assert impact(first, final, changes=changes) is word


def test_copies_of_one_model_do_not_lead_a_first_vote():
    voters = [member("a1", "a"), member("a2", "a"), member("a3", "a"), member("b")]
    votes = {"a1": "APPROVED", "a2": "APPROVED", "a3": "APPROVED", "b": "NEEDS_FIX"}
    assert leading_vote(voters, votes) is None
    assert leading_vote([*voters, member("c")], {**votes, "c": "NEEDS_FIX"}) == "NEEDS_FIX"
    assert leading_vote(voters, {}) is None


@pytest.mark.parametrize(
    ("quote", "evidence"),
    [
        ("two disks ... nobody noticed", GroundsKind.QUOTED),
        ("nobody noticed ... two disks", GroundsKind.QUOTE_NOT_FOUND),
        ("disks", GroundsKind.QUOTE_NOT_FOUND),
        ("in the file", GroundsKind.QUOTED),
        ("said by bob himself", GroundsKind.QUOTE_NOT_FOUND),
        ("said by ada", GroundsKind.QUOTED),
        (None, GroundsKind.REASONED),
    ],
)
def test_a_change_is_worth_what_it_rests_on(quote, evidence):
    question = Question(text=TASK, contexts=(Context(path="a.md", document="0" * 64),))
    given = GivenTexts.of(question, {"0" * 64: "It stands in the file."}.__getitem__)
    sources = Sources(given.hold, {"ada": ["said by ada"], "bob": ["said by bob himself"]})
    assert evidence_of("bob", "because", quote, sources) is evidence


def test_files_are_not_read_while_the_question_does():
    def read(_name: str) -> str:
        raise AssertionError("nobody is to read it")

    question = Question(text=TASK, contexts=(Context(path="a.md", document="0" * 64),))
    assert GivenTexts.of(question, read).hold("Two disks failed")
