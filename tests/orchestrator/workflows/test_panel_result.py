"""What a panel's run ends with: votes, verdict, dissent, bill, and the receipt that says whether the debate helped."""

from functools import partial
from typing import Any

import pytest

from orchestrator.core.consensus.choices import PositionVote, tally
from orchestrator.core.discussion.impact import GroundsKind, Sources, evidence_of, mind_changes
from orchestrator.core.findings.quotations import quoted_in
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.positions import read_round
from shared.models.findings import Position, Stance
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.planning import Argument
from shared.models.steps import StepResult
from tests.support.debates import Script, fail, give, hold, member, shown, submitted
from tests.support.notices import all_words, words
from tests.support.panel_cast import NAMES, QUESTION, PanelCast, persuaded, sides, stances
from tests.support.simulator import Simulation


def held(script: Script, **options: Any) -> tuple[Outcome, Simulation]:
    defaults = {"strategy": "parallel", "max_rounds": 3}
    return hold(submitted(PanelOptions(**{**defaults, **options}), text=QUESTION), script)


# ---- result -------------------------------------------------------------------------------------


def test_the_result_has_the_fields_of_the_design():
    def judgement(step: Turn) -> StepResult:
        return give(
            step,
            verdict="Yes, before winter.",
            choice="P1",
            confidence=0.75,
            reasoning="disks fail",
            consensus_points=["the server is old"],
            dissenting_opinions=["it is dear"],
        )

    detail = held(sides(judgement=judgement))[0].detail
    assert detail["verdict"] == "Yes, before winter."
    assert detail["confidence"] == 0.75
    assert detail["reasoning"] == "disks fail"
    assert detail["consensus_points"] == [{"text": "the server is old", "by": "judge", "id": None}]
    assert [(one["by"], one["participant"]) for one in detail["dissenting_opinions"]] == [
        ("vote", "bob"),
        ("vote", "cyd"),
        ("judge", None),
    ]
    assert {"total_tokens", "total_cost"} <= detail.keys()


@pytest.mark.parametrize(
    ("choice", "expected"), [("P1", True), ("P2", False), (None, None), ("P9", None)]
)
def test_whether_the_votes_agree_on_the_verdict_is_told(choice: str | None, expected: bool | None):
    def judgement(step: Turn) -> StepResult:
        return give(step, verdict="so be it", choice=choice)

    votes = dict.fromkeys(NAMES, "P1")
    outcome = held(sides(judgement=judgement, ballots=votes))[0]
    assert outcome.detail["agreement"]["on_verdict"] is expected


@pytest.mark.parametrize("caller", NAMES)
def test_one_voter_who_calls_two_positions_the_same_does_not_speak_for_the_others(caller: str):
    def ballot(step: Turn) -> StepResult:
        same = ["P2"] if step.participant.name == caller else []
        return give(step, choice="P1", same=same, confidence=0.9)

    def judgement(step: Turn) -> StepResult:
        return give(step, verdict="No, all agree.", choice="P2")

    outcome, _ = held(PanelCast(argument=persuaded, ballot_choice=ballot, judgement=judgement))
    assert outcome.ending is Ending.CONVERGED
    assert outcome.detail["agreement"]["leading"] == "P1"
    assert outcome.detail["agreement"]["on_verdict"] is False
    assert any("verdict is P2, the votes agree on P1" in one for one in all_words(outcome.warnings))


def test_a_verdict_in_other_words_is_agreed_on_when_all_voters_call_them_the_same():
    def ballot(step: Turn) -> StepResult:
        return give(step, choice="P1", same=["P2"], confidence=0.9)

    def judgement(step: Turn) -> StepResult:
        return give(step, verdict="No.", choice="P2")

    outcome, _ = held(PanelCast(argument=persuaded, ballot_choice=ballot, judgement=judgement))
    assert outcome.detail["agreement"]["on_verdict"] is True
    assert not any("the votes agree on" in one for one in all_words(outcome.warnings))


def test_what_the_ledger_shows_as_agreed_stands_before_what_the_judge_says():
    detail = held(PanelCast())[0].detail
    assert detail["consensus_points"][0] == {"text": "Yes.", "by": "ledger", "id": "P1"}


def test_every_call_is_on_the_bill_the_moderators_and_the_judges_too():
    class Billed(PanelCast):
        def __call__(self, step: Turn) -> StepResult:
            result = super().__call__(step)
            return result.model_copy(update={"tokens": 10, "cost_usd": 0.01})

    outcome, run = held(Billed(), moderator=member("mod"), strategy="sequential")
    assert outcome.detail["total_tokens"] == 10 * len(run.steps)
    assert outcome.detail["total_cost"] == pytest.approx(0.01 * len(run.steps))
    assert {"mod", "chair"} <= outcome.detail["usage"]["by"].keys()


def test_a_cost_that_is_not_known_stays_unknown():
    class Partly(PanelCast):
        def __call__(self, step: Turn) -> StepResult:
            result = super().__call__(step)
            known = step.role != "judgement"
            return result.model_copy(update={"tokens": 10, "cost_usd": 0.01 if known else None})

    detail = held(Partly())[0].detail
    assert detail["total_cost"] is None
    assert detail["total_tokens"] is not None


def test_a_judge_that_fails_leaves_the_verdict_to_votes_that_agree():
    outcome, _ = held(PanelCast(judgement=lambda _: fail()))
    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, Ending.CONVERGED)
    assert outcome.detail["decided_by"] == "votes"
    assert outcome.summary == "Yes."
    assert any("chair gave no verdict" in one for one in all_words(outcome.warnings))


def test_a_judge_that_fails_over_divided_votes_leaves_no_verdict():
    outcome, _ = held(sides(judgement=lambda _: fail(FailureKind.UNPARSEABLE)))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.detail["verdict"] is None
    assert "P2 (0.67): No" in outcome.summary


@pytest.mark.parametrize("confidence", [1.5, -1, "high", 8])
def test_a_confidence_out_of_range_is_none(confidence):
    def judgement(step: Turn) -> StepResult:
        return give(step, verdict="Yes", choice="P1", confidence=confidence)

    outcome, _ = held(PanelCast(judgement=judgement))
    assert outcome.detail["confidence"] is None
    assert "chair stated no usable confidence" in all_words(outcome.warnings)


def test_a_judge_that_differs_from_votes_that_agree_is_reported():
    def judgement(step: Turn) -> StepResult:
        return give(step, verdict="No", choice="P2", confidence=0.9)

    outcome, _ = held(PanelCast(argument=persuaded, judgement=judgement))
    assert any("verdict is P2, the votes agree on P1" in one for one in all_words(outcome.warnings))
    assert [one["participant"] for one in outcome.detail["dissenting_opinions"]] == [*NAMES]


def test_a_judge_of_a_debaters_family_is_named():
    members = [member("ada", family="chair"), member("bob"), member("cyd")]
    run = submitted(PanelOptions(strategy="quick"), members=members, text=QUESTION)
    outcome, _ = hold(run, PanelCast())
    assert "the judge chair is of the same model family as ada" in all_words(outcome.warnings)


# ---- ballots ------------------------------------------------------------------------------------


def test_ballots_are_cast_at_once_and_revealed_to_the_judge_without_names():
    outcome, run = held(sides())
    assert tuple(f"ballot/{name}" for name in NAMES) in run.stages
    text = shown(run.commands["judgement/chair"])
    letters = {name: label for label, name in outcome.detail["labels"]["judge"].items()}
    assert f"{letters['ada']}: P1 (confidence 0.80)" in text
    votes = text.split("<votes>")[1]
    assert not set(NAMES) & set(votes.replace(":", " ").split())


def test_positions_stand_in_an_order_of_each_voters_own():
    def argument(step: Turn) -> StepResult:
        return give(step, position=f"Answer {step.participant.name}", argument="so")

    names = [f"d{number}" for number in range(6)]
    run = submitted(PanelOptions(strategy="parallel", max_rounds=1), names=names, text=QUESTION)
    _, simulation = hold(run, PanelCast(argument=argument))
    lists = [shown(simulation.commands[f"ballot/{name}"]).split("<positions>")[1] for name in names]
    assert len({one.split("Vote in secret")[0] for one in lists}) > 1


def test_votes_that_contradict_the_debate_take_its_consensus_back():
    def ballot(step: Turn) -> StepResult:
        return give(step, choice="NONE" if step.participant.name == "ada" else "P1", confidence=1.0)

    outcome, _ = held(PanelCast(ballot_choice=ballot))
    assert outcome.ending is Ending.STALLED
    assert words(outcome.detail["reason"]).endswith("the votes contradict it")
    assert outcome.detail["dissenting_opinions"][0]["participant"] == "ada"


def test_votes_that_agree_settle_a_debate_that_ran_out_of_rounds():
    def argument(step: Turn) -> StepResult:
        return give(step, position=f"Yes, says {step.participant.name}", argument="so")

    def ballot(step: Turn) -> StepResult:
        return give(step, choice="P1", same=["P2", "P3"], confidence=0.9)

    outcome, _ = held(PanelCast(argument=argument, ballot_choice=ballot), max_rounds=1)
    assert outcome.ending is Ending.CONVERGED
    assert outcome.detail["agreement"]["leading"] == "P1"


def test_a_vote_against_ones_own_last_word_settles_nothing():
    outcome, _ = held(sides(ballots=dict.fromkeys(NAMES, "P2")))
    assert outcome.ending is Ending.STALLED
    assert words(outcome.detail["reason"]).endswith("the votes agree, the debate did not")


def test_debaters_of_one_family_have_one_vote():
    members = [member("ada", family="f"), member("bob", family="f"), member("cyd")]
    run = submitted(PanelOptions(strategy="parallel", max_rounds=2), members=members, text=QUESTION)
    outcome, _ = hold(run, sides(ballots={"ada": "P1", "bob": "P1"}))
    assert outcome.detail["effective_votes"] == 2
    assert outcome.detail["agreement"]["positions"]["P1"]["support"] == 0.5


def test_without_ballots_the_last_positions_are_the_votes():
    outcome, run = held(sides(), ballot=False)
    assert not any(key.startswith("ballot/") for key in run.steps)
    assert {one["participant"]: one["position"] for one in outcome.detail["votes"]} == {
        "ada": "P1",
        "bob": "P2",
        "cyd": "P2",
    }
    assert outcome.detail["votes_secret"] is False


def test_the_leading_position_of_a_tie_is_none_and_of_equals_the_first_choice():
    voters = [member("a"), member("b")]
    split: dict[str, PositionVote | None] = {"a": PositionVote("P1"), "b": PositionVote("P2")}
    assert tally(voters, split, ["P1", "P2"], threshold=0.8, quorum=2).leading is None
    equals: dict[str, PositionVote | None] = {
        "a": PositionVote("P1", ("P2",)),
        "b": PositionVote("P2", ("P1",)),
    }
    counted = tally(voters, equals, ["P1", "P2"], threshold=0.8, quorum=2)
    assert counted.leading == "P1"
    assert counted.converged
    silent: dict[str, PositionVote | None] = {"a": PositionVote("P1"), "b": None}
    assert not tally(voters, silent, ["P1"], threshold=0.8, quorum=1).converged


# ---- receipt ------------------------------------------------------------------------------------


def test_the_receipt_shows_who_changed_their_mind_on_what_evidence_and_at_what_price():
    receipt = held(PanelCast(argument=persuaded))[0].detail["receipt"]
    assert receipt["first_votes_blind"] is True
    assert receipt["first_votes"]["cyd"]["position"] == "P2"
    assert receipt["first_leading"] == receipt["final_leading"] == receipt["verdict"] == "P1"
    (changed,) = receipt["changed_votes"]
    assert (changed["participant"], changed["from"], changed["to"], changed["round"]) == (
        "cyd",
        "P2",
        "P1",
        2,
    )
    assert changed["evidence"] == "quoted"
    assert receipt["helped"] == "confirmed_after_changes"
    assert receipt["first_round"]["cost_usd"] == pytest.approx(0.3)
    assert receipt["cost_per_changed_vote"] is None, "the ballots' cost is not known"


def test_a_debate_that_moved_nobody_says_so():
    receipt = held(PanelCast())[0].detail["receipt"]
    assert receipt["helped"] == "confirmed"
    assert receipt["changed_votes"] == []
    assert receipt["cost_per_changed_vote"] is None


def test_the_price_of_a_change_is_what_came_after_the_first_vote():
    receipt = held(PanelCast(argument=persuaded), ballot=False)[0].detail["receipt"]
    rounds = receipt["debate"]["cost_usd"]
    assert rounds > 0
    assert receipt["cost_per_changed_vote"] == pytest.approx(rounds)


@pytest.mark.parametrize(
    ("reason", "quote", "evidence"),
    [
        ("so", "Orders  were LOST in March", GroundsKind.QUOTED),
        ("so", "nobody lost anything", GroundsKind.QUOTE_NOT_FOUND),
        ("so", "my very own words", GroundsKind.QUOTE_NOT_FOUND),
        ("so", None, GroundsKind.REASONED),
        (" ", "", GroundsKind.NONE),
    ],
)
def test_evidence_is_what_somebody_else_gave(reason, quote, evidence):
    sources = Sources(
        partial(quoted_in, texts=[QUESTION]), {"ada": ["these are my very own words"]}
    )
    assert evidence_of("ada", reason, quote, sources) is evidence


def test_abstaining_is_no_change_of_mind():
    lines = [
        Stance(round=n, participant="ada", role="argument", finding="P1", position=position)
        for n, position in enumerate(
            (Position.AGREE, Position.ABSTAIN, Position.AGREE, Position.DISAGREE, Position.WITHDRAW)
        )
    ]
    (change,) = mind_changes(lines, Sources(lambda _: False, {}))
    assert (change.round, change.before, change.after) == (3, Position.AGREE, Position.DISAGREE)


# ---- positions ----------------------------------------------------------------------------------


def argued(position: str, **fields: Any) -> Argument:
    return Argument.model_validate({"position": position, "argument": "so", **fields})


def test_a_negation_makes_another_position_and_punctuation_does_not():
    said = {
        "ada": argued("We should migrate to Postgres"),
        "bob": argued("we should migrate to Postgres."),
        "cyd": argued("We should not migrate to Postgres"),
        "dee": argued("We should migrate to Postgres 16"),
    }
    read = read_round((), said, 1, {})
    assert read.holds == {"ada": "P1", "bob": "P1", "cyd": "P2", "dee": "P3"}
    assert read.points[0].raised_by == ("ada", "bob")


def test_a_known_position_is_taken_by_its_id_and_the_old_one_is_withdrawn():
    first = read_round((), {"ada": argued("Yes"), "bob": argued("No")}, 1, {})
    read = read_round(first.points, {"bob": argued("P1", changed_because="disks")}, 2, first.holds)
    assert read.holds == {"bob": "P1"}
    assert len(read.points) == len(first.points)
    assert {line.finding: line.position for line in read.stances} == {
        "P1": Position.AGREE,
        "P2": Position.WITHDRAW,
    }


def test_an_id_that_does_not_exist_is_a_text_of_its_own():
    read = read_round((), {"ada": argued("P7 is the place to be")}, 1, {})
    assert read.points[0].title == "P7 is the place to be"


def test_only_three_points_of_a_turn_are_taken():
    points = [{"claim": f"claim number {number}"} for number in range(9)]
    read = read_round((), {"ada": argued("Yes", points=points)}, 1, {})
    assert [one.category for one in read.points] == ["position", "point", "point", "point"]


def test_what_is_said_in_so_many_words_outranks_what_a_position_implies():
    first = read_round((), {"ada": argued("Yes")}, 1, {})
    said = argued("No", stances=stances("partial", "P1"))
    read = read_round(first.points, {"ada": said}, 2, first.holds)
    assert [line.position for line in read.stances if line.finding == "P1"] == [Position.PARTIAL]
