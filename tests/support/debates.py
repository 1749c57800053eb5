"""Runs of `plan` and `panel`, small enough to read: spec, question, documents, and a way to hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from orchestrator.core.replay.commands import Decide, Outcome, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.models.decision import DecisionAnswer
from shared.models.deliberation import Context, Question
from shared.models.outcomes import FailureKind
from shared.models.panel import Panel, Participant
from shared.models.replies import REPLY_MODELS
from shared.models.run import NEWEST_RULES, DecisionPolicy, RunSpec
from shared.models.steps import Failure, StepResult
from tests.support.review_panel import Submission, sha
from tests.support.simulator import Simulation, Step

Script = Callable[[Turn], StepResult]
Person = Callable[[Decide], DecisionAnswer]


def member(name: str, family: str | None = None, **fields: Any) -> Participant:
    """A participant of a family of its own unless one is given."""
    return Participant(
        name=name, provider="scripted", model="stub", family=family or name, **fields
    )


def submitted(
    options: PlanOptions | PanelOptions,
    *,
    names: Sequence[str] = ("ada", "bob", "cyd"),
    members: Sequence[Participant] | None = None,
    text: str = "Move the shop's database to the new server without losing an order.",
    contexts: Sequence[tuple[str, bytes]] = (),
    decision: DecisionPolicy | None = None,
    language: str = "en",
    seed: str = "seed",
) -> Submission:
    """A run by `names` (critics or debaters), `author` (the planner) and `chair` (who also judges)."""
    workflow = "plan" if isinstance(options, PlanOptions) else "panel"
    question = Question(
        text=text,
        contexts=tuple(Context(path=path, document=sha(content)) for path, content in contexts),
    ).model_dump_json()
    templates = json.dumps(prompts.load(workflow, language), ensure_ascii=False)
    texts = (question.encode(), templates.encode(), *(content for _, content in contexts))
    spec = RunSpec(
        workflow=workflow,
        workflow_version=WORKFLOWS[workflow].version,
        rules_version=NEWEST_RULES,
        language=language,
        subject=sha(question.encode()),
        prompts=sha(templates.encode()),
        panel=Panel(
            critics=tuple(members or (member(name) for name in names)),
            author=member("author"),
            chair=member("chair"),
        ),
        options=options.model_dump(mode="json"),
        decision=decision or DecisionPolicy(),
        seed=seed,
    )
    return Submission(spec, {sha(one): one for one in texts})


def decides(*choices: str, message: str = "") -> Person:
    """A person who gives these answers one after another, then the last one again."""
    left = list(choices)

    def answer(_: Decide) -> DecisionAnswer:
        choice = left.pop(0) if len(left) > 1 else left[0]
        return DecisionAnswer(choice=choice, actor="somebody", channel="cli", message=message)

    return answer


def nobody(ask: Decide) -> DecisionAnswer:
    """Nobody is to be asked."""
    raise AssertionError(f"nobody is to be asked: {ask}")


def hold(
    run: Submission, script: Script, person: Person = nobody, order: int = 0
) -> tuple[Outcome, Simulation]:
    """The run's outcome when its turns end as `script` says, in an order of `order`'s drawing."""

    def act(step: Step) -> StepResult:
        assert isinstance(step, Turn)
        return script(step)

    simulation = Simulation(start_workflow(run.spec, run.materials), act, person, Random(order))
    return simulation.run(), simulation


def give(
    step: Turn, *, tokens: int | None = None, cost_usd: float | None = None, **fields: Any
) -> StepResult:
    """What a worker records for these fields: validated by the step's reply model."""
    parsed = REPLY_MODELS[step.reply_model].model_validate(fields)
    reply = json.loads(parsed.model_dump_json(exclude_defaults=True))
    return StepResult(reply=reply, tokens=tokens, cost_usd=cost_usd)


def fail(kind: FailureKind = FailureKind.TIMEOUT) -> StepResult:
    """A recorded failure."""
    return StepResult(failure=Failure(kind=kind, message=f"it was {kind}"))


def shown(step: Turn) -> str:
    """Everything that a turn shows, parts one after another, data in the form of its fence; documents by their hash."""
    prompt = step.prompt()
    return "\n\n".join(
        (f"<{part.fence}>\n" if part.fence else "") + (part.text or f"[{part.document}]")
        for part in (*prompt.system, *prompt.user)
    )
