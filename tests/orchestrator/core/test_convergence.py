"""Rulings on whole discussions, by example."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator.core.consensus.convergence import (
    Contribution,
    ConvergenceRule,
    Detector,
    RoundTaken,
    assess,
)
from orchestrator.core.rounds import ledger_of
from shared.models.assessment import Assessment, Recommendation
from shared.models.findings import Finding, Position, Severity, StatedStance
from shared.models.outcomes import Ending
from tests.support.notices import words

AGREE, DISAGREE, WITHDRAW = Position.AGREE, Position.DISAGREE, Position.WITHDRAW
ABSTAIN = Position.ABSTAIN
REFUSAL = "I do not agree, cannot accept, this is not correct."


def finding(
    identity: str = "F1", *raisers: str, severity: Severity = Severity.MAJOR, number: int = 1
) -> Finding:
    return Finding(
        id=identity,
        title="A defect",
        detail="",
        severity=severity,
        category="general",
        raised_by=raisers or ("a",),
        raised_in_round=number,
    )


def says(
    who: str, text: str = "", role: str = "critique", answered: bool = True, **positions: Position
) -> Contribution:
    stances = tuple(
        StatedStance(finding=one, position=position, reason=f"line 9 shows it: {text}")
        for one, position in positions.items()
    )
    return Contribution(who, role, text or f"{who} said so in round", answered, stances)


def author(text: str = "", answered: bool = True, **positions: Position) -> Contribution:
    return says("author", text, "rebuttal", answered, **positions)


def taken(number: int, *contributions: Contribution) -> RoundTaken:
    return RoundTaken(number, contributions[0].role, contributions)


def judge(
    rounds: Sequence[RoundTaken],
    findings: Sequence[Finding] = (),
    *,
    rule: ConvergenceRule | None = None,
    new: int = 0,
    last: bool = False,
    over_budget: bool = False,
) -> Assessment:
    return assess(
        rounds,
        findings,
        ledger_of(rounds),
        rule=rule or ConvergenceRule(),
        new_findings=new,
        is_last_round=last,
        over_budget=over_budget,
    )


BLIND = taken(1, says("a", "first a"), says("b", "first b"))


# ---- the four cells of the stance detector ------------------------------------------------------


def test_agreed_and_stable_is_converged() -> None:
    rounds = [
        BLIND,
        taken(2, author(F1=AGREE)),
        taken(3, says("a", "again a", F1=AGREE), says("b", "again b", F1=AGREE)),
    ]
    result = judge(rounds, [finding()])
    assert result.ending is Ending.CONVERGED
    assert result.metrics.recommendation is Recommendation.CONVERGED
    assert (result.metrics.agreement_ratio, result.metrics.avg_stability) == (1.0, 1.0)
    assert result.metrics.overall_score == pytest.approx(1.0)
    assert result.open_findings == ()


def test_agreement_that_nobody_confirmed_asks_for_one_more_round() -> None:
    result = judge([BLIND, taken(2, author(F1=AGREE))], [finding()])
    assert result.ending is None
    assert result.metrics.recommendation is Recommendation.CONFIRM
    assert result.metrics.avg_stability is None
    assert result.metrics.overall_score == pytest.approx(0.6)


def test_agreement_reached_by_changing_asks_for_one_more_round() -> None:
    rounds = [
        BLIND,
        taken(2, author("no", F1=DISAGREE)),
        taken(3, says("a", "oh", F1=WITHDRAW), says("b", "aha", F1=DISAGREE)),
    ]
    result = judge(rounds, [finding()])
    assert (result.ending, result.metrics.recommendation) == (None, Recommendation.CONFIRM)
    assert result.metrics.avg_stability == 0.0


def test_disagreement_that_does_not_move_is_stalled() -> None:
    rounds = [
        BLIND,
        taken(2, author("no", F1=DISAGREE)),
        taken(3, says("a", "a insists by another route", F1=AGREE), says("b", "b joins in")),
    ]
    result = judge(rounds, [finding()])
    assert (result.ending, result.metrics.recommendation) == (
        Ending.STALLED,
        Recommendation.STALLED,
    )
    assert result.open_findings == ("F1",)


def test_disagreement_that_moves_goes_on() -> None:
    rounds = [
        BLIND,
        taken(2, author("no", F1=DISAGREE)),
        taken(3, says("a", "half", F1=Position.PARTIAL), says("b", "yes", F1=AGREE)),
    ]
    result = judge(rounds, [finding()])
    assert (result.ending, result.metrics.recommendation) == (None, Recommendation.CONTINUE)


def test_one_dispute_about_a_grave_defect_is_not_drowned_by_the_average() -> None:
    minor = [finding(f"F{at}", "a", "b", severity=Severity.MINOR) for at in range(2, 11)]
    rounds = [BLIND, taken(3, says("a", "x", F1=AGREE), says("b", "y", F1=DISAGREE))]
    grave = judge(rounds, [finding(severity=Severity.CRITICAL), *minor])
    assert grave.metrics.agreement_ratio == pytest.approx(0.9)
    assert grave.ending is Ending.STALLED
    light = judge(rounds, [finding(severity=Severity.MINOR), *minor])
    assert light.ending is Ending.CONVERGED
    assert light.open_findings == ("F1",)


# ---- quorum and absence -------------------------------------------------------------------------


def test_without_a_quorum_the_discussion_is_degraded() -> None:
    half = taken(1, says("a"), says("b", answered=False))
    result = judge([half])
    assert (result.answered, result.expected, result.quorum) == (1, 2, 2)
    assert result.ending is Ending.DEGRADED
    assert result.metrics.recommendation is Recommendation.DEGRADED
    assert judge([half], last=True).ending is Ending.DEGRADED


def test_a_round_in_which_nobody_answers_is_degraded_under_any_quorum() -> None:
    silent = taken(2, author(answered=False))
    assert (
        judge([BLIND, silent], [finding()], rule=ConvergenceRule(quorum=1)).ending
        is Ending.DEGRADED
    )
    assert judge([RoundTaken(1, "critique", ())]).ending is Ending.DEGRADED


def test_the_authors_round_of_one_never_needs_two() -> None:
    result = judge([BLIND, taken(2, author(F1=AGREE))], [finding()], rule=ConvergenceRule(quorum=2))
    assert (result.quorum, result.ending) == (1, None)


def test_a_budget_that_ran_out_explains_a_missing_quorum() -> None:
    half = taken(1, says("a"), says("b", answered=False))
    assert judge([half], over_budget=True).ending is Ending.OVER_BUDGET


def test_nothing_raised_in_the_blind_round_is_converged_and_says_so() -> None:
    result = judge([BLIND])
    assert result.ending is Ending.CONVERGED
    assert "nobody raised anything" in words(result.reason)


def test_nothing_raised_while_somebody_is_missing_is_no_approval() -> None:
    partly = taken(1, says("a"), says("b"), says("c", answered=False))
    result = judge([partly])
    assert result.ending is None
    assert words(result.reason) == "nothing was raised, but silence is not approval: missing c"
    assert judge([partly], last=True).ending is Ending.EXHAUSTED


def test_a_quorum_that_somebody_set_may_find_nothing() -> None:
    partly = taken(1, says("a"), says("b"), says("c", answered=False))
    result = judge([partly], rule=ConvergenceRule(quorum=2))
    assert result.ending is Ending.CONVERGED
    assert "missing: c" in words(result.reason)


def test_agreement_of_those_present_does_not_converge_over_the_head_of_an_absent_one() -> None:
    first = taken(1, says("a", "1"), says("b", "2"), says("c", "3"))
    positions = [says("a", "x", F1=AGREE), says("b", "y", F1=AGREE)]
    full = [first, taken(3, *positions, says("c", "z", F1=AGREE))]
    gone = [first, taken(3, *positions, says("c", answered=False))]
    assert judge(full, [finding("F1", "a", "b")]).ending is Ending.CONVERGED
    result = judge(gone, [finding("F1", "a", "b")])
    assert result.ending is not Ending.CONVERGED
    assert "missing: c" in words(result.reason)


def test_an_explicit_abstention_on_one_finding_is_no_data() -> None:
    rounds = [
        BLIND,
        taken(2, author(F1=AGREE)),
        taken(3, says("a", "x", F1=AGREE), says("b", "y", F1=ABSTAIN)),
    ]
    assert judge(rounds, [finding()]).ending is Ending.CONVERGED


def test_everybody_abstaining_decides_nothing() -> None:
    rounds = [BLIND, taken(3, says("a", "x", F1=ABSTAIN), says("b", "y", F1=ABSTAIN))]
    result = judge(rounds, [finding()])
    assert result.ending is None
    assert result.open_findings == ("F1",)


# ---- limits -------------------------------------------------------------------------------------


def test_new_findings_are_answered_before_anything_ends() -> None:
    rounds = [
        BLIND,
        taken(2, author(F1=AGREE)),
        taken(3, says("a", "x", F1=AGREE), says("b", "y", F1=AGREE)),
    ]
    findings = [finding(), finding("F2", "a", "b", number=3)]
    result = judge(rounds, findings, new=1)
    assert (result.ending, result.metrics.recommendation) == (None, Recommendation.CONTINUE)
    assert judge(rounds, findings, new=1, last=True).ending is Ending.EXHAUSTED
    assert judge(rounds, findings).ending is Ending.CONVERGED


def test_two_rounds_with_full_concession_are_exhausted_and_say_why() -> None:
    result = judge([BLIND, taken(2, author(F1=AGREE))], [finding()], last=True)
    assert result.ending is Ending.EXHAUSTED
    assert "which no further round has confirmed" in words(result.reason)


def test_agreement_in_the_last_round_still_converges() -> None:
    rounds = [BLIND, taken(3, says("a", "x", F1=AGREE), says("b", "y", F1=AGREE))]
    assert judge(rounds, [finding()], last=True, over_budget=True).ending is Ending.CONVERGED


def test_a_budget_that_does_not_cover_another_round_ends_the_discussion() -> None:
    rounds = [BLIND, taken(2, author(F1=AGREE))]
    result = judge(rounds, [finding()], over_budget=True)
    assert result.ending is Ending.OVER_BUDGET
    assert judge(rounds, [finding()], last=True, over_budget=True).ending is Ending.EXHAUSTED


# ---- circles ------------------------------------------------------------------------------------


def test_saying_the_same_again_with_something_open_is_looping() -> None:
    words = "The query is built by concatenation and can be ended early."
    rounds = [
        taken(1, says("a", words), says("b", "nothing to add here")),
        taken(2, author("no", F1=DISAGREE)),
        taken(3, says("a", words), says("b", "nothing to add here")),
    ]
    result = judge(rounds, [finding()])
    assert result.ending is Ending.LOOPING
    assert result.metrics.recommendation is Recommendation.LOOPING


def test_saying_the_same_again_with_nothing_open_may_converge() -> None:
    rounds = [
        taken(1, says("a", "same words", F1=AGREE), says("b", "same words", F1=AGREE)),
        taken(3, says("a", "same words", F1=AGREE), says("b", "same words", F1=AGREE)),
    ]
    assert judge(rounds, [finding()]).ending is Ending.CONVERGED


def test_there_and_back_again_is_oscillating() -> None:
    texts = iter("one two three four five six".split())
    rounds = [
        taken(
            number,
            says("a", next(texts), F1=AGREE),
            says("b", next(texts), F1=position),
        )
        for number, position in ((1, DISAGREE), (3, AGREE), (5, DISAGREE))
    ]
    result = judge(rounds, [finding()])
    assert result.ending is Ending.OSCILLATING
    assert "b on F1" in words(result.reason)


# ---- the wording detectors ----------------------------------------------------------------------


def wording(detector: Detector) -> ConvergenceRule:
    return ConvergenceRule(detector=detector)


def test_the_other_detector_is_the_second_opinion() -> None:
    for detector, other in (
        (Detector.STANCE, "lexical"),
        (Detector.TEXT, "stance"),
        (Detector.LEXICAL, "stance"),
        (Detector.LEXICAL_PUBLISHED, "stance"),
    ):
        result = judge([BLIND], [finding()], rule=wording(detector))
        assert result.metrics.detector == detector
        assert result.second_opinion is not None
        assert result.second_opinion.detector == other


def test_a_repeated_refusal_converges_only_under_the_published_rule() -> None:
    rounds = [taken(1, says("a", REFUSAL)), taken(3, says("a", REFUSAL))]
    published = judge(rounds, [finding()], rule=wording(Detector.LEXICAL_PUBLISHED))
    assert published.ending is Ending.CONVERGED
    for detector in (Detector.LEXICAL, Detector.STANCE):
        assert judge(rounds, [finding()], rule=wording(detector)).ending is Ending.LOOPING


def test_stable_korean_agreement_converges_under_the_honest_rule() -> None:
    words = "지적이 맞습니다. 전적으로 동의합니다."
    rounds = [taken(1, says("a", words)), taken(3, says("a", words))]
    honest = judge(rounds, [finding()], rule=wording(Detector.LEXICAL))
    assert honest.ending is Ending.CONVERGED
    published = judge(rounds, [finding()], rule=wording(Detector.LEXICAL_PUBLISHED))
    assert published.ending is not Ending.CONVERGED


def test_plain_turns_converge_on_a_stated_answer_unless_one_of_them_is_missing() -> None:
    words = "Yes, I agree, we should take A and 3"
    rounds = [taken(number, says("a", words), says("b", words)) for number in (1, 3)]
    assert judge(rounds, [finding()], rule=wording(Detector.TEXT)).ending is Ending.CONVERGED
    rounds[0] = taken(1, says("a", words), says("b", words, answered=False))
    assert judge(rounds, [finding()], rule=wording(Detector.TEXT)).ending is not Ending.CONVERGED


def test_the_published_word_stands_even_where_its_ending_is_refused() -> None:
    rounds = [
        taken(1, says("a", REFUSAL), says("b", "x"), says("c", "y", answered=False)),
        taken(3, says("a", REFUSAL), says("b", answered=False), says("c", REFUSAL)),
    ]
    result = judge(rounds, [finding("F1", "b")], rule=wording(Detector.LEXICAL_PUBLISHED))
    assert result.metrics.recommendation is Recommendation.CONVERGED
    assert result.ending is not Ending.CONVERGED


# ---- the rule -----------------------------------------------------------------------------------


def test_the_default_quorum_is_more_than_half() -> None:
    assert [ConvergenceRule().quorum_of(expected) for expected in range(1, 6)] == [1, 2, 2, 3, 3]


def test_there_is_nothing_to_assess_without_a_round() -> None:
    with pytest.raises(ValueError, match="no round"):
        judge([])
