"""An embedder finds code for the agent as well, and is never needed."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.replay.commands import ToolRun
from orchestrator.workflows.agent.options import AgentOptions
from shared.models.outcomes import Verdict
from shared.models.panel import Participant
from shared.text.vectors import packed
from tests.support.agent_cast import AgentCast, hold_task, modes_of, replied, submitted_task
from tests.support.debates import fail

NEAR = Participant(name="near", provider="embeddings", model="m", options={})
QUESTION = "where is the login?"


class Embedding(AgentCast):
    def embedding(self, step: Any) -> Any:
        (texts,) = step.brief().values()
        return replied(step, vectors=[packed([1.0, 2.0]) for _ in texts], model="m")

    def graph_unembedded(self, step: Any) -> Any:
        return replied(step)


class Silent(Embedding):
    def embedding(self, step: Any) -> Any:
        return fail()


def meanings(run: Any) -> list[Any]:
    return [
        step.stored_inputs().get("meaning")
        for step in run.commands.values()
        if isinstance(step, ToolRun) and step.tool == "agent.navigate"
    ]


def test_the_search_is_given_the_task_as_a_vector() -> None:
    options = AgentOptions(embedder=NEAR)
    outcome, run = hold_task(submitted_task(QUESTION, options), Embedding())
    assert meanings(run) == [{"space": "m", "vector": packed([1.0, 2.0])}]
    assert outcome.verdict is Verdict.DONE
    assert not outcome.warnings


def test_without_one_nothing_is_asked_that_was_not_asked_before() -> None:
    assert "embedder" not in AgentOptions().model_dump(mode="json")
    _, run = hold_task(submitted_task(QUESTION), Embedding())
    assert meanings(run) == [None]
    assert not any("meaning" in key for key in run.commands)


def test_an_embedder_that_fails_is_told_and_changes_nothing_else() -> None:
    options = AgentOptions(embedder=NEAR)
    outcome, run = hold_task(submitted_task(QUESTION, options), Silent())
    assert meanings(run) == [None]
    assert "code_vectors_missing" in [each.code for each in outcome.warnings]
    assert modes_of(run) == ["context_navigation", "idle"]
    assert outcome.verdict is Verdict.DONE


@pytest.mark.parametrize("address", ["https://vectors.example/v1"])
def test_an_embedder_elsewhere_is_shown_no_code(address: str) -> None:
    elsewhere = NEAR.model_copy(update={"options": {"base_url": address}})
    outcome, run = hold_task(
        submitted_task(QUESTION, AgentOptions(embedder=elsewhere)), Embedding()
    )
    assert "code_embedder_elsewhere" in [each.code for each in outcome.warnings]
    assert not any("meaning" in key for key in run.commands)
