"""Runs of `ask` and `forum`, small enough to read: spec, question, documents, replies, and a way to hold them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.models.decision import DecisionAnswer
from shared.models.deliberation import Context, Question
from shared.models.outcomes import FailureKind
from shared.models.panel import Panel, Participant
from shared.models.run import NEWEST_RULES, RunSpec
from shared.models.steps import Failure, StepResult
from tests.support.review_panel import Submission, sha
from tests.support.simulator import Simulation, Step
from workers.turns.replies import ReplyProblem, parse

Script = Callable[[Turn], StepResult]


def member(name: str, family: str | None = None, **fields: Any) -> Participant:
    """A participant of a family of its own unless one is given."""
    return Participant(
        name=name, provider="scripted", model="stub", family=family or name, **fields
    )


def submitted(
    workflow: str,
    options: AskOptions | ForumOptions,
    *,
    names: Sequence[str] = ("claude", "gemini", "codex"),
    members: Sequence[Participant] | None = None,
    text: str = "Which architecture should this service have?",
    contexts: Sequence[tuple[str, bytes]] = (),
    language: str = "en",
) -> Submission:
    """A run of `ask` or `forum` among `names`, with `chair` beside them."""
    question = Question(
        text=text,
        contexts=tuple(Context(path=path, document=sha(content)) for path, content in contexts),
    ).model_dump_json()
    templates = json.dumps(prompts.load(workflow, language), ensure_ascii=False)
    documents = {
        sha(c): c for c in (question.encode(), templates.encode(), *(c for _, c in contexts))
    }
    chair = member("chair")
    spec = RunSpec(
        workflow=workflow,
        workflow_version=WORKFLOWS[workflow].version,
        rules_version=NEWEST_RULES,
        language=language,
        subject=sha(question.encode()),
        prompts=sha(templates.encode()),
        panel=Panel(
            critics=tuple(members or (member(name) for name in names)), author=chair, chair=chair
        ),
        options=options.model_dump(mode="json"),
        seed="seed",
    )
    return Submission(spec, documents)


def hold(run: Submission, script: Script, order: int = 0) -> tuple[Outcome, Simulation]:
    """The run's outcome when its turns end as `script` says, in an order of `order`'s drawing."""

    def act(step: Step) -> StepResult:
        assert isinstance(step, Turn)
        return script(step)

    def answer(ask: object) -> DecisionAnswer:
        raise AssertionError(f"nobody is to be asked: {ask}")

    simulation = Simulation(start_workflow(run.spec, run.materials), act, answer, Random(order))
    return simulation.run(), simulation


def say(step: Turn, text: str, **figures: Any) -> StepResult:
    """What a worker records when the participant answers with this text; unusable texts end as unparseable."""
    read = parse(text, step.reply_model)
    if isinstance(read, ReplyProblem):
        return fail(FailureKind.UNPARSEABLE, read.message)
    reply = json.loads(read.model_dump_json(exclude_defaults=True))
    return StepResult(reply=reply, **figures)


def give(step: Turn, **fields: Any) -> StepResult:
    """What a worker records when the participant answers in JSON."""
    return say(step, json.dumps(fields, ensure_ascii=False))


def fail(kind: FailureKind = FailureKind.TIMEOUT, message: str = "") -> StepResult:
    """A recorded failure."""
    return StepResult(failure=Failure(kind=kind, message=message or f"it was {kind}"))


def shown(step: Turn) -> str:
    """Everything that a turn shows, parts one after another; documents by their hash."""
    prompt = step.prompt()
    return "\n".join(part.text or f"[{part.document}]" for part in (*prompt.system, *prompt.user))
