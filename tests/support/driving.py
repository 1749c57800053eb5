"""Work on a run without a broker and without workers: what was scheduled is claimed and finished in this process."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orchestrator.engine.advance import Engine
from orchestrator.engine.staging import Scheduled
from shared.models.decision import DecisionAnswer
from shared.models.steps import StepResult
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.ends import finish
from shared.store.events import list_events
from shared.store.steps import Claim, claim
from tests.support.review_panel import PATCH, Submission, submission
from tests.support.review_replies import critique_fields, finding, reply, stances

_nonces = itertools.count(1)


@dataclass(frozen=True)
class Asked:
    """A step as a worker sees it."""

    key: str
    role: str
    round: int
    reply_model: str
    inputs: dict[str, Any]


Worker = Callable[[Asked], StepResult]


def submit(engine: Engine, submitted: Submission | None = None) -> str:
    """A review of a change; the run's id."""
    wanted = submitted or submission()
    return engine.submit(wanted.spec, "a change", wanted.documents)


def event_kinds(engine: Engine, run: str) -> list[str]:
    """What happened, in order."""
    return [kind for _, kind, _ in engine.database.run(lambda c: list_events(c, run))]


def answer(engine: Engine, run: str, choice: str) -> None:
    """Answer the run's decision as somebody at the command line."""
    given = DecisionAnswer(choice=choice, actor="me", channel="cli")
    engine.database.run(lambda c: answer_decision(c, run, "decision", given, None), atomic=True)


def keys(scheduled: Scheduled | None) -> list[str]:
    """What was scheduled, by name."""
    return [] if scheduled is None else [step.payload.step for step in scheduled.steps]


def claimed_by_nobody(database: Database, run: str, step: str) -> Claim:
    """Claim a step that must be there."""
    nonce = f"driver{next(_nonces)}"
    taken = database.run(lambda connection: claim(connection, run, step, "driver", nonce))
    assert isinstance(taken, Claim), (step, taken)
    return taken


def do(database: Database, run: str, step: str, worker: Worker) -> int | None:
    """Claim a step, let `worker` answer, finish it; how many steps are still open."""
    taken = claimed_by_nobody(database, run, step)
    request = json.loads(taken.request)
    asked = Asked(
        step, request["role"], request["round"], request["reply_model"], request.get("inputs", {})
    )
    result = worker(asked)
    body = None if result.reply is None else _json(result)
    return database.run(
        lambda connection: finish(connection, taken, reply=body, failure=result.failure)
    )


def drive(engine: Engine, run: str, worker: Worker) -> list[list[str]]:
    """Advance and work until nothing is scheduled any more; the stages."""
    stages = []
    while names := keys(engine.advance(run)):
        stages.append(names)
        for name in names:
            do(engine.database, run, name, worker)
    return stages


def drive_family(engine: Engine, *runs: str, worker: Worker) -> None:
    """Advance what is to be advanced and work on what is scheduled, in child runs too, until nothing moves."""
    due = list(runs)
    while due:
        run = due.pop(0)
        scheduled = engine.advance(run)
        if scheduled is None:
            continue
        for name in keys(scheduled):
            do(engine.database, run, name, worker)
        awaited = (scheduled.parent,) if scheduled.parent else ()
        due += [*scheduled.children, *awaited, *((run,) if scheduled.steps else ())]


def conceding(asked: Asked) -> StepResult:
    """Everybody finds the same, the author concedes, the fix can be applied."""
    match asked.reply_model.split(".")[0]:
        case "critique":
            found = [finding(patch=PATCH)] if asked.round == 1 else []
            said = stances("agree", "F1") if asked.round > 1 else []
            return reply(asked.reply_model, **critique_fields(found, said))
        case "rebuttal":
            return reply(asked.reply_model, stances=stances("agree", "F1"))
        case "synthesis":
            return reply("synthesis", summary="the panel's text")
        case "fixes":
            fixes = [{**fix, "problem": None} for fix in asked.inputs["fixes"]]
            return reply("fixes.checked", fixes=fixes, patch=PATCH)
    return reply("applied", repository="/nowhere", branch="quorate/r1")


def approving(asked: Asked) -> StepResult:
    """Nobody finds anything."""
    if asked.reply_model.startswith("critique"):
        return reply(asked.reply_model, **critique_fields([], []))
    return reply("synthesis", summary="nothing to say")


def _json(result: StepResult) -> str:
    text = result.model_dump_json(include={"reply"})
    return text.removeprefix('{"reply":').removesuffix("}")
