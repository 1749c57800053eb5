"""What holds for every discussion: missing data never converges, order does not matter, figures stay in bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.consensus.convergence import (
    Contribution,
    ConvergenceRule,
    Detector,
    RoundTaken,
    assess,
)
from orchestrator.core.rounds import ledger_of
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Position, Severity, StatedStance
from shared.models.outcomes import Ending
from shared.models.run import RulesVersion

CRITICS = tuple("abcdefghijkl")
REASONS = (*["x y z"] * 9, "", "", "agreed", "this is a false positive", "고쳐야 합니다")
FINDINGS = ("F1", "F2")
TEXTS = (
    "I agree, that is correct.",
    "I do not agree, this is not correct.",
    "동의합니다.",
    "동의하지 않습니다.",
    "The loop runs once too often.",
    "",
)
# Agreement weighs more, so that many of the discussions do converge.
POSITIONS = st.sampled_from([Position.AGREE] * 6 + list(Position))


@dataclass(frozen=True)
class Discussion:
    """Everything `assess` is given."""

    rounds: tuple[RoundTaken, ...]
    findings: tuple[Finding, ...]
    rule: ConvergenceRule
    new_findings: int
    is_last_round: bool
    over_budget: bool

    def judged(self) -> Assessment:
        return assess(
            self.rounds,
            self.findings,
            ledger_of(self.rounds),
            rule=self.rule,
            new_findings=self.new_findings,
            is_last_round=self.is_last_round,
            over_budget=self.over_budget,
        )

    def without(self, at: int, member: int) -> Discussion:
        """The same with one contribution gone."""
        hit = self.rounds[at]
        gone = replace(hit.contributions[member], answered=False)
        contributions = (*hit.contributions[:member], gone, *hit.contributions[member + 1 :])
        rounds = list(self.rounds)
        rounds[at] = replace(hit, contributions=contributions)
        return replace(self, rounds=tuple(rounds))


@st.composite
def contributions(draw: st.DrawFn, who: str, role: str, agreeable: bool) -> Contribution:
    stances = tuple(
        StatedStance(
            finding=one,
            position=Position.AGREE if agreeable else draw(POSITIONS),
            reason=draw(st.sampled_from(REASONS)),
        )
        for one in FINDINGS
        if agreeable or draw(st.integers(0, 3))
    )
    answered = draw(st.integers(0, 19)) > 0
    return Contribution(who, role, draw(st.sampled_from(TEXTS)), answered, stances)


@st.composite
def discussions(draw: st.DrawFn) -> Discussion:
    critics = CRITICS[: draw(st.sampled_from([1, 2, 2, 2, 3, 3, 9]))]
    agreeable = draw(st.booleans())
    rounds = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        role, speakers = ("critique", critics) if number % 2 else ("rebuttal", ("author",))
        members = tuple(draw(contributions(who, role, agreeable)) for who in speakers)
        rounds.append(RoundTaken(number, role, members))
    findings = tuple(
        Finding(
            id=one,
            title=one,
            detail="",
            severity=draw(st.sampled_from(list(Severity))),
            category="general",
            raised_by=tuple(draw(st.sets(st.sampled_from(critics), min_size=1))),
            raised_in_round=draw(st.sampled_from([1, 1, 3])),
        )
        for one in FINDINGS[: draw(st.integers(0, 2))]
    )
    return Discussion(
        rounds=tuple(rounds),
        findings=findings,
        rule=ConvergenceRule(
            detector=draw(st.sampled_from([*Detector, *[Detector.STANCE] * 3])),
            quorum=draw(st.sampled_from([None, None, 1, 2])),
            rules=draw(st.sampled_from(RulesVersion)),
        ),
        new_findings=draw(st.sampled_from([0, 0, 0, 1])),
        is_last_round=draw(st.booleans()),
        over_budget=draw(st.booleans()),
    )


def converges(discussion: Discussion) -> bool:
    return discussion.judged().ending is Ending.CONVERGED


@settings(max_examples=250, deadline=None)
@given(discussions())
def test_missing_data_never_converges(discussion: Discussion) -> None:
    if converges(discussion):
        return
    for at, taken in enumerate(discussion.rounds):
        for member in range(len(taken.contributions)):
            assert not converges(discussion.without(at, member))


def test_a_turn_that_said_otherwise_makes_no_argument_of_a_nod_by_going_missing() -> None:
    """`a` nods for the first time; `b` came round with a nod to what it raised itself: two of nine only nod."""

    def turn(who: str, position: Position, reason: str = "x y z") -> Contribution:
        stance = StatedStance(finding="F1", position=position, reason=reason)
        return Contribution(who, "critique", TEXTS[0], True, (stance,))

    a, b, *others = CRITICS[:9]
    firm = tuple(turn(who, Position.AGREE) for who in others)
    before = (Contribution(a, "critique", TEXTS[0], True, ()), turn(b, Position.PARTIAL), *firm)
    after = (turn(a, Position.AGREE, ""), turn(b, Position.AGREE, ""), *firm)
    discussion = Discussion(
        rounds=(RoundTaken(1, "critique", before), RoundTaken(3, "critique", after)),
        findings=(
            Finding(
                id="F1",
                title="F1",
                detail="",
                severity=Severity.MINOR,
                category="general",
                raised_by=(b, *others),
                raised_in_round=1,
            ),
        ),
        rule=ConvergenceRule(rules=RulesVersion.EXAMINED),
        new_findings=0,
        is_last_round=False,
        over_budget=False,
    )

    assert not converges(discussion)
    assert not converges(discussion.without(0, 1))


@settings(deadline=None)
@given(discussions())
def test_a_round_without_answers_never_converges(discussion: Discussion) -> None:
    last = len(discussion.rounds) - 1
    for member in range(len(discussion.rounds[last].contributions)):
        discussion = discussion.without(last, member)
    assert discussion.judged().ending in (Ending.DEGRADED, Ending.OVER_BUDGET)


@settings(deadline=None)
@given(discussions())
def test_the_order_of_participants_rounds_findings_and_lines_does_not_matter(
    discussion: Discussion,
) -> None:
    turned = tuple(
        replace(taken, contributions=taken.contributions[::-1]) for taken in discussion.rounds[::-1]
    )
    straight = discussion.judged()
    other = replace(discussion, rounds=turned, findings=discussion.findings[::-1]).judged()
    assert other.ending is straight.ending
    assert other.metrics.recommendation is straight.metrics.recommendation
    assert other.metrics.agreement_ratio == pytest.approx(straight.metrics.agreement_ratio)
    assert other.metrics.avg_stability == pytest.approx(straight.metrics.avg_stability)
    assert set(other.open_findings) == set(straight.open_findings)


@settings(deadline=None)
@given(discussions())
def test_figures_stay_within_bounds_and_counts_add_up(discussion: Discussion) -> None:
    result = discussion.judged()
    assert result.second_opinion is not None
    for metrics in (result.metrics, result.second_opinion):
        assert 0.0 <= metrics.agreement_ratio <= 1.0
        assert metrics.avg_stability is None or 0.0 <= metrics.avg_stability <= 1.0
        assert 0.0 <= metrics.overall_score <= 1.0
    assert result.answered <= result.expected
    assert 1 <= result.quorum <= max(1, result.expected)
    assert result.reason


@settings(deadline=None)
@given(discussions())
def test_the_last_round_always_ends_the_discussion(discussion: Discussion) -> None:
    assert replace(discussion, is_last_round=True).judged().ending is not None


@settings(deadline=None)
@given(discussions())
def test_stating_every_line_twice_changes_nothing(discussion: Discussion) -> None:
    lines = ledger_of(discussion.rounds)
    once = discussion.judged()
    twice = assess(
        discussion.rounds,
        discussion.findings,
        (*lines, *lines),
        rule=discussion.rule,
        new_findings=discussion.new_findings,
        is_last_round=discussion.is_last_round,
        over_budget=discussion.over_budget,
    )
    assert twice == once


def test_the_discussions_above_do_converge_at_times() -> None:
    found = 0

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(discussions())
    def count(discussion: Discussion) -> None:
        nonlocal found
        found += bool(discussion.findings) and converges(discussion)

    count()
    assert found > 5
