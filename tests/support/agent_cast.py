"""Coding tasks that tests make themselves, and a cast of tools, a coder and child runs who do as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from orchestrator.core.replay.commands import ChildRun, Decide, Outcome, ToolRun, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.agent.options import AgentOptions
from orchestrator.workflows.agent.records import TransitionRecord
from orchestrator.workflows.agent.result import AgentResult
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.models.decision import DecisionAnswer
from shared.models.panel import Panel, Participant
from shared.models.replies import REPLY_MODELS
from shared.models.run import NEWEST_RULES, DecisionPolicy, RunSpec
from shared.models.steps import StepResult
from shared.models.workspace import CodingTask, OwnChange, Workspace
from tests.support.debates import Person, member
from tests.support.review_panel import Submission, sha
from tests.support.simulator import Simulation, Step

RULES = Participant(name="ruff", provider="analyser", family="rules", options={})
WORKSPACE = Workspace(repository="/work/shop", commit="c" * 40)
ADDED = "--- a/shop/user.py\n+++ b/shop/user.py\n@@ -1 +1,2 @@\n class User:\n+    pass\n"


def submitted_task(
    text: str,
    options: AgentOptions | None = None,
    *,
    coder: bool = True,
    critics: Sequence[Participant] = (RULES,),
    decision: DecisionPolicy | None = None,
    language: str = "en",
    workspace: Workspace = WORKSPACE,
    never_sent: tuple[str, ...] = (),
    own: OwnChange | None = None,
) -> Submission:
    """A run of the task on a repository; with a coder unless there is to be none."""
    subject = CodingTask(
        text=text,
        workspace=workspace,
        branch="main",
        never_sent=never_sent,
        may_be_sent=(".env.example",),
        own_change=own,
    )
    task = subject.model_dump_json().encode()
    templates = json.dumps(
        {
            **prompts.load("agent", language),
            **{
                f"{name}/{key}": words
                for name in WORKFLOWS["agent"].starts
                for key, words in prompts.load(name, language).items()
            },
        },
        ensure_ascii=False,
    ).encode()
    options = options or AgentOptions(tests="pytest -q")
    if coder and options.coder is None:
        options = options.model_copy(update={"coder": member("ada")})
    spec = RunSpec(
        workflow="agent",
        workflow_version=WORKFLOWS["agent"].version,
        rules_version=NEWEST_RULES,
        language=language,
        subject=sha(task),
        prompts=sha(templates),
        panel=Panel(critics=tuple(critics), author=critics[-1], chair=critics[-1]),
        options=options.model_dump(mode="json"),
        decision=decision or DecisionPolicy(),
        seed="seed",
    )
    return Submission(spec, {sha(each): each for each in (task, templates)})


def replied(step: Step, **fields: Any) -> StepResult:
    """What a worker records for these fields."""
    parsed = REPLY_MODELS[step.reply_model].model_validate(fields)
    return StepResult(reply=json.loads(parsed.model_dump_json(exclude_defaults=True)))


class AgentCast:
    """Tools and a coder with whom everything comes off at once; a test overrides a method of the tool's name."""

    reads_as: tuple[str, bool] = ("context_navigation", False)

    def __init__(self) -> None:
        self.patches = 0
        self.proposals = 0

    def __call__(self, step: Step | ChildRun) -> StepResult:
        if isinstance(step, ChildRun):
            return self.child(step)
        name = step.tool if isinstance(step, ToolRun) else step.role
        act: Callable[[Step], StepResult] = getattr(self, name.replace(".", "_"), self.nothing)
        return act(step)

    def nothing(self, step: Step) -> StepResult:
        return replied(step)

    def agent_navigate(self, step: Step) -> StepResult:
        hit = {
            "place": {"path": "shop/user.py", "line": 3},
            "symbol": "shop.user.User",
            "kind": "class",
            "text": "class User:",
            "ways": ["symbol"],
        }
        return replied(step, hits=[hit], graph="7" * 64)

    def agent_read(self, step: Step) -> StepResult:
        return replied(step, files=[{"path": "shop/user.py", "document": sha(b"x"), "lines": 1}])

    def intent(self, step: Step) -> StepResult:
        return replied(step, mode=self.reads_as[0], changes=self.reads_as[1])

    def coding(self, step: Step) -> StepResult:
        self.proposals += 1
        patch = f"{ADDED}# {self.proposals}\n"
        return replied(step, patch=patch, explanation="as asked", complete=True)

    def writing(self, step: Step) -> StepResult:
        return replied(step, text="It is in shop/user.py:3.", files=["shop/user.py"])

    def agent_patch(self, step: Step) -> StepResult:
        self.patches += 1
        paths = self.paths()
        files = [{"path": path, "document": sha(f"{self.patches}".encode())} for path in paths]
        after = {**WORKSPACE.model_dump(mode="json"), "files": files}
        return replied(
            step, patch=ADDED, whole=f"{ADDED}{self.patches}", after=after, paths=paths, added=1
        )

    def paths(self) -> list[str]:
        return ["shop/user.py"]

    def agent_command(self, step: Step) -> StepResult:
        return replied(step, command="pytest -q", code=0, seconds=[1.0], tests={"passed": 3})

    def agent_change(self, step: Step) -> StepResult:
        return replied(step, subject="5" * 64, title="a change", files=self.paths())

    def agent_commit(self, step: Step) -> StepResult:
        return replied(
            step,
            repository="/work/shop",
            branch="quorate/agent-r1",
            base="c" * 40,
            commit="d" * 40,
            files=self.paths(),
        )

    def agent_impact(self, step: Step) -> StepResult:
        return replied(step, symbols=["shop.user.User"], tests=["tests/test_user.py"])

    def child(self, step: ChildRun) -> StepResult:
        return ended(step, verdict="CHECKS_PASSED")


def ended(_step: ChildRun, *, status: str = "completed", **fields: Any) -> StepResult:
    """A child run that came to its end."""
    return StepResult(reply={"run": "r2", "status": status, **fields})


def failing(step: Step, *names: str) -> StepResult:
    """Tests that fail."""
    failures = [{"name": name, "message": "assert 1 == 2"} for name in names]
    return replied(
        step,
        command="pytest -q",
        code=1,
        seconds=[1.0],
        output="FAILED",
        tests={"passed": 1, "failed": len(names), "failures": failures},
    )


def agrees(decision: Decide) -> DecisionAnswer:
    """A person to whom everything is right."""
    assert "approve" in decision.question.options
    return DecisionAnswer(choice="approve", actor="somebody", channel="cli")


def rejects(times: int, message: str) -> Person:
    """A person who rejects that often, with these words, and agrees then."""
    left = [times]

    def answer(decision: Decide) -> DecisionAnswer:
        if left[0] == 0:
            return agrees(decision)
        left[0] -= 1
        return DecisionAnswer(choice="reject", actor="somebody", channel="cli", message=message)

    return answer


def hold_task(
    run: Submission,
    cast: AgentCast | None = None,
    person: Person | None = None,
    order: int = 0,
) -> tuple[Outcome, Simulation]:
    """The run's outcome when its steps end as the cast says."""
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        cast or AgentCast(),
        person or agrees,
        Random(order),
    )
    return simulation.run(), simulation


def modes_of(run: Simulation) -> list[str]:
    """The modes in the order in which they were entered."""
    rows = [record for record in run.records.values() if isinstance(record, TransitionRecord)]
    return [row.to_mode.value for row in sorted(rows, key=lambda row: row.number)]


def result_of(outcome: Outcome) -> AgentResult:
    """The typed result."""
    assert isinstance(outcome.result, AgentResult)
    return outcome.result


def turns_of(run: Simulation) -> list[Turn]:
    """The coder's turns in their order."""
    return [step for step in run.commands.values() if isinstance(step, Turn)]
