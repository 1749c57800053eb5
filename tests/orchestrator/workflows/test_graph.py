"""A question about code: one tool run where the code is known, readings side by side before it where it is not; a
search by meaning where somebody makes vectors."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from orchestrator.application.code_graph import question_spec
from orchestrator.application.documents import DocumentCollector
from orchestrator.core.replay.commands import Outcome, ToolRun, Turn
from orchestrator.workflows.graph.options import GraphOptions
from orchestrator.workflows.registry import start_workflow
from shared.models.code_answers import CodeTexts
from shared.models.notices import notice
from shared.models.outcomes import Verdict
from shared.models.panel import Participant
from shared.models.steps import StepResult
from shared.models.workspace import CodingTask, Workspace
from shared.text.vectors import packed
from shared.tools.graph_question import GraphQuestion
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


NEAR = Participant(name="near", provider="embeddings", model="m", options={})
SEARCH = GraphOptions(question=GraphQuestion.SEARCH, text="who lets people in", embedder=NEAR)


class Embedding:
    """A repository of twenty portions whose definitions have no vectors; a portion that `fails` gets none."""

    def __init__(self, portions: int = 20, fails: int | None = None) -> None:
        self.documents = {
            f"{number:064x}": CodeTexts(keys=((f"k{number}", 1),), texts=(f"text {number}",))
            for number in range(portions)
        }
        self.fails = fails
        self.left_out = 0

    def __call__(self, step: Any) -> StepResult:
        if isinstance(step, Turn):
            (texts,) = step.brief().values()
            assert isinstance(texts, list)
            if texts == [f"text {self.fails}"]:
                return fail()
            return replied(step, vectors=[packed([1.0, 2.0]) for _ in texts], model="m")
        if step.tool == "graph.unembedded":
            return replied(step, portions=list(self.documents), left_out=self.left_out)
        if step.tool == "graph.embedded":
            return replied(step, kept=1)
        return replied(step, files=3, symbols=20, edges=30)

    def stored(self) -> dict[str, bytes]:
        return {name: texts.model_dump_json().encode() for name, texts in self.documents.items()}


def search(act: Any, options: GraphOptions = SEARCH) -> tuple[Outcome, list[ToolRun | Turn]]:
    documents = DocumentCollector()
    spec = question_spec(TASK, options, documents)
    stored = act.stored() if isinstance(act, Embedding) else {}
    run = Submission(spec, {**documents.gathered, **stored})
    steps: list[ToolRun | Turn] = []

    def answered(step: Any) -> StepResult:
        steps.append(step)
        result: StepResult = act(step)
        return result

    workflow = start_workflow(run.spec, run.materials)
    return Simulation(workflow, answered, agrees, Random(1)).run(), steps


def meaning(steps: list[ToolRun | Turn]) -> Any:
    last = steps[-1]
    assert isinstance(last, ToolRun)
    return last.stored_inputs().get("meaning")


def test_an_embedder_is_given_the_query_and_the_code_and_the_question_is_asked_with_its_vector() -> (
    None
):
    outcome, steps = search(Embedding())
    keys = [step.key for step in steps]
    assert keys[:3] == ["query", "meaning/query/near/1", "meaning/unembedded"]
    assert keys[-1] == "by-meaning"
    assert meaning(steps) == {"space": "m", "vector": packed([1.0, 2.0])}
    assert [key for key in keys if "/embedded/" in key] == [
        f"meaning/embedded/{first}" for first in (1, 9, 17)
    ]
    assert sum("/code/" in key for key in keys) == 20
    assert (outcome.verdict, outcome.warnings) == (Verdict.DONE, ())


def test_without_an_embedder_a_search_is_one_tool_run_as_before() -> None:
    options = SEARCH.model_copy(update={"embedder": None})
    assert "embedder" not in options.model_dump(mode="json")
    _, steps = search(Embedding(), options)
    assert [step.key for step in steps] == ["query"]
    assert meaning(steps) is None


def test_only_a_search_is_by_meaning() -> None:
    _, steps = search(Embedding(), SEARCH.model_copy(update={"question": GraphQuestion.CALLERS}))
    assert [step.key for step in steps] == ["query"]


def test_an_embedder_that_fails_is_told_and_the_other_ways_answer() -> None:
    def silent(step: Any) -> StepResult:
        return fail() if isinstance(step, Turn) else replied(step, files=3, symbols=20, edges=30)

    outcome, steps = search(silent)
    assert [step.key for step in steps] == ["query", "meaning/query/near/1"]
    assert [each.code for each in outcome.warnings] == ["code_vectors_missing"]
    assert outcome.verdict is Verdict.DONE


def test_what_was_embedded_before_a_failure_is_stored_and_used() -> None:
    outcome, steps = search(Embedding(fails=10))
    keys = [step.key for step in steps]
    assert [key for key in keys if "/embedded/" in key] == [
        "meaning/embedded/1",
        "meaning/embedded/9",
    ]
    second = next(step for step in steps if step.key == "meaning/embedded/9")
    assert isinstance(second, ToolRun)
    assert len(second.stored_inputs()["portions"]) == 7  # type: ignore[arg-type]
    assert keys[-1] == "by-meaning"
    assert [each.code for each in outcome.warnings] == ["code_vectors_missing"]


def test_definitions_beyond_the_most_are_told() -> None:
    act = Embedding(portions=1)
    act.left_out = 7
    outcome, _ = search(act)
    (warning,) = outcome.warnings
    assert (warning.code, warning.params["n"]) == ("code_vectors_left_out", 7)


def test_an_embedder_elsewhere_is_shown_no_code() -> None:
    options = {"base_url": "https://vectors.example/v1"}
    elsewhere = SEARCH.model_copy(update={"embedder": NEAR.model_copy(update={"options": options})})
    outcome, steps = search(Embedding(), elsewhere)
    assert [step.key for step in steps] == ["query"]
    assert [each.code for each in outcome.warnings] == ["code_embedder_elsewhere"]
