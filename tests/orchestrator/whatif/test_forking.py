"""Where a run may be forked, what is copied, and which options the copy contradicts."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.replay import replay
from orchestrator.whatif.changes import change_of, changed
from orchestrator.whatif.forking import ForkPlan, inheritable, plan_fork, prefix_of
from orchestrator.whatif.places import stops
from orchestrator.whatif.recording import Recording, starter, without_records
from orchestrator.whatif.replacing import replace_participants
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import UnknownRun, UserError
from shared.models.decision import DecisionAnswer
from shared.models.findings import Severity
from shared.models.panel import Panel, Participant
from shared.models.run import DecisionPolicy, RunSpec
from tests.support import debates, question_panel
from tests.support.chances import ANY, FAILING, SEEDS, held
from tests.support.forum_cast import Cast, ends_in
from tests.support.panel_cast import PanelCast
from tests.support.plan_cast import PlanCast
from tests.support.recordings import recorded
from tests.support.review_panel import PATCH, Submission, participant, submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation


def conceding(step: Step) -> Any:
    """Everybody finds the same, the author concedes, the fix can be applied."""
    match step.reply_model.split(".")[0]:
        case "critique":
            found = [finding(patch=PATCH)] if step.round == 1 else []
            return critique(step, found, stances("agree", "F1") if step.round > 1 else [])
        case "rebuttal":
            return reply(step.reply_model, stances=stances("agree", "F1"))
    return finished(step)


def reviewed(choice: str = "skip", mode: str = "ask", **options: Any) -> Recording:
    run = submission(options=ReviewOptions(**options), decision=DecisionPolicy(mode=mode))
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        conceding,
        lambda _: DecisionAnswer(choice=choice, actor="me", channel="cli"),
    )
    outcome = simulation.run()
    return recorded(run, simulation, outcome)


def forked(recording: Recording, at: str, spec: RunSpec | None = None) -> ForkPlan:
    return plan_fork(recording, prefix_of(recording, at), spec or recording.spec)


def with_rules(recording: Recording, **rules: object) -> RunSpec:
    changes = [
        change_of(recording.spec, name.replace("_", "-"), str(value))
        for name, value in rules.items()
    ]
    return changed(recording.spec, changes)


FIRST = ("critique/1/critic1", "critique/1/critic2")


# ---- where --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "steps", "then"),
    [
        ("round:1", (), FIRST),
        ("critique/1/critic2", ("critique/1/critic1",), ("critique/1/critic2",)),
        ("round:2", FIRST, ("rebuttal/2/author",)),
        ("rebuttal/2/author", FIRST, ("rebuttal/2/author",)),
        ("rebuttal", FIRST, ("rebuttal/2/author",)),
        (
            "critique/3/critic1",
            (*FIRST, "rebuttal/2/author", "critique/3/critic2"),
            ("critique/3/critic1",),
        ),
        (
            "synthesis",
            (*FIRST, "rebuttal/2/author", "critique/3/critic1", "critique/3/critic2"),
            ("synthesis/chair",),
        ),
    ],
)
def test_a_fork_copies_what_came_before_and_what_was_asked_beside_its_step(
    at: str, steps: tuple[str, ...], then: tuple[str, ...]
) -> None:
    plan = forked(reviewed(), at)

    assert plan.steps == steps
    assert plan.then == then
    assert plan.decisions == ()


def test_the_round_after_the_last_one_goes_on_with_the_discussion() -> None:
    recording = reviewed(rounds=1)
    assert recording.run.ending == "exhausted"

    assert forked(recording, "round:2", with_rules(recording, rounds=3)).then == (
        "rebuttal/2/author",
    )
    assert forked(recording, "round:2").then == ("synthesis/chair",)


def test_a_decision_is_asked_again_and_not_copied() -> None:
    plan = forked(reviewed(), "decision")

    assert plan.decisions == ()
    assert plan.then == ("decision",)
    assert plan.steps[-2:] == ("synthesis/chair", "fixes/check")


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("critque/1/critic1", "did you mean critique/1/critic1"),
        ("SYNTESIS", "did you mean synthesis"),
        ("round:9", "it has round:1, round:2, round:3"),
        ("review2/round:1", "no round 1 in review2"),
        ("nonsense", "it has round:1, round:2, round:3, critique, rebuttal, synthesis"),
        ("", "it has round:1"),
    ],
)
def test_an_unknown_step_is_answered_with_what_there_is(at: str, said: str) -> None:
    with pytest.raises(UnknownRun, match=r"does not come to|has no round") as caught:
        forked(reviewed(), at)
    assert said in str(caught.value)


# ---- what writes is not repeated ----------------------------------------------------------------


@pytest.mark.parametrize("at", ["apply", "review2/round:1", "review2/critique/1/critic1"])
def test_nothing_behind_an_approval_is_forked(at: str) -> None:
    recording = reviewed("apply_fix")
    run = submission()
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        lambda step: (
            finished(step, subject=run.spec.subject if step.key == "apply" else None)
            if step.reply_model == "applied"
            else conceding(step)
        ),
        lambda ask: DecisionAnswer(
            choice="apply_fix" if ask.key == "decision" else "skip", actor="me", channel="cli"
        ),
    )
    outcome = simulation.run()
    recording = recorded(run, simulation, outcome)
    assert "apply" in recording.rows

    with pytest.raises(UserError, match=r"neither an approval nor what wrote.*--from decision"):
        forked(recording, at)
    assert forked(recording, "decision").then == ("decision",)


def test_a_policy_that_applies_is_not_inherited() -> None:
    recording = reviewed(mode="apply_fix")
    assert "apply" in recording.rows
    with pytest.raises(UserError, match="--from decision"):
        forked(recording, "apply")

    assert inheritable(recording.spec).decision.mode == "ask"
    assert forked(recording, "fixes", inheritable(recording.spec)).then == ("fixes/check",)


def test_the_reuse_of_stored_answers_is_not_inherited() -> None:
    spec = reviewed().spec.model_copy(update={"reuse": True})

    assert not inheritable(spec).reuse


def test_an_undo_is_not_forked() -> None:
    recording = reviewed()
    spec = {**recording.run.spec, "workflow": "undo", "options": {}}

    with pytest.raises(UserError, match="takes a fix back"):
        prefix_of(replace(recording, run=replace(recording.run, spec=spec)), "undo")


# ---- other options ------------------------------------------------------------------------------


def test_options_under_which_the_discussion_would_have_ended_are_refused_by_name() -> None:
    recording = reviewed()

    with pytest.raises(UserError, match="would have ended as exhausted with round/1"):
        forked(recording, "critique/3/critic1", with_rules(recording, rounds=1))


def test_a_strategy_that_asks_for_other_turns_contradicts_the_copied_ones() -> None:
    recording = reviewed()
    other = changed(recording.spec, [change_of(recording.spec, "review.strategy", "red-team")])

    with pytest.raises(UserError, match="critique/1/critic1 would be a different turn"):
        forked(recording, "round:2", other)
    assert forked(recording, "round:1", other).then == FIRST


def test_a_copied_answer_must_have_been_given_to_the_same_question() -> None:
    run = debates.submitted(PlanOptions(max_revisions=1))
    outcome, simulation = debates.hold(run, PlanCast(), debates.decides("revise", "accept"))
    recording = recorded(run, simulation, outcome)

    plan = forked(recording, "plan2/round:1")
    assert plan.decisions == ("decision",)
    assert plan.then[0].startswith("plan2/challenge/1/")
    with pytest.raises(UserError, match="--from decision"):
        forked(recording, "plan2/round:1", with_rules(recording, agreement_weight=0.5))


def test_a_fork_names_its_origin_keeps_its_seed_and_leaves_the_batch() -> None:
    recording = reviewed()
    labels = {"files": 3, "batch": "nightly"}
    spec = recording.spec.model_copy(update={"labels": labels})
    recording = replace(recording, run=replace(recording.run, spec=spec.model_dump(mode="json")))

    plan = forked(recording, "round:2")

    assert plan.spec.seed == recording.spec.seed
    assert plan.spec.labels == {
        "files": 3,
        "forked_from": "r1",
        "forked_at": "round:2",
        "copied_steps": 2,
    }
    assert plan.title == "fork of r1: a change"
    for language, title in (("en", "fork of r2: a change"), ("ko", "r2에서 갈라짐: a change")):
        spec = plan.spec.model_copy(update={"language": language}).model_dump(mode="json")
        again = replace(recording.run, id="r2", title=plan.title, spec=spec)
        assert forked(replace(recording, run=again), "round:2").title == title


@settings(max_examples=40, deadline=None)
@given(ANY, SEEDS, FAILING, st.randoms(use_true_random=False))
def test_every_stop_of_every_run_can_be_forked_and_its_copy_replays_strictly(
    run: Submission, seed: int, failing: float, draw: Any
) -> None:
    outcome, simulation = held(run, seed, failing)
    recording = recorded(run, simulation, outcome)
    way = stops(recording.follow(recording.spec, anew=False))
    at = draw.choice(draw.choice(way).keys)

    if any(key.rpartition("/")[2] == "apply" for key in recording.rows):
        return  # nothing behind an approval can be forked: a test of its own
    plan = forked(recording, at)
    journal = without_records(recording.journal, frozenset(plan.steps), frozenset(plan.decisions))
    progress = replay(starter(plan.spec, run.materials), journal)

    assert progress.outcome is None
    asked = progress.ask.key if progress.ask else None
    assert at in (*(step.key for step in progress.schedule), asked)
    assert at not in plan.steps


# ---- other participants -------------------------------------------------------------------------


def named(name: str) -> Participant:
    return Participant(name=name, provider="openai", model=f"model-{name}")


def in_seats(recording: Recording, at: str, *typed: str) -> RunSpec:
    copied = [recording.rows[key] for key in prefix_of(recording, at).steps]
    return replace_participants(recording.spec, typed, copied, named)


def test_who_has_not_spoken_yet_is_replaced_by_name() -> None:
    recording = reviewed()
    spec = in_seats(recording, "round:2", "chair=codex,author=gemini")

    assert (spec.panel.chair.name, spec.panel.author.name) == ("codex", "gemini")
    assert "seats" not in spec.labels
    assert forked(recording, "round:2", spec).then == ("rebuttal/2/gemini",)


def test_whose_words_are_copied_keeps_the_name_on_the_seat() -> None:
    recording = reviewed()
    spec = in_seats(recording, "round:3", "critic1=codex")

    first = spec.panel.critics[0]
    assert (first.name, first.model) == ("critic1", "model-codex")
    assert spec.labels["seats"] == {"critic1": "codex"}
    plan = forked(recording, "round:3", spec)
    assert plan.then == ("critique/3/critic1", "critique/3/critic2")
    assert plan.spec.labels["seats"] == {"critic1": "codex"}


def test_a_name_stands_for_every_seat_that_it_holds() -> None:
    eve = participant("eve")
    run = submission(panel=Panel(critics=(participant("ada"),), author=eve, chair=eve))
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        conceding,
        lambda _: DecisionAnswer(choice="skip", actor="me", channel="cli"),
    )
    recording = recorded(run, simulation, simulation.run())

    spec = in_seats(recording, "round:3", "eve=codex")
    # As the author eve has spoken, and keeps the name; as the chair not yet.
    assert (spec.panel.author.name, spec.panel.author.model) == ("eve", "model-codex")
    assert (spec.panel.chair.name, spec.panel.chair.model) == ("codex", "model-codex")
    assert forked(recording, "round:3", spec).then == ("critique/3/ada",)
    assert in_seats(recording, "round:3", "chair=codex").panel.author == eve


def test_a_policys_decision_can_be_asked_of_a_person_in_a_fork() -> None:
    recording = reviewed(mode="skip")
    asks = recording.spec.model_copy(update={"decision": DecisionPolicy()})
    plan = forked(recording, "decision", asks)
    assert plan.then == ("decision",)
    assert plan.steps[-1] == "fixes/check"
    applied = reviewed(mode="apply_fix")
    assert forked(applied, "decision", inheritable(applied.spec)).then == ("decision",)


def test_a_late_critic_makes_up_for_the_first_round() -> None:
    recording = reviewed()
    spec = in_seats(recording, "round:2", "critic1,critic2,codex")
    assert forked(recording, "round:2", spec).then == ("critique/1/codex",)


def test_a_critic_whose_words_were_heard_cannot_be_left_out() -> None:
    recording = reviewed()
    with pytest.raises(UserError, match="critique/1/critic1 would not have been asked"):
        forked(recording, "round:3", in_seats(recording, "round:3", "critic2"))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nobody=codex", r"no seat 'nobody' \(it has critic1, critic2, author, chair\)"),
        ("moderator=codex", "no seat 'moderator'"),
        ("critic1=", "expected SEAT=NAME"),
        ("=codex", "expected SEAT=NAME"),
        ("codex,codex", "share a name"),
    ],
)
def test_a_seat_that_nobody_holds_is_refused(typed: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        in_seats(reviewed(), "round:1", typed)


def test_a_judge_that_debates_is_refused() -> None:
    run = debates.submitted(PanelOptions())
    outcome, simulation = debates.hold(run, PanelCast())
    recording = recorded(run, simulation, outcome)
    with pytest.raises(UserError, match="takes part in the debate"):
        in_seats(recording, "judgement", "judge=ada")
    spec = in_seats(recording, "judgement", "judge=codex")
    assert forked(recording, "judgement", spec).then == ("judgement/codex",)


def test_the_gate_of_a_fork_is_its_own() -> None:
    recording = reviewed()
    plan = forked(recording, "synthesis", with_rules(recording, fail_on="minor"))
    assert plan.spec.options["fail_on"] == Severity.MINOR


@pytest.mark.parametrize("workflow", ["forum", "panel"])
def test_ballots_are_the_votes_at_the_end_although_openings_have_the_same_role(workflow: str):
    if workflow == "forum":
        run = question_panel.submitted("forum", ForumOptions(max_rounds=4))
        outcome, simulation = question_panel.hold(run, Cast(selection=ends_in(3)))
    else:
        run = debates.submitted(PanelOptions(strategy="sequential"))
        outcome, simulation = debates.hold(run, PanelCast())
    recording = recorded(run, simulation, outcome)
    plan = forked(recording, "ballot")
    assert {key.partition("/")[0] for key in plan.then} == {"ballot"}
    assert any(key.startswith("opening/") for key in prefix_of(recording, "ballot").steps)
    with pytest.raises(UserError, match="decision"):  # neither workflow asks anybody
        forked(recording, "decision")


def test_what_a_fork_asks_first_is_known_before_it_begins() -> None:
    recording = reviewed()
    plan = plan_fork(recording, prefix_of(recording, "round:1"), inheritable(recording.spec))
    names = [call.participant.name for call in plan.calls]
    assert names == [key.rsplit("/", 1)[1] for key in plan.then]
    assert all(call.certain and call.input_tokens > 100 for call in plan.calls)
    later = plan_fork(recording, prefix_of(recording, "synthesis"), inheritable(recording.spec))
    assert [call.role for call in later.calls] == ["synthesis"]
