"""The panel workflow with scripted debaters: who hears whom, who decides that it is over, and how it ends."""

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.core.replay.replay import replay
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.registry import checked, start_workflow
from shared.errors import ConfigurationError
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.debates import Script, fail, give, hold, member, nobody, shown, submitted
from tests.support.notices import all_words, words
from tests.support.panel_cast import (
    NAMES,
    QUESTION,
    PanelCast,
    one_of_two_is_settled,
    sides,
    stances,
)
from tests.support.simulator import Simulation


def held(script: Script, **options: Any) -> tuple[Outcome, Simulation]:
    defaults = {"strategy": "parallel", "max_rounds": 4}
    return hold(submitted(PanelOptions(**{**defaults, **options}), text=QUESTION), script)


def moderated(**options: Any) -> dict[str, Any]:
    return {"moderator": member("mod"), **options}


# ---- who hears whom -----------------------------------------------------------------------------


def test_sequential_debaters_hear_everybody_before_them_one_step_after_another():
    outcome, run = held(PanelCast(), strategy="sequential")
    assert run.stages[:4] == [
        tuple(f"opening/{name}" for name in NAMES),
        ("argument/1/ada",),
        ("argument/1/bob",),
        ("argument/1/cyd",),
    ]
    first, second, third = (shown(run.commands[f"argument/1/{name}"]) for name in NAMES)
    assert "own reason" not in first
    assert "ada's own reason in round 1" in second
    assert "ada's own reason in round 1" in third
    assert "bob's own reason in round 1" in third
    statements = outcome.detail["rounds"][0]["statements"]
    assert [one["heard"] for one in statements] == [[], ["ada"], ["ada", "bob"]]


def test_parallel_debaters_speak_at_once_and_blind_and_hear_all_others_in_the_next_round():
    _, run = held(sides())
    assert run.stages[0] == tuple(f"argument/1/{name}" for name in NAMES)
    assert "copying" not in "".join(shown(run.commands[f"argument/1/{name}"]) for name in NAMES)
    later = shown(run.commands["argument/2/ada"])
    assert "bob thinks of copying" in later
    assert "cyd thinks of copying" in later


def test_the_opening_vote_is_blind_and_comes_before_a_round_that_is_not():
    _, run = held(PanelCast(), strategy="sequential")
    for name in NAMES:
        assert "Yes" not in shown(run.commands[f"opening/{name}"])
    outcome, run = held(PanelCast(), strategy="sequential", opening_vote=False)
    assert run.stages[0] == ("argument/1/ada",)
    assert outcome.detail["receipt"]["first_votes_blind"] is False


def test_participants_are_letters_dealt_anew_in_every_round_and_the_map_is_kept():
    outcome, run = held(sides(), max_rounds=4)
    text = shown(run.commands["argument/2/ada"])
    assert not {"bob", "cyd"} & set(
        text.replace("bob thinks", "").replace("cyd thinks", "").split()
    )
    maps = outcome.detail["labels"]["rounds"]
    assert all(sorted(one) == ["A", "B", "C"] for one in maps.values())
    assert all(sorted(one.values()) == sorted(NAMES) for one in maps.values())
    many = [
        tuple(run_of(seed).detail["labels"]["rounds"]["1"].values())
        for seed in ("a", "b", "c", "d")
    ]
    assert len(set(many)) > 1


def run_of(seed: str) -> Outcome:
    return hold(submitted(PanelOptions(strategy="quick"), text=QUESTION, seed=seed), PanelCast())[0]


def test_only_contested_points_are_debated_further():
    _, run = held(PanelCast(argument=one_of_two_is_settled), max_rounds=3)
    text = shown(run.commands["argument/2/ada"])
    assert "Settled and not to be debated again: P2 accepted." in text
    assert "P1 (position" in text
    assert "P2 (point" not in text


def test_debaters_are_warm_judge_and_moderator_are_cool():
    _, run = held(PanelCast(), **moderated(strategy="sequential"))
    temperatures = {
        step.role: step.temperature for step in run.commands.values() if isinstance(step, Turn)
    }
    assert temperatures["argument"] == 0.7
    assert temperatures["moderation"] == temperatures["judgement"] == 0.3


@pytest.mark.parametrize("role", ["judge", "moderator"])
def test_who_debates_neither_judges_nor_moderates(role):
    options = PanelOptions(moderator=member("ada")) if role == "moderator" else PanelOptions()
    names = ("ada", "bob") if role == "moderator" else ("ada", "chair")
    with pytest.raises(ValueError, match=f"cannot be its {role}"):
        checked(submitted(options, names=names).spec)


# ---- who decides that it is over ----------------------------------------------------------------


def test_a_moderator_ends_nothing_by_saying_so_at_any_score():
    def moderation(step: Turn) -> StepResult:
        score = (0.0, 0.5, 0.79)[min(step.round, 3) - 1]
        return give(step, consensus_score=score, should_continue=False)

    def argument(step: Turn) -> StepResult:
        said = stances("partial" if step.round % 2 else "agree", "P1") if step.round > 1 else []
        return give(
            step, position="Yes", argument=f"reason {step.round}" * step.round, stances=said
        )

    _, run = held(PanelCast(argument=argument, moderation=moderation), **moderated(max_rounds=3))
    assert "argument/2/ada" in run.steps


def test_a_high_score_over_contested_positions_ends_nothing():
    def moderation(step: Turn) -> StepResult:
        return give(step, consensus_score=1.0, should_continue=False)

    outcome, run = held(sides(moderation=moderation), **moderated())
    assert "argument/2/ada" in run.steps
    assert outcome.ending is Ending.STALLED
    assert "the moderator scored 1.00, but P1, P2 contested" in words(
        outcome.detail["rounds"][0]["assessment"]["reason"]
    )


def test_a_high_score_with_agreeing_positions_is_consensus_at_once():
    outcome, run = held(PanelCast(), **moderated())
    assert outcome.ending is Ending.CONVERGED
    assert "argument/2/ada" not in run.steps
    without, run = held(PanelCast())
    assert without.ending is Ending.CONVERGED
    assert "argument/2/ada" in run.steps


@pytest.mark.parametrize("score", [1.2, -0.1, 9, True, "high", None])
def test_a_score_out_of_range_is_no_score(score):
    def moderation(step: Turn) -> StepResult:
        return give(step, consensus_score=score, should_continue=False)

    outcome, run = held(PanelCast(moderation=moderation), **moderated())
    assert "argument/2/ada" in run.steps
    assert any("no usable score for round 1" in one for one in all_words(outcome.warnings))


def test_a_score_below_the_threshold_is_no_consensus():
    _, run = held(PanelCast(), **moderated(consensus_threshold=0.95))
    assert "argument/2/ada" in run.steps


def test_a_missing_debater_keeps_a_high_score_from_ending_the_debate():
    def argument(step: Turn) -> StepResult:
        return fail() if step.participant.name == "cyd" else PanelCast().argument(step)

    outcome, run = held(PanelCast(argument=argument), **moderated(max_rounds=2))
    assert "argument/2/ada" in run.steps
    assert outcome.detail["rounds"][0]["assessment"]["ending"] is None


def test_a_dead_moderator_is_missed_and_stops_nothing():
    outcome, _ = held(PanelCast(moderation=lambda _: fail()), **moderated())
    assert outcome.ending is Ending.CONVERGED
    assert any("mod did not moderate round 1" in one for one in all_words(outcome.warnings))


def test_an_unknown_strategy_is_refused_by_name():
    run = submitted(PanelOptions(strategy="debate"))
    start = start_workflow(run.spec, run.materials)
    with pytest.raises(ConfigurationError, match="known: sequential, parallel, quick, delphi"):
        replay(start, Simulation(start, lambda _: fail(), nobody).journal)


def test_two_camps_that_ignore_each_other_do_not_agree():
    def argument(step: Turn) -> StepResult:
        text = "Yes" if step.participant.name in ("ada", "bob") else "No"
        return give(step, position=text, argument=f"{step.participant.name} in {step.round}")

    names = ("ada", "bob", "cyd", "dee")
    votes = {"ada": "P1", "bob": "P1"}
    run = submitted(
        PanelOptions(strategy="parallel", max_rounds=3, moderator=member("mod")),
        names=names,
        text=QUESTION,
    )
    outcome, _ = hold(run, sides(argument=argument, ballots=votes, moderation=glad))
    assert outcome.ending is Ending.STALLED
    assert outcome.detail["agreement"]["leading"] is None
    assert outcome.detail["consensus_points"] == []


def glad(step: Turn) -> StepResult:
    return give(step, consensus_score=1.0, should_continue=False)


# ---- endings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["sequential", "parallel", "delphi"])
def test_debaters_who_agree_and_stay_with_it_converge(strategy):
    outcome, run = held(PanelCast(), **moderated(strategy=strategy))
    assert (outcome.ending, outcome.verdict) == (Ending.CONVERGED, Verdict.ANSWERED)
    assert outcome.summary == "Yes, it should."
    assert run.phases[0] == "Initializing"
    assert run.phases[-3:] == ["Voting", "Judging", "Complete"]


def test_debaters_who_disagree_and_stay_with_it_stall_and_the_judge_decides():
    outcome, _ = held(sides(), strategy="parallel", max_rounds=6)
    assert (outcome.ending, outcome.verdict) == (Ending.STALLED, Verdict.ANSWERED)


def test_debaters_who_repeat_themselves_loop():
    def argument(step: Turn) -> StepResult:
        text = "Yes" if step.participant.name == "ada" else "No"
        return give(step, position=text, argument="as was said before by all who know it")

    outcome, _ = held(sides(argument=argument), max_rounds=8)
    assert outcome.ending is Ending.LOOPING
    assert len(outcome.detail["rounds"]) == 2


def test_debaters_who_go_there_and_back_oscillate():
    def argument(step: Turn) -> StepResult:
        text = "Yes" if step.round % 2 else "No"
        if step.participant.name == "ada":
            text = "Yes"
        return give(step, position=text, argument=f"{step.participant.name} in {step.round}")

    votes = dict.fromkeys(NAMES, "P1")
    outcome, _ = held(sides(argument=argument, ballots=votes), max_rounds=8)
    assert outcome.ending is Ending.OSCILLATING
    assert outcome.detail["agreement"]["converged"] is True


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.UNPARSEABLE, FailureKind.EMPTY])
@pytest.mark.parametrize("strategy", ["sequential", "parallel", "quick", "delphi"])
def test_silent_or_unreadable_debaters_are_a_degraded_debate_without_a_verdict(strategy, kind):
    outcome, run = held(
        PanelCast(argument=lambda _: fail(kind), opening=lambda _: fail(kind)), strategy=strategy
    )
    assert (outcome.ending, outcome.verdict) == (Ending.DEGRADED, Verdict.INCONCLUSIVE)
    assert "judgement/chair" not in run.steps
    assert outcome.detail["verdict"] is None


def test_opening_votes_do_not_speak_for_debaters_who_fell_silent():
    def argument(step: Turn) -> StepResult:
        return PanelCast().argument(step) if step.participant.name == "ada" else fail()

    outcome, run = held(PanelCast(argument=argument))
    assert (outcome.ending, outcome.verdict) == (Ending.DEGRADED, Verdict.INCONCLUSIVE)
    last = run.records["ending"].assessment
    assert (last.answered, last.expected) == (1, 3)
    assert last.metrics.overall_score < 0.5
    assert outcome.detail["receipt"]["helped"] == "unsettled", "there is no result to compare with"


def test_one_silent_debater_of_three_keeps_agreement_away_and_is_named():
    def silent(step: Turn) -> StepResult:
        name = step.reply_model.replace(".", "_")
        act: Script = getattr(PanelCast(), name)
        return fail() if step.participant.name == "cyd" else act(step)

    script = PanelCast(argument=silent, ballot_choice=silent)
    outcome, _ = held(script)
    assert outcome.ending is Ending.DEGRADED
    assert any(
        "cyd did not answer in round 1 (2/3 did)" in one for one in all_words(outcome.warnings)
    )
    assert any("cyd did not answer in the ballot" in one for one in all_words(outcome.warnings))


def test_a_debater_that_talks_nonsense_is_outvoted_and_heard():
    def argument(step: Turn) -> StepResult:
        if step.participant.name == "cyd":
            return give(step, position=f"Banana {step.round}", argument="bananas are yellow")
        return PanelCast().argument(step)

    def ballot(step: Turn) -> StepResult:
        if step.participant.name == "cyd":
            return give(step, choice="banana")
        return give(step, choice="P1", confidence=0.9)

    outcome, _ = held(PanelCast(argument=argument, ballot_choice=ballot))
    assert outcome.ending is not Ending.CONVERGED
    assert any(
        "cyd voted for something that nobody proposed" in one for one in all_words(outcome.warnings)
    )


def test_a_used_up_budget_ends_the_debate_and_asks_nobody_any_more():
    def argument(step: Turn) -> StepResult:
        return (
            fail(FailureKind.OVER_BUDGET)
            if step.participant.name != "ada"
            else PanelCast().argument(step)
        )

    outcome, run = held(PanelCast(argument=argument), strategy="sequential")
    assert (outcome.ending, outcome.verdict) == (Ending.OVER_BUDGET, Verdict.INCONCLUSIVE)
    assert "argument/1/cyd" not in run.steps
    assert not any(key.startswith(("ballot/", "judgement/")) for key in run.steps)


def test_a_budget_that_ends_with_the_votes_leaves_no_agreement():
    outcome, _ = held(PanelCast(ballot_choice=lambda _: fail(FailureKind.OVER_BUDGET)))
    assert outcome.ending is Ending.OVER_BUDGET


def test_analysers_take_no_part_in_a_debate():
    members = (*map(member, NAMES), member("ruff").model_copy(update={"provider": "analyser"}))
    run = submitted(PanelOptions(strategy="quick"), members=members, text=QUESTION)
    outcome, simulation = hold(run, PanelCast())
    assert "argument/1/ruff" not in simulation.steps
    assert any("ruff follows rules" in one for one in all_words(outcome.warnings))


# ---- quick and delphi ---------------------------------------------------------------------------


def test_quick_is_one_blind_round_and_the_judge():
    outcome, run = held(PanelCast(), **moderated(strategy="quick", max_rounds=5))
    assert run.stages == [tuple(f"argument/1/{name}" for name in NAMES), ("judgement/chair",)]
    assert outcome.ending is Ending.CONVERGED


def test_quick_with_different_answers_is_exhausted_and_judged():
    outcome, _ = held(sides(), strategy="quick")
    assert (outcome.ending, outcome.verdict) == (Ending.EXHAUSTED, Verdict.ANSWERED)


def test_delphi_shows_the_moderators_feedback_and_nobodys_argument():
    _, run = held(sides(), **moderated(strategy="delphi"))
    text = shown(run.commands["argument/2/ada"])
    assert "<feedback>\nall say yes" in text
    assert "bob thinks" not in text
    assert "cyd thinks" not in text
    assert "ada thinks of copying" in text


def test_delphi_without_a_moderator_shows_the_counts():
    _, run = held(sides(), strategy="delphi")
    assert "P2 (position; 2 agree, 1 disagree): No" in shown(run.commands["argument/2/ada"])


def test_delphi_ends_when_nobody_moves_any_more():
    outcome, _ = held(sides(), strategy="delphi", max_rounds=8)
    assert outcome.ending is Ending.STALLED
    assert len(outcome.detail["rounds"]) < 8
