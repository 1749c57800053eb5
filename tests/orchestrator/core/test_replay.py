"""What replay promises, one example at a time; random journals stand in test_replay_properties."""

import hashlib
import json
from collections.abc import Callable
from typing import ClassVar

import pytest

from orchestrator.core.replay.commands import (
    Decide,
    Outcome,
    Prompt,
    RecordBody,
    RoundRecord,
    ToolRun,
    Turn,
    Workflow,
    child_request,
    decide,
    phase,
    record,
    single,
    together,
)
from orchestrator.core.replay.replay import Entry, Journal, fingerprint, replay
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.outcomes import FailureKind, Verdict
from shared.models.steps import Failure, StepResult
from tests.support.programs import SPEAKER, round_record, tool, turn
from tests.support.review_panel import submission

DONE = StepResult(reply={"verdict": "APPROVED"})
FAILED = StepResult(failure=Failure(kind=FailureKind.TIMEOUT, message="too late"))
END = Outcome(Verdict.APPROVED, None, "end")
QUESTION = DecisionQuestion(kind="k", prompt="?", options=("yes", "no"), shown={})
YES = DecisionAnswer(choice="yes", actor="a", channel="cli")


def entry(step: Turn | ToolRun, result: StepResult | None = DONE) -> Entry:
    return Entry(fingerprint(step), result)


def journal(*keys: str, **fields: object) -> Journal:
    return Journal({key: entry(turn(key)) for key in keys}, **fields)  # type: ignore[arg-type]


def pair_then_one() -> Workflow:
    yield from phase("Pair")
    first = yield from together((turn("a"), turn("b")))
    yield from phase("One")
    last = yield from single(turn("c"))
    said = [result.reply is not None for result in (*first, last)]
    return Outcome(Verdict.APPROVED, None, str(said))


def test_a_child_run_is_given_the_prompts_that_were_captured_for_its_workflow():
    spec = submission().spec
    templates = {"rate": "Rate it.", "review/chair": "Sum up.", "ask/chair": "Answer."}

    request = child_request("beside", spec, "review", templates)

    (prompts,) = request.documents
    assert json.loads(prompts) == {"chair": "Sum up."}
    assert request.spec.prompts == hashlib.sha256(prompts).hexdigest()
    assert (request.spec.workflow, request.spec.options) == ("review", {})
    assert request.spec.subject == spec.subject


def test_an_empty_journal_schedules_the_first_group_whole() -> None:
    progress = replay(pair_then_one, Journal())

    assert [step.key for step in progress.schedule] == ["a", "b"]
    assert progress.phase == "Pair"
    assert progress.outcome is None


def test_a_group_is_a_barrier_and_results_come_in_the_order_of_asking() -> None:
    waiting = Journal({"b": entry(turn("b")), "a": entry(turn("a"), None)})
    complete = Journal({"b": entry(turn("b")), "a": entry(turn("a"), FAILED)})

    assert replay(pair_then_one, waiting).schedule == ()
    assert replay(pair_then_one, waiting).phase == "Pair"
    assert [step.key for step in replay(pair_then_one, complete).schedule] == ["c"]
    final = Journal({**complete.steps, "c": entry(turn("c"))})
    outcome = replay(pair_then_one, final).outcome
    assert outcome is not None
    assert outcome.summary == "[False, True, True]"


def test_a_group_that_was_recorded_in_part_is_completed() -> None:
    assert [step.key for step in replay(pair_then_one, journal("a")).schedule] == ["b"]


def test_a_failure_is_a_result_and_is_never_dropped() -> None:
    heard: list[StepResult] = []

    def workflow() -> Workflow:
        heard.append((yield from single(turn("a"))))
        return END

    replay(workflow, Journal({"a": entry(turn("a"), FAILED)}))

    assert heard == [FAILED]


def test_a_question_is_asked_once_and_waited_for() -> None:
    def workflow() -> Workflow:
        answer = yield from decide("d", QUESTION)
        return Outcome(Verdict.APPROVED, None, answer.choice)

    first = replay(workflow, Journal())
    asked = replay(workflow, Journal(asked=frozenset({"d"})))
    answered = replay(workflow, Journal(asked=frozenset({"d"}), answers={"d": YES}))

    assert first.ask == Decide("d", QUESTION)
    assert (asked.ask, asked.waiting_for, asked.outcome) == (None, "d", None)
    assert answered.consumed == ("d",)
    assert answered.outcome is not None
    assert answered.outcome.summary == "yes"


def test_a_record_is_computed_once_and_the_written_one_is_sent_ever_after() -> None:
    computed: list[int] = []

    def compute() -> RoundRecord:
        computed.append(1)
        return round_record(7)

    def workflow() -> Workflow:
        written = yield from record("r", RoundRecord, compute)
        return Outcome(Verdict.APPROVED, None, str(written.assessment.round))

    first = replay(workflow, Journal())
    second = replay(workflow, Journal(records={"r": round_record(8)}))

    assert first.records == (("r", round_record(7)),)
    assert second.records == ()
    assert second.outcome is not None
    assert second.outcome.summary == "8"
    assert computed == [1]


def test_a_record_that_is_of_another_kind_than_the_workflow_writes_is_a_mismatch() -> None:
    class PositionVote(RecordBody):
        kind: ClassVar[str] = "choice"

        picked: str = "a"

    def workflow() -> Workflow:
        yield from record("r", PositionVote, PositionVote)
        return END

    assert replay(workflow, Journal()).records == (("r", PositionVote()),)
    assert replay(workflow, Journal(records={"r": PositionVote(picked="b")})).records == ()
    with pytest.raises(ReplayMismatch, match=r"recorded as 'assessment'.* asks for 'choice' now"):
        replay(workflow, Journal(records={"r": round_record(1)}))


def test_prompts_are_not_built_for_what_is_recorded() -> None:
    built: list[str] = []

    def prompt() -> Prompt:
        built.append("prompt")
        return Prompt()

    def workflow() -> Workflow:
        yield from single(turn("a", prompt=prompt))
        return END

    replay(workflow, journal("a"))

    assert built == []


def test_an_empty_group_needs_nobody() -> None:
    def workflow() -> Workflow:
        assert (yield from together(())) == ()
        return END

    assert replay(workflow, Journal()).outcome == END


@pytest.mark.parametrize(
    "other",
    [
        turn("a", participant=SPEAKER.model_copy(update={"name": "somebody"})),
        turn("a", role="rebuttal"),
        turn("a", round=2),
        turn("a", reply_model="synthesis"),
        tool("a"),
    ],
    ids=["participant", "role", "round", "reply", "kind"],
)
def test_a_step_that_is_recorded_as_something_else_is_a_mismatch(other: Turn | ToolRun) -> None:
    with pytest.raises(ReplayMismatch, match="step 'a' is recorded as something else"):
        replay(pair_then_one, Journal({"a": entry(other)}))


def test_another_wording_of_a_prompt_is_no_mismatch() -> None:
    assert fingerprint(turn("a")) == fingerprint(turn("a", prompt=Prompt))


@pytest.mark.parametrize(
    ("recorded", "named"),
    [
        (journal("a", "b", "z"), "step 'z'"),
        (journal(asked=frozenset({"d"})), "decision 'd'"),
        (journal(answers={"d": YES}), "decision 'd'"),
        (journal(records={"r": round_record(1)}), "record 'r'"),
    ],
    ids=["step", "question", "answer", "record"],
)
def test_what_the_workflow_does_not_ask_for_any_more_is_a_mismatch(
    recorded: Journal, named: str
) -> None:
    with pytest.raises(ReplayMismatch, match=f"{named} is recorded, but the workflow does not ask"):
        replay(pair_then_one, recorded)


def _asks_a_step_twice() -> Workflow:
    yield from single(turn("a"))
    yield from single(turn("a"))
    return END


def _asks_a_decision_twice() -> Workflow:
    yield from decide("a", QUESTION)
    yield from decide("a", QUESTION)
    return END


def _writes_a_record_twice() -> Workflow:
    yield from record("a", RoundRecord, lambda: round_record(1))
    yield from record("a", RoundRecord, lambda: round_record(2))
    return END


@pytest.mark.parametrize(
    ("workflow", "recorded", "kind"),
    [
        (_asks_a_step_twice, journal("a"), "step"),
        (_asks_a_decision_twice, Journal(answers={"a": YES}), "decision"),
        (_writes_a_record_twice, Journal(), "record"),
    ],
)
def test_one_name_for_two_things_is_a_mismatch(
    workflow: Callable[[], Workflow], recorded: Journal, kind: str
) -> None:
    with pytest.raises(ReplayMismatch, match=f"asks for {kind} 'a' twice"):
        replay(workflow, recorded)


def test_a_workflow_is_closed_wherever_the_journal_ends() -> None:
    closed: list[str] = []

    def workflow() -> Workflow:
        try:
            yield from single(turn("a"))
        finally:
            closed.append("closed")
        return END

    replay(workflow, Journal())

    assert closed == ["closed"]
