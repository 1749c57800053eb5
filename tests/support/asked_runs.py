"""Runs that wait for a person, written straight into a database: no worker has to lead to them."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import JsonValue

from orchestrator.workflows.plan.options import PlanOptions
from shared.models.decision import DecisionQuestion
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.models.steps import PromptPart, TurnRequest
from shared.store.database import Connection, Database
from shared.store.steps import hand_back
from tests.support import debates
from tests.support.reports import PATCH
from tests.support.review_panel import submission
from tests.support.runs import new_run, new_step, take

SHOWN = "a" * 64
TURN = "critique/1/me"
REVIEW = DecisionQuestion(
    kind="review",
    prompt="Apply the fix, or skip and continue?",
    options=("apply_fix", "skip"),
    shown={
        "fixes": {
            "fixes": [{"findings": ["F1"], "patch": PATCH, "source": "ruff"}],
            "patch": PATCH,
        },
        "synthesis": {"summary": "One thing to mend."},
    },
    selectable=("F1", "F2"),
    on_timeout="skip",
)
PLAN = DecisionQuestion(
    kind="plan", prompt="Revise?", options=("revise", "accept"), shown={}, on_timeout="accept"
)

SPECS: dict[str, Callable[[], RunSpec]] = {
    "review": lambda: submission().spec,
    "plan": lambda: debates.submitted(PlanOptions()).spec,
}


def asked_run(
    database: Database,
    question: DecisionQuestion = REVIEW,
    *,
    title: str = "a change",
    labels: dict[str, JsonValue] | None = None,
    batch: str | None = None,
) -> str:
    """A run with an open decision called `decision`, which shows `SHOWN`."""
    spec = SPECS[question.kind]().model_copy(update={"labels": labels or {}})
    run = new_run(database, decisions=[], spec=spec, title=title)

    def write(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, on_timeout) "
            "VALUES (%s, 'decision', %s, %s::jsonb, %s, 'open', %s)",
            (run, question.kind, question.model_dump_json(), SHOWN, question.on_timeout),
        )
        connection.execute(
            "UPDATE runs SET status = 'waiting', batch = %s WHERE id = %s", (batch, run)
        )

    database.run(write, atomic=True)
    return run


def turn_run(database: Database, question: str = "Is this right?", title: str = "") -> str:
    """A run with a person's critique that a worker has given back."""
    request = TurnRequest(
        participant=Participant(name="me", provider="person"),
        role="critique",
        round=1,
        reply_model="critique.review",
        prompt=(PromptPart(text=question),),
    )
    step = new_step(TURN, participant="me", request=request.model_dump_json())
    run = new_run(database, step, title=title or None)
    claimed = take(database, run, TURN)
    assert database.run(lambda connection: hand_back(connection, claimed, 3600, counted=False))
    return run
