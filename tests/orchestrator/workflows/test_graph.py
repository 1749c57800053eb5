"""A question about code: one tool run where the code is known, readings side by side before it where it is not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from orchestrator.application.code_graph import question_spec
from orchestrator.application.documents import DocumentCollector
from orchestrator.core.replay.commands import Outcome, ToolRun
from orchestrator.workflows.graph import GraphOptions
from orchestrator.workflows.registry import start_workflow
from shared.models.notices import notice
from shared.models.outcomes import Verdict
from shared.models.steps import StepResult
from shared.models.workspace import CodingTask, Workspace
from shared.tools.graph_cards import GraphQuestion
from tests.support.agent_cast import agrees, replied
from tests.support.debates import fail
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation

TASK = CodingTask(text="graph", workspace=Workspace(repository="/work/shop", commit="c" * 40))
OPTIONS = GraphOptions(question=GraphQuestion.CALLERS, names=("pay",), depth=2)


def hold(act: Callable[[ToolRun], StepResult]) -> tuple[Outcome, list[tuple[str, dict[str, Any]]]]:
    """What a run comes to, and what its tools were asked."""
    documents = DocumentCollector()
    spec = question_spec(TASK, OPTIONS, documents)
    run = Submission(spec, documents.gathered)
    asked: list[tuple[str, dict[str, Any]]] = []

    def answered(step: Any) -> StepResult:
        asked.append((step.key, step.stored_inputs()))
        return act(step)

    workflow = start_workflow(run.spec, run.materials)
    return Simulation(workflow, answered, agrees, Random(1)).run(), asked


def test_known_code_is_asked_once() -> None:
    outcome, asked = hold(lambda step: replied(step, files=3, symbols=20, edges=30))
    assert [key for key, _ in asked] == ["query"]
    inputs = asked[0][1]
    assert (inputs["names"], inputs["depth"], inputs["divides"]) == (["pay"], 2, True)
    assert outcome.verdict is Verdict.DONE
    assert outcome.summary == notice("graph_made", files=3, symbols=20, edges=30)


def test_unknown_code_is_read_in_portions_side_by_side_and_asked_again() -> None:
    def act(step: ToolRun) -> StepResult:
        return replied(step, portions=3) if step.key == "query" else replied(step, files=5)

    outcome, asked = hold(act)
    assert asked[0][0] == "query"
    assert sorted(key for key, _ in asked[1:4]) == ["read/1", "read/2", "read/3"]
    assert sorted(inputs["portion"] for _, inputs in asked[1:4]) == [0, 1, 2]
    assert (asked[4][0], asked[4][1]["divides"]) == ("answer", False)
    assert outcome.verdict is Verdict.DONE


def test_a_portion_that_cannot_be_read_ends_the_run_without_an_answer() -> None:
    def act(step: ToolRun) -> StepResult:
        if step.key == "query":
            return replied(step, portions=2)
        return fail() if step.key == "read/2" else replied(step)

    outcome, asked = hold(act)
    assert "answer" not in [key for key, _ in asked]
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_a_question_that_fails_has_no_answer() -> None:
    outcome, _ = hold(lambda _step: fail())
    assert outcome.verdict is Verdict.INCONCLUSIVE
