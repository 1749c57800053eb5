"""The lexical rule: as published with its known traps on record, and honest without them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.consensus.detectors.lexical import (
    Utterance,
    assess_wording,
    compute_convergence,
    detect_agreement_ratio,
    jaccard_similarity,
)
from orchestrator.core.findings.cues import Cues, count_cues, prose
from orchestrator.core.findings.likeness import similarity, tokens
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation

REFUSAL = "I do not agree, cannot accept, this is not correct."
LONG_YES = (
    "I agree that the loop is correct and the bounds are checked well in every one of these cases "
    "today, the tests cover the empty list, the single element and the overflow of the counter"
)


def said(number: int, text: str, who: str = "a", role: str = "critique") -> RoundTaken:
    return RoundTaken(number, role, (Contribution(who, role, text),))


# ---- as published -------------------------------------------------------------------------------


def test_published_ratio_counts_every_cue_of_both_lists() -> None:
    agreeing = "agree concede valid point correct accept fair acknowledged"
    opposing = "however but challenge oppose flaw"
    assert detect_agreement_ratio(agreeing) == 1.0
    assert detect_agreement_ratio(opposing) == 0.0
    assert detect_agreement_ratio(f"{agreeing} {opposing}") == pytest.approx(7 / 12)


def test_published_ratio_is_one_half_without_cues() -> None:
    assert detect_agreement_ratio("") == 0.5
    assert detect_agreement_ratio("The sky is blue.") == 0.5


def test_published_ratio_finds_agree_inside_disagree() -> None:
    assert detect_agreement_ratio("disagree") == 0.5
    assert detect_agreement_ratio("incorrect") == 0.5


def test_published_ratio_finds_but_inside_attribute() -> None:
    assert detect_agreement_ratio("the attribute of the button") == 0.0


def test_published_ratio_counts_section_titles() -> None:
    assert detect_agreement_ratio("## Points of Agreement\n\nNone.") == 1.0


def test_published_ratio_cannot_tell_korean_agreement_from_disagreement() -> None:
    assert detect_agreement_ratio("전적으로 동의합니다.") == 0.5
    assert detect_agreement_ratio("전혀 동의하지 않습니다.") == 0.5


def test_published_similarity_is_jaccard_of_words_of_three_letters() -> None:
    assert jaccard_similarity("the cat sat on it", "The cat ran at it") == pytest.approx(2 / 4)
    assert jaccard_similarity("a b", "a b") == 0.0


def test_published_similarity_deletes_short_korean_words_and_misses_particles() -> None:
    assert jaccard_similarity("경계 검사", "경계 검사") == 0.0
    assert jaccard_similarity("반복문의 경계가", "반복문은 경계는") == 0.0


def test_published_similarity_barely_notices_a_negation() -> None:
    changed = LONG_YES.replace("is correct", "is not correct")
    assert jaccard_similarity(LONG_YES, changed) > 0.9


def test_published_rule_converges_on_a_repeated_refusal() -> None:
    metrics = compute_convergence(
        [Utterance(1, "critique", REFUSAL, "a"), Utterance(2, "critique", REFUSAL, "a")]
    )
    assert metrics.recommendation is Recommendation.CONVERGED
    assert metrics.agreement_ratio == 1.0
    assert metrics.avg_stability == 1.0
    assert metrics.overall_score == pytest.approx(1.0)


def test_published_rule_stalls_when_the_score_does_not_rise_and_texts_differ() -> None:
    metrics = compute_convergence(
        [
            Utterance(1, "critique", "I agree entirely", "a"),
            Utterance(2, "critique", "however", "a"),
        ]
    )
    assert metrics.recommendation is Recommendation.STALLED
    assert metrics.overall_score == 0.0


def test_published_rule_goes_on_after_one_round_and_without_any() -> None:
    first = compute_convergence([Utterance(1, "critique", "I agree", "a")])
    assert (first.recommendation, first.avg_stability) == (Recommendation.CONTINUE, 0.0)
    assert first.overall_score == pytest.approx(0.6)
    assert compute_convergence([]).recommendation is Recommendation.CONTINUE


def test_published_rule_compares_a_participant_with_its_own_last_text() -> None:
    metrics = compute_convergence(
        [
            Utterance(1, "critique", "alpha beta gamma", "critic"),
            Utterance(2, "rebuttal", "delta epsilon zeta", "author"),
            Utterance(3, "critique", "alpha beta gamma", "critic"),
        ]
    )
    assert metrics.avg_stability == 1.0


def test_published_rule_knows_three_words_only() -> None:
    words = {
        compute_convergence(
            [Utterance(1, "critique", one, "a"), Utterance(2, "critique", two, "a")]
        ).recommendation
        for one in ("I agree", "flaw but agree", "same words here")
        for two in ("I agree", "however", "same words here", "agree agree agree fair but")
    }
    assert words <= {
        Recommendation.CONTINUE,
        Recommendation.CONVERGED,
        Recommendation.STALLED,
    }


# ---- honest cues --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "agree", "disagree"),
    [
        ("I agree. That is a fair point.", 2, 0),
        ("He agreed, conceded and acknowledged it.", 3, 0),
        (REFUSAL, 0, 3),
        ("I disagree.", 0, 1),
        ("That is incorrect, and two flaws remain.", 0, 2),
        ("The attribute of the button is a rebuttal.", 0, 0),
        ("An unfair and unacceptable change.", 0, 2),
        ("I don't think this is correct.", 0, 1),
        ("I would not say that this is fair.", 0, 1),
        ("I'm unable to accept this.", 0, 1),
        ("We refuse to accept it and fail to agree.", 0, 2),
        ("We neither agree nor accept.", 0, 2),
        ("No flaws here.", 1, 0),
        ("I do not disagree.", 1, 0),
        ("This is not a flaw and I agree.", 2, 0),
        ("I couldn't agree more.", 1, 0),
        ("There is no doubt this is correct.", 1, 0),
        ("It is not only correct but also fair.", 2, 0),
        ("This is anything but correct.", 0, 1),
        ("Agreed, but a flaw remains.", 1, 2),
        ("I don’t agree.", 0, 1),
        ("Not in scope. I agree.", 1, 0),
        ("Do you agree?", 0, 0),
        ("If you accept this, it breaks.", 0, 0),
        ("We will correct the loop.", 0, 0),
        ("A valid point.", 1, 0),
        ("That is not a valid point.", 0, 1),
    ],
)
def test_english_cues_are_whole_words_under_their_negation(
    text: str, agree: int, disagree: int
) -> None:
    assert count_cues(text) == Cues(agree, disagree)


@pytest.mark.parametrize(
    ("text", "agree", "disagree"),
    [
        ("동의합니다. 지적이 맞습니다.", 2, 0),
        ("타당한 의견이고, 인정합니다.", 2, 0),
        ("동의하지 않습니다. 그 지적은 맞지 않습니다.", 0, 2),
        ("동의할 수 없습니다.", 0, 1),
        ("받아들일 수 없습니다.", 0, 1),
        ("동의하기 어렵습니다.", 0, 1),
        ("동의 못 합니다.", 0, 1),
        ("안 맞습니다.", 0, 1),
        ("옳지 않다고 봅니다.", 0, 1),
        ("타당성이 없습니다.", 0, 1),
        ("동의하는 것은 아닙니다.", 0, 1),
        ("불인정.", 0, 1),
        ("반대합니다.", 0, 1),
        ("반대하지 않습니다.", 1, 0),
        ("이의 없습니다.", 1, 0),
        ("동의하지 않을 이유가 없습니다.", 1, 0),
        ("동의하지만 결함이 있습니다.", 1, 2),
        ("그러나 틀렸습니다.", 0, 2),
        ("동의하십니까?", 0, 0),
        ("확인정보와 알맞은 값, 수용 인원, 동의어.", 0, 0),
    ],
)
def test_korean_cues_are_counted_under_korean_negation(
    text: str, agree: int, disagree: int
) -> None:
    assert count_cues(text) == Cues(agree, disagree)


@pytest.mark.parametrize(
    "text",
    [
        "## Points of Agreement\n\nNone.",
        "**Points of Agreement**\n\nNone.",
        "Points of Agreement:\nNone.",
        "Points of Agreement: none",
        "Conceded Points\n==========\nNone.",
        "Accepted Challenges: none\nRejected Challenges: all",
        "동의하는 사항: 없음",
        "> I agree, that is correct.\n\nHm.",
        'The reviewer wrote "I agree, that is fair" there.',
        "리뷰어는 “동의합니다”라고 썼다.",
        "```python\nagree = accept(correct)\n```",
        "Rename `agree` to `accept`.",
    ],
)
def test_titles_quotations_and_code_are_nobodys_agreement(text: str) -> None:
    assert count_cues(text).ratio is None


def test_a_statement_that_ends_with_a_colon_is_kept() -> None:
    assert count_cues("I disagree with the following:\n- the loop") == Cues(0, 1)


def test_a_structured_reply_is_read_as_its_prose() -> None:
    reply = (
        '{"summary": "I agree.", "stances": [{"finding": "F1", "position": "disagree",'
        ' "reason": "The claim is incorrect.", "quote": "accept(correct)"}]}'
    )
    assert count_cues(reply) == Cues(1, 1)
    assert "accept" not in prose(reply)


def test_text_that_only_looks_like_json_is_read_as_text() -> None:
    assert count_cues("{I agree") == Cues(1, 0)


# ---- honest similarity --------------------------------------------------------------------------


def test_korean_sentences_that_differ_in_particles_are_alike() -> None:
    one, two = "반복문의 경계가 올바르다", "반복문은 경계는 올바르다"
    assert jaccard_similarity(one, two) < 0.3
    alike = similarity(one, two)
    assert alike is not None
    assert alike > 0.5


def test_tokens_are_words_for_latin_and_pairs_for_hangul() -> None:
    assert tokens("Loop is 12 경계가") == {"loop", "12", "경계", "계가"}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (LONG_YES, LONG_YES.replace("is correct", "is not correct")),
        (LONG_YES, LONG_YES.replace("are checked", "are never checked")),
        (
            "이 반복문의 경계 검사는 모든 경우에 올바르므로 이 지적에 동의합니다",
            "이 반복문의 경계 검사는 모든 경우에 올바르므로 이 지적에 동의하지 않습니다",
        ),
        ("The lock is held and the flag is not set.", "The lock is not held and the flag is set."),
    ],
)
def test_a_negation_that_comes_or_moves_lowers_the_similarity_clearly(one: str, two: str) -> None:
    assert similarity(one, one) == 1.0
    changed = similarity(one, two)
    assert changed is not None
    assert changed <= 0.5


def test_texts_without_prose_cannot_be_compared() -> None:
    assert similarity("", "") is None
    assert similarity("```\nx = 1\n```", "I agree with it") is None


# ---- the honest rule ----------------------------------------------------------------------------


def test_honest_rule_does_not_converge_on_a_repeated_refusal() -> None:
    metrics = assess_wording([said(1, REFUSAL), said(2, REFUSAL)])
    assert metrics.agreement_ratio == 0.0
    assert metrics.recommendation is not Recommendation.CONVERGED


@pytest.mark.parametrize(
    "text", ["I agree, this is correct and the bounds are fine.", "지적이 맞습니다. 동의합니다."]
)
def test_honest_rule_converges_on_stable_agreement_in_both_languages(text: str) -> None:
    metrics = assess_wording([said(1, text), said(2, text)])
    assert metrics.recommendation is Recommendation.CONVERGED
    assert (metrics.agreement_ratio, metrics.avg_stability) == (1.0, 1.0)


def test_honest_rule_does_not_converge_on_korean_disagreement() -> None:
    text = "동의하지 않습니다. 그 지적은 맞지 않습니다."
    assert assess_wording([said(1, text), said(2, text)]).agreement_ratio == 0.0


def test_stability_is_measured_only_within_one_participant_and_role() -> None:
    text = "I agree, the bounds are correct."
    assert assess_wording([said(1, text, "a"), said(2, text, "b")]).avg_stability is None
    mixed = [said(1, text, "a", "critique"), said(2, text, "a", "rebuttal")]
    assert assess_wording(mixed).avg_stability is None
    assert assess_wording(mixed).recommendation is Recommendation.CONTINUE


def test_two_empty_answers_are_missing_and_not_consensus() -> None:
    metrics = assess_wording([said(1, ""), said(2, "")])
    assert (metrics.agreement_ratio, metrics.avg_stability) == (0.0, 0.0)
    assert metrics.recommendation is not Recommendation.CONVERGED


def test_an_unanswered_turn_counts_zero_in_both_figures() -> None:
    text = "I agree, the bounds are correct."
    both = (Contribution("a", "critique", text), Contribution("b", "critique", text))
    gone = (both[0], Contribution("b", "critique", text, answered=False))
    full = assess_wording([RoundTaken(1, "critique", both), RoundTaken(2, "critique", both)])
    half = assess_wording([RoundTaken(1, "critique", both), RoundTaken(2, "critique", gone)])
    assert (full.agreement_ratio, full.avg_stability) == (1.0, 1.0)
    assert (half.agreement_ratio, half.avg_stability) == (0.5, 0.5)


# ---- properties ---------------------------------------------------------------------------------

WORDS = st.sampled_from(
    'agree not disagree but fair loop bound 동의합니다 않습니다 맞습니다 however correct the . , ? \n # > " ` if'.split(
        " "
    )
)
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
def test_published_and_honest_ratios_stay_within_bounds(text: str) -> None:
    assert 0.0 <= detect_agreement_ratio(text) <= 1.0
    ratio = count_cues(text).ratio
    assert ratio is None or 0.0 <= ratio <= 1.0


@given(TEXTS, TEXTS)
def test_similarities_are_symmetric_and_within_bounds(one: str, two: str) -> None:
    assert jaccard_similarity(one, two) == jaccard_similarity(two, one)
    assert 0.0 <= jaccard_similarity(one, two) <= 1.0
    alike = similarity(one, two)
    assert alike == similarity(two, one)
    assert alike is None or 0.0 <= alike <= 1.0


@given(TEXTS)
def test_a_text_with_prose_is_wholly_like_itself(text: str) -> None:
    assert similarity(text, text) in (None, 1.0)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_metrics_of_both_forms_stay_within_bounds(pairs: list[tuple[str, str]]) -> None:
    rounds = [
        RoundTaken(
            number,
            "critique",
            (Contribution("a", "critique", one), Contribution("b", "critique", two)),
        )
        for number, (one, two) in enumerate(pairs, start=1)
    ]
    utterances = [
        Utterance(taken.number, taken.role, one.text, one.participant)
        for taken in rounds
        for one in taken.contributions
    ]
    for metrics in (assess_wording(rounds), compute_convergence(utterances)):
        assert 0.0 <= metrics.agreement_ratio <= 1.0
        assert metrics.avg_stability is None or 0.0 <= metrics.avg_stability <= 1.0
        assert 0.0 <= metrics.overall_score <= 1.0


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_the_order_of_participants_does_not_matter(texts: list[str]) -> None:
    members = [Contribution(f"p{at}", "critique", text) for at, text in enumerate(texts)]
    turned = members[::-1]
    one = assess_wording([RoundTaken(1, "critique", tuple(members))])
    two = assess_wording([RoundTaken(1, "critique", tuple(turned))])
    assert one.agreement_ratio == pytest.approx(two.agreement_ratio)
