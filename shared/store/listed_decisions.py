"""Decisions as lists and reports read them; `decisions.py` answers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shared.models.decision import DecisionState
from shared.models.rows import DecisionRow
from shared.store.database import Connection
from shared.store.projects import seen, seen_projects
from shared.store.run_filter import label_of

DECISION = f"""
SELECT d.run_id, d.key, d.kind, d.question, d.shown_sha256, d.state, d.answer, d.opened_at, d.deadline_at,
       d.answered_at, r.title, r.workflow, r.batch, {label_of("d.run_id", "repository")} AS repository
  FROM decisions d JOIN runs r ON r.id = d.run_id
"""


def decision_row(values: tuple[Any, ...]) -> DecisionRow:
    """A row of `DECISION`."""
    row = DecisionRow(*values)
    return DecisionRow(**{**row.__dict__, "state": DecisionState(row.state)})


def list_decisions(
    connection: Connection,
    *,
    run: str | None = None,
    repository: str | None = None,
    batch: str | None = None,
    workflow: str | None = None,
    only_open: bool = True,
    limit: int | None = None,
    with_shown: bool = True,
) -> list[DecisionRow]:
    """Decisions, the oldest first; `with_shown` False leaves out what they show, which is large."""
    # One statement a question: the plan for a parameter that may be NULL reads every decision.
    wanted = {
        seen(connection, "d.run_id"): True,
        "d.run_id = %(run)s": run is not None,
        f"{label_of('d.run_id', 'repository')} = %(repository)s": repository is not None,
        "r.batch = %(batch)s": batch is not None,
        "r.workflow = %(workflow)s": workflow is not None,
        "d.state = 'open'": only_open,
    }
    where = " AND ".join(condition for condition, applies in wanted.items() if applies)
    select = DECISION if with_shown else DECISION.replace("d.question,", "d.question - 'shown',")
    values = {"run": run, "repository": repository, "batch": batch, "workflow": workflow}
    rows = connection.execute(
        f"{select} WHERE {where} ORDER BY d.opened_at LIMIT %(limit)s",
        {**values, "limit": limit, **seen_projects(connection)},
    ).fetchall()
    return [decision_row(row) for row in rows]


@dataclass(frozen=True)
class OpenCount:
    """How many open decisions there are in a workflow, a batch, a repository."""

    workflow: str
    batch: str | None
    repository: str | None
    decisions: int


def count_open(connection: Connection) -> list[OpenCount]:
    """The open decisions by where they are asked."""
    rows = connection.execute(
        f"""
        SELECT workflow, batch, repository, count(*)
          FROM (SELECT r.workflow, r.batch, {label_of("d.run_id", "repository")} AS repository
                  FROM decisions d JOIN runs r ON r.id = d.run_id
                 WHERE d.state = 'open' AND {seen(connection, "d.run_id")}) asked
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        """,
        seen_projects(connection),
    ).fetchall()
    return [OpenCount(*row) for row in rows]
