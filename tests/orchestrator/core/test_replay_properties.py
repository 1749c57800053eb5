"""Replay over random workflows and random journals."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Decide
from orchestrator.core.replay.replay import Entry, replay
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepResult
from tests.support.programs import PROGRAMS, Group, Program, starter
from tests.support.simulator import Simulation, Step, same

SEEDS = st.integers(0, 2**32)
WITH_STEPS = PROGRAMS.filter(lambda p: any(isinstance(i, Group) and i.size for i in p))


def simulation(program: Program, seed: int, order: int = 0) -> Simulation:
    """A run whose results depend on `seed` and whose order of events on `order`."""

    def act(step: Step) -> StepResult:
        draw = Random(f"{seed}/{step.key}")
        if draw.random() < 0.3:
            kind = draw.choice(list(FailureKind))
            return StepResult(failure=Failure(kind=kind, message=step.key))
        return StepResult(reply={"said": f"{step.key} {draw.random()}"})

    def answer(ask: Decide) -> DecisionAnswer:
        choice = Random(f"{seed}/{ask.key}").choice(ask.question.options)
        return DecisionAnswer(choice=choice, actor="somebody", channel="cli")

    return Simulation(starter(program), act, answer, Random(order))


@settings(deadline=None)
@given(PROGRAMS, SEEDS, SEEDS, SEEDS)
def test_the_order_in_which_things_happen_changes_nothing(
    program: Program, seed: int, one: int, other: int
) -> None:
    first, second = simulation(program, seed, one), simulation(program, seed, other)

    assert first.run() == second.run()
    assert first.phases == second.phases
    assert first.stages == second.stages
    assert first.steps == second.steps


@settings(deadline=None)
@given(PROGRAMS, SEEDS, SEEDS)
def test_no_result_is_lost_and_none_is_invented(program: Program, seed: int, order: int) -> None:
    run = simulation(program, seed, order)
    outcome = run.run()

    for key, entry in run.steps.items():
        assert entry.result is not None
        if "again" not in key:  # the one group whose results the program does not tell
            assert entry.result.model_dump_json() in outcome.summary
    for key, answer in run.answers.items():
        assert f"{key.removeprefix('ask')}:{answer.choice}" in outcome.summary.splitlines()


@settings(deadline=None)
@given(WITH_STEPS, SEEDS, SEEDS)
def test_at_any_moment_what_is_missing_of_a_stage_is_asked_for_and_nothing_else(
    program: Program, seed: int, cut: int
) -> None:
    run = simulation(program, seed, cut)
    run.run()
    draw = Random(cut)
    moment = draw.choice(
        [m for m in run.moments if any(e.result is None for e in m.steps.values())]
    )
    newest = [stage for stage in run.stages if set(stage) <= moment.steps.keys()][-1]
    gone = [key for key in newest if draw.random() < 0.5] or [newest[0]]
    kept = {key: entry for key, entry in moment.steps.items() if key not in gone}

    progress = replay(starter(program), replace(moment, steps=kept))

    assert [step.key for step in progress.schedule] == gone
    assert (progress.ask, progress.outcome) == (None, None)


@settings(deadline=None)
@given(PROGRAMS, SEEDS, SEEDS)
def test_a_doubled_or_early_trigger_changes_nothing(
    program: Program, seed: int, order: int
) -> None:
    """The simulation checks the same after every single event."""
    run = simulation(program, seed, order)
    run.run()
    final = run.look()

    assert final.schedule == ()
    assert final.records == ()
    assert final.ask is None
    assert same(final, run.look())


@settings(deadline=None)
@given(WITH_STEPS, SEEDS, st.data())
def test_a_step_recorded_as_something_else_is_always_noticed(
    program: Program, seed: int, data: st.DataObject
) -> None:
    run = simulation(program, seed)
    run.run()
    key = data.draw(st.sampled_from(sorted(run.steps)))
    changed = {**run.steps, key: replace(run.steps[key], fingerprint="another")}

    with pytest.raises(ReplayMismatch, match="is recorded as something else"):
        replay(starter(program), replace(run.journal, steps=changed))


@settings(deadline=None)
@given(PROGRAMS, SEEDS, SEEDS)
def test_a_step_that_nobody_asks_for_is_always_noticed(
    program: Program, seed: int, cut: int
) -> None:
    run = simulation(program, seed)
    run.run()
    moment = Random(cut).choice([run.journal, *run.moments])
    known = {**moment.steps, "0/stranger": Entry("x", StepResult(reply={}))}

    with pytest.raises(ReplayMismatch, match="'0/stranger' is recorded, but"):
        replay(starter(program), replace(moment, steps=known))


@settings(max_examples=50, deadline=None)
@given(WITH_STEPS, SEEDS)
def test_a_program_that_lost_an_instruction_does_not_take_its_steps_for_another_s(
    program: Program, seed: int
) -> None:
    run = simulation(program, seed)
    outcome = run.run()
    at = next(n for n, i in enumerate(program) if isinstance(i, Group) and i.size)
    shorter = (*program[:at], *program[at + 1 :])

    try:
        progress = replay(starter(shorter), run.journal)
    except ReplayMismatch:
        return
    raise AssertionError(f"{progress.outcome} was derived from another program's {outcome}")
