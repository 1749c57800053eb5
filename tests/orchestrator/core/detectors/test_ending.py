"""The end of a discussion: what is only unconfirmed counts there, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.consensus.convergence import ConvergenceRule, Detector, assess
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation
from shared.models.findings import Finding, Severity
from shared.models.outcomes import Ending
from shared.models.run import RulesVersion


def talk(*said: str) -> list[RoundTaken]:
    rounds = []
    for number, line in enumerate(said, 1):
        who, _, text = line.partition(": ")
        rounds.append(RoundTaken(number, "debate", (Contribution(who, "debate", text),)))
    return rounds


UNCONFIRMED = talk(
    "ann: I take A and 3",
    "bob: hello",
    "ann: So A and 3",
    "bob: yes, I agree",
)
FINDING = Finding(
    id="F1",
    title="A defect",
    detail="",
    severity=Severity.MINOR,
    category="general",
    raised_by=("ann",),
    raised_in_round=1,
)
APART = talk("ann: I take A", "bob: I take B", "ann: A it is", "bob: no, I disagree, B")


def unconfirmed() -> list[RoundTaken]:
    assert assess_text(UNCONFIRMED).recommendation is Recommendation.CONFIRM
    return UNCONFIRMED


def test_what_is_only_unconfirmed_counts_at_the_end() -> None:
    ended = assess_text(unconfirmed(), ended=True)
    assert ended.recommendation is Recommendation.CONVERGED
    assert ended.overall_score > 0.75


def test_what_is_not_agreed_is_not_agreed_at_the_end() -> None:
    assert assess_text(APART, ended=True).recommendation is Recommendation.CONTINUE


def test_a_missing_turn_rules_it_out() -> None:
    first = UNCONFIRMED[1]
    gone = replace(first, contributions=(replace(first.contributions[0], answered=False),))
    rounds = [UNCONFIRMED[0], gone, *UNCONFIRMED[2:]]
    assert assess_text(rounds, ended=True).recommendation is not Recommendation.CONVERGED


def test_the_first_rules_know_no_such_end() -> None:
    original = RulesVersion.ORIGINAL
    ended = assess_text(UNCONFIRMED, rules=original, ended=True)
    assert ended == assess_text(UNCONFIRMED, rules=original)


@pytest.mark.parametrize("last", [True, False])
def test_only_the_last_round_ends_so(last: bool) -> None:
    assessment = assess(
        unconfirmed(),
        [FINDING],
        [],
        rule=ConvergenceRule(detector=Detector.TEXT, quorum=1),
        new_findings=0,
        is_last_round=last,
        over_budget=False,
    )
    assert (assessment.ending is Ending.CONVERGED) is last
