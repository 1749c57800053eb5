"""Answer a question about the graph of a repository's code: tool runs only, so they go on on any worker.

What is known answers at once. Where much code was never read, its portions are read by tool runs side by side first.
"""

from __future__ import annotations

from orchestrator.core.discussion.embedding import CodeEmbedding, meaning_of
from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.replay.commands import (
    Effect,
    Outcome,
    ToolRun,
    Workflow,
    phase,
    single,
    together,
)
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import WorkflowLogic
from orchestrator.workflows.graph.options import EMBEDDING, GraphOptions
from shared.models.code_answers import GraphAnswer
from shared.models.embeddings import SearchVector
from shared.models.notices import Notice, notice
from shared.models.outcomes import Verdict
from shared.models.run import RunSpec
from shared.models.steps import StepResult
from shared.models.workspace import CodingTask, Workspace
from shared.tools.graph_cards import CodeReadInput, GraphInput
from shared.tools.graph_question import GraphQuestion


def graph(spec: RunSpec, materials: Materials) -> Workflow:
    """The answer to the question in the options; a failure of a tool is the end."""
    options = GraphOptions.model_validate(spec.options)
    task = CodingTask.model_validate_json(materials.document(spec.subject))
    yield from phase("Answering")
    result = yield from _asked("query", options, task.workspace, divides=True)
    portions = 0 if result.failure else GraphAnswer.model_validate(result.reply).portions
    if portions:
        yield from phase("Reading")
        readings = yield from together(
            _reading(number, portions, task.workspace) for number in range(portions)
        )
        failed = next((reading for reading in readings if reading.failure is not None), None)
        yield from phase("Answering")
        result = failed or (yield from _asked("answer", options, task.workspace, divides=False))
    if result.failure is not None:
        return Outcome(Verdict.INCONCLUSIVE, None, failure_notice(result.failure))
    result, problems = yield from _by_meaning(options, task, result, materials)
    answer = GraphAnswer.model_validate(result.reply)
    summary = notice("graph_made", files=answer.files, symbols=answer.symbols, edges=answer.edges)
    return Outcome(Verdict.DONE, None, summary, warnings=problems)


def _by_meaning(
    options: GraphOptions, task: CodingTask, result: StepResult, materials: Materials
) -> Effect[tuple[StepResult, tuple[Notice, ...]]]:
    """A search asked again with its vector, where somebody makes one; else what was found without, and why."""
    if options.embedder is None or options.question is not GraphQuestion.SEARCH:
        return result, ()
    yield from phase("Embedding")
    embedding = CodeEmbedding(options.embedder, task, "meaning", EMBEDDING)
    meaning = yield from meaning_of(embedding, options.text, materials.document)
    if meaning.vector is None:
        return result, meaning.problems
    yield from phase("Answering")
    by_meaning = yield from _asked(
        "by-meaning", options, task.workspace, divides=False, meaning=meaning.vector
    )
    return (result if by_meaning.failure else by_meaning), meaning.problems


def _asked(
    key: str,
    options: GraphOptions,
    workspace: Workspace,
    *,
    divides: bool,
    meaning: SearchVector | None = None,
) -> Effect[StepResult]:
    asked = options.model_dump(exclude={"embedder"})
    inputs = GraphInput(workspace=workspace, **asked, divides=divides)
    if meaning is not None:
        inputs = inputs.model_copy(update={"meaning": meaning})
    return (
        yield from single(
            ToolRun(
                key=key,
                tool="graph.query",
                participant="graph",
                role="graph",
                round=0,
                reply_model="graph.answer",
                inputs=lambda: inputs,
            )
        )
    )


def _reading(number: int, portions: int, workspace: Workspace) -> ToolRun:
    return ToolRun(
        key=f"read/{number + 1}",
        tool="graph.read",
        participant="graph",
        role="read",
        round=0,
        reply_model="graph.read",
        inputs=lambda: CodeReadInput(workspace=workspace, portion=number, portions=portions),
    )


LOGIC: WorkflowLogic[GraphOptions] = WorkflowLogic(graph)
