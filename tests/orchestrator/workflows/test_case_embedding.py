"""Vectors for the evidence: made once of each passage and of each new query, on this machine, and never needed."""

from __future__ import annotations

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.workflows.case.embedding import MOST_PASSAGES
from orchestrator.workflows.case.options import CaseOptions
from shared.models.embeddings import MOST_TEXTS, KnownVectors
from shared.models.panel import Participant
from shared.models.steps import StepResult
from shared.text.vectors import packed
from tests.support.case_cast import (
    CHART,
    THE_LENSES,
    CaseCast,
    hold_case,
    reply,
    result_of,
    sha,
    submitted_case,
)
from tests.support.debates import fail, member
from tests.support.simulator import Simulation

HERE = Participant(name="near", provider="embeddings", model="m", options={})
ANN = member("ann")
ELSEWHERE = HERE.model_copy(update={"options": {"base_url": "https://vectors.example/v1"}})


class Embedding(CaseCast):
    """Every sentence of the chart lacks a vector, the first time."""

    places = tuple(
        {"document": sha(CHART), "start": start, "stop": start + 9} for start in range(0, 90, 10)
    )
    left_out = 0

    def tool(self, step: ToolRun) -> StepResult:
        if step.tool == "evidence.unembedded":
            first = step.key.startswith("iteration/1/evidence/") or "2nd" not in step.key
            return reply(step, places=list(self.places) if first else [], left_out=self.left_out)
        return super().tool(step)

    def embedding(self, step: Turn) -> StepResult:
        (texts,) = step.brief().values()
        assert isinstance(texts, list)
        return reply(step, vectors=[packed([1.0, len(str(text))]) for text in texts], model="m")


def known(run: Simulation, key: str) -> KnownVectors:
    step = next(step for name, step in run.commands.items() if name.split("/")[-1] == key)
    assert isinstance(step, ToolRun)
    return KnownVectors.model_validate(step.stored_inputs().get("known", {}))


def turns(run: Simulation) -> list[Turn]:
    return [
        step
        for step in run.commands.values()
        if isinstance(step, Turn) and step.role == "embedding"
    ]


def test_passages_are_embedded_once_and_queries_where_they_are_asked() -> None:
    options = CaseOptions(embedder=HERE, analyst=ANN)
    outcome, run = hold_case(submitted_case(options, critics=(ANN, THE_LENSES)), Embedding())
    first, second = known(run, "evidence"), known(run, "evidence_2nd")
    assert [passage.start for passage in first.passages] == list(range(0, 90, 10))
    assert first.space == "m"
    assert first.queries
    assert second.passages == ()
    assert {query.text for query in second.queries}.isdisjoint(
        query.text for query in first.queries
    )
    texts = [text for turn in turns(run) for part in turn.brief().values() for text in part]  # type: ignore[union-attr]
    assert CHART[0:9] in texts
    assert len({str(turn.prompt()) for turn in turns(run)}) == len(turns(run))
    assert not {each.why.code for each in result_of(outcome).abstentions} & {
        "case_embedder_elsewhere",
        "case_passages_unembedded",
    }


def test_without_an_embedder_requests_are_as_they_always_were() -> None:
    _, run = hold_case(submitted_case(), Embedding())
    assert turns(run) == []
    assert not any(name.endswith("unembedded") for name in run.commands)
    evidence = next(
        step for step in run.commands.values() if getattr(step, "tool", "") == "evidence.retrieve"
    )
    assert isinstance(evidence, ToolRun)
    assert "known" not in evidence.stored_inputs()


def test_an_embedder_elsewhere_is_not_shown_the_case() -> None:
    outcome, run = hold_case(submitted_case(CaseOptions(embedder=ELSEWHERE)), Embedding())
    assert turns(run) == []
    assert "case_embedder_elsewhere" in {each.why.code for each in result_of(outcome).abstentions}


def test_a_failed_embedder_leaves_the_evidence_to_words() -> None:
    class Failing(Embedding):
        def embedding(self, step: Turn) -> StepResult:
            return fail()

    outcome, run = hold_case(submitted_case(CaseOptions(embedder=HERE)), Failing())
    assert known(run, "evidence").queries == ()
    assert "case_turn_missing" in {each.code for each in outcome.warnings}
    assert result_of(outcome).structured_chart is not None


def test_many_passages_are_several_turns_and_too_many_are_told() -> None:
    class Long(Embedding):
        places = tuple(
            {"document": sha(CHART), "start": 0, "stop": stop % 40 + 1}
            for stop in range(MOST_TEXTS + 3)
        )
        left_out = 17

    outcome, run = hold_case(submitted_case(CaseOptions(embedder=HERE)), Long())
    sizes = [len(part) for turn in turns(run) for part in turn.brief().values()]  # type: ignore[arg-type]
    assert sizes[:2] == [MOST_TEXTS, 3]
    assert len(known(run, "evidence").passages) == MOST_TEXTS + 3 <= MOST_PASSAGES
    (told,) = {
        each.why.params["n"]
        for each in result_of(outcome).abstentions
        if each.why.code == "case_passages_unembedded"
    }
    assert told == 17
