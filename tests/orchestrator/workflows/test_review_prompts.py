"""Every prompt of `review` in both languages, as it is sent."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.core.replay.commands import Prompt, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.panel import Panel
from shared.models.steps import StepResult
from tests.support.review_panel import Submission, large_change, participant, sha, submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation
from tests.support.snapshots import check_snapshot, rendered

SNAPSHOTS = Path(__file__).parent / "snapshots"
LANGUAGES = pytest.mark.parametrize("language", prompts.LANGUAGES)
SKIP = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
HOSTILE = "It costs $5 to call ${label}"
TURNS = ("critique/1/critic1", "rebuttal/2/author", "critique/3/critic1", "synthesis/chair")


def disputed(step: Step) -> StepResult:
    """One finding that the author denies and the critics stand by; another that a fix is asked for."""
    match step.role, step.round:
        case "critique", 1:
            return critique(step, [finding(HOSTILE), finding("no test", line=1)])
        case "critique", _:
            return critique(step, said=stances("agree", "F1", "F2"))
        case "rebuttal", _:
            said = [*stances("disagree", "F1", quote="return eval(x)"), *stances("agree", "F2")]
            return reply(step.reply_model, stances=said)
    return finished(step)


def submitted(
    strategy: str, language: str, change: tuple[str, dict[str, bytes]] | None = None
) -> Submission:
    small = {"context_tokens": 30_000} if change else {}
    members = (participant("critic1", persona="operations", **small), participant("critic2"))
    panel = Panel(critics=members, author=participant("author"), chair=participant("chair"))
    options = ReviewOptions(strategy=strategy, rounds=5)
    base = submission(options=options, panel=panel, change=change)
    templates = json.dumps(prompts.load("review", language), ensure_ascii=False).encode()
    changes = {"prompts": sha(templates), "language": language}
    return Submission(
        base.spec.model_copy(update=changes), {**base.documents, sha(templates): templates}
    )


def every_prompt(language: str) -> Mapping[str, Prompt]:
    found = {}
    for strategy in ("review", "red-team"):
        run = submitted(strategy, language)
        simulation = Simulation(start_workflow(run.spec, run.materials), disputed, lambda _: SKIP)
        simulation.run()
        turns = {key: step for key, step in simulation.commands.items() if isinstance(step, Turn)}
        chosen = [key for key in turns if key in TURNS or key.startswith("fix/")]
        assert set(TURNS) <= set(chosen), sorted(turns)
        found |= {f"{strategy}: {key}": turns[key].prompt() for key in sorted(chosen)}
    return (
        found
        | in_parts(language)
        | asked_again(language)
        | asked_for_tests(language)
        | shown_callers(language)
    )


def shown_callers(language: str) -> Mapping[str, Prompt]:
    """A critic's turn that is shown who calls what changed."""
    run = submitted("review", language)
    spec = run.spec.model_copy(update={"options": {**run.spec.options, "callers": True}})
    simulation = Simulation(start_workflow(spec, run.materials), called, lambda _: SKIP)
    simulation.run()
    turn = simulation.commands["critique/1/critic1"]
    assert isinstance(turn, Turn)
    return {"called: critique/1/critic1": turn.prompt()}


def called(step: Step) -> StepResult:
    """Something calls what changed."""
    return reply("graph.callers", document="c" * 64) if step.role == "callers" else disputed(step)


def asked_for_tests(language: str) -> Mapping[str, Prompt]:
    """A critic's turn where the project's tests are run."""
    run = submitted("review", language)
    options = {**run.spec.options, "tests": "make test"}
    spec = run.spec.model_copy(update={"options": options})
    simulation = Simulation(start_workflow(spec, run.materials), disputed, lambda _: SKIP)
    simulation.run()
    turn = simulation.commands["critique/1/critic1"]
    assert isinstance(turn, Turn)
    return {"tested: critique/1/critic1": turn.prompt()}


def asked_again(language: str) -> Mapping[str, Prompt]:
    """A turn of somebody whose reason says the opposite of the position."""
    run = submitted("review", language)
    simulation = Simulation(start_workflow(run.spec, run.materials), contradictory, lambda _: SKIP)
    simulation.run()
    key = "clarification/3/critique/critic1"
    turn = simulation.commands[key]
    assert isinstance(turn, Turn)
    return {f"contradicting: {key}": turn.prompt()}


def contradictory(step: Step) -> StepResult:
    """Critics agree, and say that nothing is wrong."""
    if step.role == "clarification":
        return reply(step.reply_model)
    if step.role == "critique" and step.round > 1:
        return critique(step, said=stances("agree", "F1", reason="The code is fine."))
    return disputed(step)


def in_parts(language: str) -> Mapping[str, Prompt]:
    """The turns that are shown a part of a large change."""
    run = submitted("review", language, large_change(files=3, lines=900))
    simulation = Simulation(start_workflow(run.spec, run.materials), placed, lambda _: SKIP)
    simulation.run()
    turns = {key: step for key, step in simulation.commands.items() if isinstance(step, Turn)}
    chosen = ("critique/1/critic1/2", "rebuttal/2/author")
    return {f"large: {key}": turns[key].prompt() for key in chosen}


def placed(step: Step) -> StepResult:
    """One finding at a place, that everybody agrees to."""
    if step.role == "critique" and step.round == 1:
        place = {"path": "pkg/part001.py", "line": 3}
        return critique(step, [finding(quote="compute(2)", place=place)])
    if step.role == "rebuttal":
        return reply(step.reply_model, stances=stances("agree", "F1"))
    return critique(step) if step.role == "critique" else finished(step)


@LANGUAGES
def test_the_prompts_are_as_written_down(language: str) -> None:
    check_snapshot(SNAPSHOTS / f"review.{language}.md", every_prompt(language))


@LANGUAGES
def test_every_blank_is_filled_and_only_the_participants_own_signs_stay(language: str) -> None:
    everything = "\n".join(map(rendered, every_prompt(language).values()))
    assert set(re.findall(r"\$\{?[a-z]+", everything)) == {"${label"}
