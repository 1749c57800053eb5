"""Runs that ended become traces at a collector: once, in a tree, with names and numbers and without a text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.traces.exporting import TraceExporter, make_sender
from orchestrator.traces.spans import span_id, trace_id
from shared.errors import EnvironmentFault
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.ends import finish, store_response
from shared.store.runs import NewDecision
from tests.support.runs import execute, new_run, new_step, response, take
from tests.support.trace_collector import CollectedSpan, TraceCollector, collector

pytestmark = pytest.mark.component

CANARY = "what a model said about the change"
ASKED = NewDecision(
    key="apply",
    kind="apply_fix",
    question='{"kind": "apply_fix", "prompt": "?", "options": ["yes", "no"], "shown": {}}',
    shown_sha256="x",
    on_timeout="no",
    timeout_s=None,
)
OK, ERROR, CLIENT = 1, 2, 3


@pytest.fixture
def collected() -> Iterator[TraceCollector]:
    with collector() as listening:
        yield listening


@pytest.fixture
def exporter(database: Database, collected: TraceCollector) -> TraceExporter:
    """One that has looked once: it traces what ends from now on."""
    sender = make_sender({"OTEL_EXPORTER_OTLP_ENDPOINT": f"{collected.endpoint}/"})
    assert sender is not None
    made = TraceExporter(database, sender)
    assert made.poll() == 0
    return made


def ended_run(database: Database) -> str:
    """A run of two rounds: a paid turn, a refused one, a tool; then a decision."""
    steps = (
        new_step("critique/1/opus", 0, participant="opus"),
        new_step("critique/1/gem", 1, participant="gem"),
        new_step("look/2", 2, participant="code_graph", kind="tool", round=2),
    )
    run = new_run(database, *steps, decisions=[ASKED])
    asked = '{"critique/1/gem": {"participant": {"provider": "gemini", "model": "pro"}}}'
    execute(database, "UPDATE requests SET bodies = %s WHERE run_id = %s", asked, run)
    paid = take(database, run, steps[0].key, nonce="0")
    database.run(lambda c: store_response(c, response(paid, CANARY.encode())))
    said = f'{{"said": "{CANARY}"}}'
    database.run(lambda c: finish(c, paid, reply=said, failure=None, tokens=7, cost_usd=0.5))
    gem = take(database, run, steps[1].key, nonce="1")
    refused = Failure(kind=FailureKind.REFUSAL, message=CANARY)
    database.run(lambda c: finish(c, gem, reply=None, failure=refused))
    tool = take(database, run, steps[2].key, nonce="2")
    database.run(lambda c: finish(c, tool, reply="{}", failure=None))
    answer = DecisionAnswer(choice="yes", actor="me", channel="cli", message=CANARY)
    database.run(lambda c: answer_decision(c, run, "apply", answer, "x"), atomic=True)
    end(database, run)
    return run


def end(database: Database, run: str) -> None:
    how = "status = 'completed', verdict = 'APPROVED', ending = 'converged', finished_at = clock_timestamp()"
    execute(database, f"UPDATE runs SET title = %s, {how} WHERE id = %s", CANARY, run)


def by_name(spans: list[CollectedSpan]) -> dict[str, CollectedSpan]:
    return {span.name: span for span in spans}


def test_a_run_is_one_tree_of_rounds_turns_tools_and_decisions(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    run = ended_run(database)

    assert exporter.poll() == 1

    spans = by_name(collected.spans)
    assert {span.trace for span in collected.spans} == {trace_id(run).hex()}
    assert {span.service for span in collected.spans} == {"quorate"}
    root = spans["invoke_workflow review"]
    assert (root.parent, root.id) == ("", span_id(run).hex())
    assert root.attributes["quorate.ending"] == "converged"
    for name, parent in {
        "round 1": root,
        "round 2": root,
        "chat stub": spans["round 1"],
        "chat pro": spans["round 1"],
        "execute_tool code_graph": spans["round 2"],
        "decision apply_fix": root,
    }.items():
        assert spans[name].parent == parent.id, name
        assert spans[name].seconds >= 0


def test_turns_are_named_as_model_calls_are(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    ended_run(database)
    exporter.poll()

    spans = by_name(collected.spans)
    paid, refused = spans["chat stub"], spans["chat pro"]
    assert (paid.kind, paid.status) == (CLIENT, OK)
    named = {key: value for key, value in paid.attributes.items() if key.startswith("gen_ai.")}
    assert named == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.agent.name": "opus",
        "gen_ai.response.model": "stub",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
    }
    assert paid.attributes["quorate.cost_usd"] == 0.5
    assert (refused.status, refused.attributes["error.type"]) == (ERROR, "refusal")
    assert refused.attributes["gen_ai.provider.name"] == "gcp.gemini"
    assert spans["decision apply_fix"].attributes["quorate.decision.choice"] == "yes"


def test_no_text_of_anybody_is_in_a_trace(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    ended_run(database)
    exporter.poll()

    assert collected.bodies
    assert not [body for body in collected.bodies if CANARY.encode() in body]


def test_a_child_run_hangs_under_the_step_that_waited_for_it(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    parent, child = new_run(database, new_step("review/1", kind="run")), new_run(database, "a")
    execute(
        database,
        "UPDATE runs SET parent_run = %s, parent_step = 'review/1', root_run = %s WHERE id = %s",
        parent, parent, child,
    )  # fmt: skip
    execute(
        database,
        "UPDATE steps SET status = 'done', finished_at = clock_timestamp() WHERE run_id = %s",
        parent,
    )
    end(database, child)
    end(database, parent)

    assert exporter.poll() == 2

    waited = next(span for span in collected.spans if span.name == "child run review/1")
    hanging = next(span for span in collected.spans if span.id == span_id(child).hex())
    assert hanging.parent == waited.id
    assert {span.trace for span in collected.spans} == {trace_id(parent).hex()}


def test_each_run_is_sent_once_and_again_with_the_same_ids_when_nobody_noted_it(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    ended_run(database)
    upto = "SELECT upto FROM followed WHERE name = 'traces'"
    row = database.run(lambda c: c.execute(upto).fetchone())
    assert row is not None
    exporter.poll()
    once = list(collected.spans)
    assert exporter.poll() == 0
    assert collected.spans == once

    execute(database, "UPDATE followed SET upto = %s WHERE name = 'traces'", row.upto)
    exporter.poll()

    assert collected.spans == once + once


def test_a_collector_that_is_away_gets_everything_later(
    database: Database, collected: TraceCollector, exporter: TraceExporter
) -> None:
    ended_run(database)
    collected.refuse(400)
    with pytest.raises(EnvironmentFault):
        exporter.poll()
    before = len(collected.spans)

    collected.refuse(200)

    assert exporter.poll() == 1
    assert len(collected.spans) == 2 * before


def test_nothing_is_sent_where_no_collector_is_named() -> None:
    assert make_sender({}) is None
    assert make_sender({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1/x"}) is not None
