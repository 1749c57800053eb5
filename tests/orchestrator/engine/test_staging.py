"""From commands to rows and messages."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.core.findings.stances import raising_stance
from orchestrator.core.replay.commands import Prompt, RoundRecord, ToolRun
from orchestrator.engine.staging import Stage, refusal
from shared.models.findings import Position, Stance
from shared.models.outcomes import FailureKind, RunStatus
from shared.models.review_replies import CheckedFix
from shared.models.run import RunSpec
from shared.models.steps import Failure, PromptPart
from shared.store.runs import LockedRun
from shared.tools.inputs import FixCheckInput
from tests.support.programs import SPEAKER, round_record, tool, turn
from tests.support.review_panel import submission

LONG = "all of this is said to everybody " * 20
LATE = Failure(kind=FailureKind.DEADLINE, message="too late")


def locked(**fields: Any) -> LockedRun:
    values: dict[str, Any] = {
        "id": "r1",
        "workflow": "review",
        "status": RunStatus.RUNNING,
        "phase": "",
        "root_task": "root",
        "advances": 0,
        "noted_steps": 0,
        "created_at": datetime.now(UTC),
        "overdue": False,
        "calls_left": None,
        "over_budget": None,
    }
    return LockedRun(**{**values, **fields})


def spec(seed: str) -> RunSpec:
    return submission().spec.model_copy(update={"seed": seed})


def staged(*steps: Any, refused: Failure | None = None) -> Stage:
    stage = Stage(spec=spec("seed"), position=3)
    for step in steps:
        stage.add(locked(), step, refused)
    return stage


def test_every_role_has_its_own_task_name_and_every_kind_its_queue() -> None:
    inputs = FixCheckInput(subject="0" * 64, fixes=())
    apply = ToolRun("apply", "apply", "git", "apply", 0, "applied", lambda: inputs)

    stage = staged(turn("a", role="rebuttal"), tool("b"), apply)

    assert [(s.task, s.queue) for s in stage.scheduled] == [
        ("quorate.turn.rebuttal", "quorate.turns"),
        ("quorate.tool.run", "quorate.tools"),
        ("quorate.apply.patch", "quorate.apply"),
    ]
    assert [(s.key, s.position, s.kind) for s in stage.steps] == [
        ("a", 3, "turn"),
        ("b", 4, "tool"),
        ("apply", 5, "tool"),
    ]


def test_a_lease_is_longer_than_the_work_may_take() -> None:
    slow = turn("a", participant=SPEAKER.model_copy(update={"timeout_s": 900.0}))

    (step,) = staged(slow).steps

    assert step.lease_s > 900


def test_large_texts_become_documents_and_small_ones_stay() -> None:
    def prompt() -> Prompt:
        return Prompt(
            system=(PromptPart(text="short"),),
            user=(PromptPart(text=LONG), PromptPart(text=LONG, fence="diff")),
        )

    stage = staged(turn("a", prompt=prompt), turn("b", prompt=prompt))

    name = hashlib.sha256(LONG.encode()).hexdigest()
    request = json.loads(stage.steps[0].request)
    assert request["system"][0]["text"] == "short"
    assert [part["document"] for part in request["prompt"]] == [name, name]
    assert request["prompt"][1]["fence"] == "diff"
    assert stage.documents == {name: LONG.encode()}


def test_large_inputs_and_scripts_become_documents_too() -> None:
    script = SPEAKER.model_copy(update={"options": {"seed": 1, "replies": [{"reply": LONG}]}})
    fix = CheckedFix(findings=("F1",), patch=LONG, source="claude")
    inputs = FixCheckInput(subject="0" * 64, fixes=(fix,))
    fixes = ToolRun("t", "fixes.check", "git", "fixes", 0, "fixes.checked", lambda: inputs)

    stage = staged(turn("a", participant=script), fixes)

    options = json.loads(stage.steps[0].request)["participant"]["options"]
    assert options["seed"] == 1
    assert json.loads(stage.documents[options["replies"]["document"]]) == [{"reply": LONG}]
    sent = json.loads(stage.steps[1].request)["inputs"]
    assert sent["subject"] == "0" * 64
    (stored,) = json.loads(stage.documents[sent["fixes"]["document"]])
    assert stored["patch"] == LONG


def test_a_refused_step_is_a_row_and_no_message() -> None:
    stage = staged(turn("a"), refused=LATE)

    assert stage.scheduled == []
    assert (stage.steps[0].status, stage.steps[0].failure_kind) == ("failed", "deadline")


def test_fences_differ_by_run_and_are_the_same_in_all_its_steps() -> None:
    def marker(key: str, seed: str = "seed") -> str:
        stage = Stage(spec=spec(seed), position=0)
        stage.add(locked(), turn(key), None)
        found: str = json.loads(stage.steps[0].request)["marker"]
        return found

    assert marker("a") == marker("b")  # one beginning for all turns: providers' caches need it
    assert marker("a") != marker("a", "other")
    assert len(marker("a")) >= 24


def test_only_rule_based_participants_are_given_the_matter_as_data() -> None:
    def brief() -> dict[str, Any]:
        return {"findings": []}

    rules = SPEAKER.model_copy(update={"provider": "rules"})
    stage = staged(turn("a", brief=brief), turn("b", participant=rules, brief=brief))

    assert [json.loads(s.request)["brief"] for s in stage.steps] == [{}, {"findings": []}]


def test_a_ledger_has_one_line_a_turn_and_finding_and_the_spoken_one_wins() -> None:
    said = Stance(
        round=1,
        participant="c",
        role="critique",
        finding="F1",
        position=Position.DISAGREE,
        reason="on second thoughts",
    )
    written = RoundRecord(
        prefix="R2",
        assessment=round_record(1).assessment,
        findings=(),
        stances=(said, raising_stance("F1", "c", 1), raising_stance("F2", "c", 1)),
    )
    stage = Stage(spec=spec("s"), position=0)

    stage.record("round/1", written)

    lines = {line.finding: line.position for line in stage.records[0].stances}
    assert lines == {"R2F1": Position.DISAGREE, "R2F2": Position.AGREE}
    assert RoundRecord.model_validate_json(stage.records[0].body) == written


RULES = turn("a", participant=SPEAKER.model_copy(update={"provider": "rules"}))


@pytest.mark.parametrize(
    ("step", "run", "left", "kind"),
    [
        (turn("a"), locked(), None, None),
        (turn("a"), locked(), 1, None),
        (turn("a"), locked(), 0, FailureKind.OVER_BUDGET),
        (turn("a"), locked(over_budget="money"), None, FailureKind.OVER_BUDGET),
        (RULES, locked(over_budget="money"), 0, None),
        (tool("a"), locked(over_budget="money"), 0, None),
        (RULES, locked(overdue=True), None, FailureKind.DEADLINE),
        (tool("a"), locked(overdue=True), None, FailureKind.DEADLINE),
    ],
)
def test_what_is_refused_and_why(
    step: Any, run: LockedRun, left: int | None, kind: FailureKind | None
) -> None:
    refused = refusal(step, run, left)

    assert (None if refused is None else refused.kind) == kind
