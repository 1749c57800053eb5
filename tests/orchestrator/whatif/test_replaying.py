"""Replays of recorded runs: exact under their own rules, and honest about what other rules would lack."""

from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.recomputation import recompute
from orchestrator.presentation.locale.translator import Translator
from orchestrator.whatif.changes import change_of
from orchestrator.whatif.recording import make_recording
from orchestrator.whatif.replaying import State, Variant, check, computed_otherwise, what_if
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import ReplayMismatch, UserError
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Ending
from shared.models.steps import StepResult
from tests.support.chances import ANY, FAILING, SEEDS, SUBMISSIONS, held
from tests.support.programs import PROGRAMS, Program, starter
from tests.support.recordings import recorded
from tests.support.review_panel import Submission, submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation


def variant(recording: Any, **rules: object) -> Variant:
    changes = tuple(
        change_of(recording.spec, name.replace("_", "-"), str(value))
        for name, value in rules.items()
    )
    (found,) = what_if(recording, [changes]).variants
    return found


# ---- under its own rules ------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(ANY, SEEDS, FAILING)
def test_a_run_is_computed_as_it_is_stored_whatever_its_workflow(
    run: Submission, seed: int, failing: float
) -> None:
    outcome, simulation = held(run, seed, failing)

    found = check(recorded(run, simulation, outcome))

    assert found.differences == ()
    assert found.same
    assert found.state is State.ENDED
    assert found.stored == found.now


@settings(max_examples=25, deadline=None)
@given(ANY, SEEDS, FAILING)
def test_without_a_change_a_what_if_is_what_was(run: Submission, seed: int, failing: float) -> None:
    outcome, simulation = held(run, seed, failing)

    found = what_if(recorded(run, simulation, outcome), [()])

    (nothing,) = found.variants
    assert nothing.result == found.stored
    assert (nothing.needs, nothing.not_needed, nothing.shown_otherwise) == ((), (), ())


@settings(max_examples=25, deadline=None)
@given(ANY, SEEDS, st.randoms(use_true_random=False))
def test_a_run_under_way_is_the_same_as_far_as_it_got(
    run: Submission, seed: int, draw: Any
) -> None:
    _, simulation = held(run, seed)
    moment = draw.choice(simulation.moments)
    simulation.steps, simulation.records = dict(moment.steps), dict(moment.records)
    simulation.answers = dict(moment.answers)
    simulation.questions = {key: simulation.questions[key] for key in moment.asked}

    found = check(recorded(run, simulation))

    assert found.same, found.differences
    assert found.state is not State.ENDED


@settings(deadline=None)
@given(PROGRAMS, SEEDS)
def test_random_programs_come_to_their_recorded_outcome(program: Program, seed: int) -> None:
    simulation = Simulation(
        starter(program),
        lambda step: StepResult(reply={"said": step.key}),
        lambda _: DecisionAnswer(choice="again", actor="a", channel="cli"),
        Random(seed),
    )
    outcome = simulation.run()

    for anew in (True, False):
        found = recompute(starter(program), simulation.journal, anew=anew)
        assert found.outcome == outcome
        assert found.records == simulation.records
        assert (found.missing, found.unneeded, found.undecided) == ((), (), ())
        assert {step.key for step in found.taken} == set(simulation.steps)


# ---- under other rules --------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(
    st.one_of(
        SUBMISSIONS["review"], SUBMISSIONS["plan"], SUBMISSIONS["panel"], SUBMISSIONS["forum"]
    ),
    SEEDS,
    FAILING,
    st.integers(1, 6),
)
def test_other_numbers_of_rounds_never_invent_a_turn_and_never_lose_one(
    run: Submission, seed: int, failing: float, rounds: int
) -> None:
    outcome, simulation = held(run, seed, failing)
    recording = recorded(run, simulation, outcome)

    found = variant(recording, rounds=rounds)

    asked_anew = {need.key for need in found.needs}
    spare = {one.key for one in (*found.not_needed, *found.not_reached)}
    assert spare <= set(simulation.steps)
    assert not asked_anew & spare
    assert (found.state is State.ENDED) == (not asked_anew)
    if found.state is State.ENDED and not spare:
        assert found.result.findings == what_if(recording, [()]).stored.findings


STRICTNESS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)


@settings(max_examples=40, deadline=None)
@given(SUBMISSIONS["review"], SEEDS, STRICTNESS)
def test_more_agreement_asked_for_never_makes_a_discussion_converge(
    run: Submission, seed: int, agreements: list[float]
) -> None:
    outcome, simulation = held(run, seed)
    recording = recorded(run, simulation, outcome)
    lax, strict = agreements

    lenient = variant(recording, detector="stance", agreement=lax)
    severe = variant(recording, detector="stance", agreement=strict)

    if lenient.result.ending is not Ending.CONVERGED:
        assert severe.result.ending is not Ending.CONVERGED
    assert len(lenient.result.rounds) <= len(severe.result.rounds) or (
        lenient.result.ending is not Ending.CONVERGED
    )


def disputed(step: Step) -> Any:
    """Two of three critics hold on to a finding that the third denies."""
    name = step.participant if isinstance(step.participant, str) else step.participant.name
    match step.reply_model.split(".")[0]:
        case "critique" if step.round == 1:
            return critique(step, [finding(severity="MINOR")] if name != "critic3" else [])
        case "critique":
            position = "disagree" if name == "critic3" else "agree"
            return critique(step, [], stances(position, "F1", reason=f"{name} {step.round}"))
        case "rebuttal":
            return reply(step.reply_model, stances=stances("disagree", "F1", reason="it is fine"))
    return finished(step)


def a_dispute(**options: Any) -> Any:
    run = submission(critics=3, options=ReviewOptions(rounds=5, **options))
    simulation = Simulation(
        lambda: _review(run), disputed, lambda ask: pytest.fail(f"asked {ask.key}")
    )
    outcome = simulation.run()
    return recorded(run, simulation, outcome)


def _review(run: Submission) -> Any:
    return start_workflow(run.spec, run.materials)()


def test_a_lower_threshold_ends_earlier_and_says_what_was_not_needed() -> None:
    recording = a_dispute()
    assert recording.run.ending in ("stalled", "looping")

    found = variant(recording, agreement=0.3)

    assert found.result.ending is Ending.CONVERGED
    assert found.result.verdict == "NEEDS_FIX"


def test_a_later_end_names_the_turns_that_nobody_was_asked_for() -> None:
    recording = a_dispute()
    last = list(recording.journal.records)[-1]

    found = variant(recording, stability=1.0, detector="lexical", agreement=1.0, rounds=9)

    assert found.state is State.WOULD_CONTINUE
    number = int(last.rpartition("/")[2]) + 1
    assert {one.round for one in found.needs} == {number}
    assert found.result.ending is None
    assert found.result.verdict is None
    assert found.not_needed == ()
    assert [one.key for one in found.not_reached] == ["synthesis/chair"]


def test_what_was_said_of_more_rounds_is_no_word_on_fewer() -> None:
    recording = a_dispute()

    found = variant(recording, rounds=1)

    assert found.result.ending is Ending.EXHAUSTED
    (need,) = found.needs
    assert need.key == "synthesis/chair"
    assert need.recorded_as is not None
    assert "rebuttal/2/author" in [one.key for one in found.not_needed]
    assert "synthesis/chair" not in [one.key for one in found.not_needed]


def test_a_gate_is_computed_anew_without_any_other_turn() -> None:
    found = variant(a_dispute(), fail_on="minor")

    assert found.state is State.ENDED
    assert found.result.gate.outcome == "tripped"
    assert found.not_needed == ()


def test_turns_that_would_have_been_shown_something_else_are_named() -> None:
    everything_same = variant(a_dispute(), fail_on="critical")
    assert everything_same.shown_otherwise == ()

    found = variant(a_dispute(), agreement=0.0)

    assert set(found.shown_otherwise) <= {
        key for key in a_dispute().journal.steps if not key.startswith("critique/1/")
    }


# ---- what does not fit --------------------------------------------------------------------------


def test_a_step_that_this_code_does_not_ask_for_is_a_difference() -> None:
    recording = a_dispute()
    steps = recording.stored.steps
    odd = replace(steps[0], key="critique/9/nobody", participant="nobody")
    changed = replace(recording, stored=replace(recording.stored, steps=(*steps, odd)))

    found = check(changed)

    assert not found.same
    assert [one.where for one in found.differences] == ["critique/9/nobody"]


def test_a_figure_that_was_stored_otherwise_is_named_by_its_place() -> None:
    recording = a_dispute()
    (first,) = (row for row in recording.stored.records if row.key == "round/1")
    body = first.body
    assessment = dict(body["assessment"])
    assessment["metrics"] = {**assessment["metrics"], "agreement_ratio": 0.123}
    changed = replace(first, body={**body, "assessment": assessment})
    records = tuple(changed if row is first else row for row in recording.stored.records)

    found = check(replace(recording, stored=replace(recording.stored, records=records)))

    places = {one.where: one.stored for one in found.differences}
    assert places == {"round/1.assessment.metrics.agreement_ratio": 0.123}


def test_an_outcome_that_was_stored_otherwise_is_named() -> None:
    recording = a_dispute()
    outcome = {**(recording.run.outcome or {}), "verdict": "APPROVED"}

    found = check(replace(recording, run=replace(recording.run, outcome=outcome)))

    assert [one.where for one in found.differences] == ["outcome.verdict"]


def test_what_an_earlier_version_did_not_write_down_is_no_difference() -> None:
    recording = a_dispute()
    outcome: dict[str, Any] = deepcopy(recording.run.outcome or {})
    del outcome["detail"]["standing"], outcome["detail"]["receipt"]["changes"]
    earlier = replace(recording, run=replace(recording.run, outcome=outcome))
    assert check(earlier).same

    stances = outcome["findings"][0]["stances"]
    somebody = stances.popitem()[0]
    places = [one.where for one in check(earlier).differences]
    assert places == [f"outcome.findings[0].stances.{somebody}"]


def test_a_what_if_says_when_not_only_its_rules_make_a_difference() -> None:
    recording = a_dispute()
    assert computed_otherwise(recording) is None
    outcome = {**(recording.run.outcome or {}), "verdict": "APPROVED"}
    said = computed_otherwise(replace(recording, run=replace(recording.run, outcome=outcome)))
    assert said is not None
    assert "even under its own rules" in Translator("en").translate(said)
    korean = Translator("ko").translate(said)
    assert "r1" in korean
    assert "own rules" not in korean


def test_a_reply_that_this_version_cannot_read_says_so() -> None:
    recording = a_dispute()
    first, *others = recording.stored.steps
    broken = replace(first, reply={"findings": "none"})
    changed = replace(recording, stored=replace(recording.stored, steps=(broken, *others)))

    with pytest.raises(ReplayMismatch, match="does not fit this version"):
        check(changed)


def test_another_version_of_the_workflow_is_replayed_and_named() -> None:
    recording = a_dispute()
    spec = {**recording.run.spec, "workflow_version": 99}

    other = replace(recording, run=replace(recording.run, spec=spec))

    assert check(other).same
    assert other.other_version is not None
    assert "version 99" in Translator("en").translate(other.other_version)


def test_a_workflow_that_nobody_knows_is_refused() -> None:
    recording = a_dispute()
    run = replace(recording.run, spec={**recording.run.spec, "workflow": "seance"})

    with pytest.raises(UserError, match="no workflow 'seance'"):
        make_recording(run, recording.stored, recording.document)
