"""Money: what was spent, grouped by any dimension."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.store.children import TREE
from shared.store.daily_spending import (
    CALL,
    NOT_SUMMED_UP,
    SUMMED_UP_TO,
    SUMS,
)
from shared.store.database import Connection
from shared.store.projects import projects_of, seen, seen_projects


class Grouping(StrEnum):
    """What spending can be summed by."""

    TURN = "turn"
    PARTICIPANT = "participant"
    PROVIDER = "provider"
    MODEL = "model"
    RUN = "run"
    DAY = "day"
    WORKFLOW = "workflow"
    BATCH = "batch"
    TOTAL = "total"


# Of a row of calls or of sums.
_KEYS: dict[Grouping, str] = {
    Grouping.TURN: "run_id || '/' || step",
    Grouping.PARTICIPANT: "participant",
    Grouping.PROVIDER: "provider",
    Grouping.MODEL: "model",
    Grouping.RUN: "run_id",
    Grouping.DAY: "to_char(day, 'YYYY-MM-DD')",
    Grouping.WORKFLOW: "workflow",
    Grouping.BATCH: "coalesce(batch, '')",
    Grouping.TOTAL: "''",
}
# What a run has; a specification is large, and an index knows those with a batch.
_OF_A_RUN: dict[Grouping, str] = {
    Grouping.WORKFLOW: "SELECT id AS run_id, workflow FROM runs",
    Grouping.BATCH: "SELECT run_id, spec -> 'labels' ->> 'batch' AS batch FROM specs "
    "WHERE spec -> 'labels' ->> 'batch' IS NOT NULL",
}
ROW_BY_ROW = frozenset({Grouping.TURN, Grouping.RUN, Grouping.WORKFLOW, Grouping.BATCH})
"""What the daily sums do not know: these read every call of the time that is asked for."""


@dataclass(frozen=True)
class Spending:
    """The sums of some calls.

    `cost_usd` is None when no call has a known price; `unknown_costs` and `unknown_tokens` count the calls that the
    sums do not hold.
    """

    key: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unknown_costs: int
    unknown_tokens: int


_CALLS = f"SELECT {CALL}, u.run_id, u.step FROM usage u WHERE"
_OF_RUN_TREE = f"{_CALLS} u.run_id = ANY({TREE.format(run='%(run)s')}) AND u.at >= {{since}}"
# The daily sums do not know whose runs they hold.
_SEEN = f"{_CALLS} u.at >= {{since}} AND {{seen}}"
_SINCE = f"{_CALLS} u.at >= {{since}} AND u.at < 'infinity'"
# Whole days from the sums; the day that is asked for in part, and what is not summed up yet, from the calls.
_BY_DAYS = f"""
SELECT day, participant, provider, model, calls, input_tokens, output_tokens, cached_tokens, cost_usd, unknown_costs,
       unknown_tokens FROM daily_spending WHERE day >= {{midnight}}
UNION ALL SELECT {CALL} FROM usage u WHERE {NOT_SUMMED_UP} AND u.at AT TIME ZONE 'UTC' >= {{since}} AT TIME ZONE 'UTC'
UNION ALL SELECT {CALL} FROM usage u
           WHERE u.at >= {{since}} AND u.at < {{midnight}} AT TIME ZONE 'UTC' AND u.id <= {SUMMED_UP_TO}
"""
_MOMENTS = {
    "since": "(SELECT since FROM asked)",
    "midnight": "(SELECT date_trunc('day', since AT TIME ZONE 'UTC') + interval '1 day' FROM asked)",
}


def spending(
    connection: Connection,
    by: Grouping,
    *,
    run: str | None = None,
    since_s: float | None = None,
) -> list[Spending]:
    """What was spent, the dearest first (days: the newest first), in the last `since_s` seconds, or in one run.

    What a run's child runs spent is the run's. For whoever sees some projects only, the runs that are there are summed.
    """
    calls = _calls(connection, by, run).format(**_MOMENTS, seen=seen(connection, "u.run_id"))
    if by in _OF_A_RUN:  # which has many calls
        sums = f"SELECT run_id, {SUMS} FROM ({calls}) calls GROUP BY run_id"
        calls = f"SELECT * FROM ({sums}) sums LEFT JOIN ({_OF_A_RUN[by]}) named USING (run_id)"
    order = "1 DESC" if by is Grouping.DAY else "cost_usd DESC NULLS LAST, 1"
    rows = connection.execute(
        "WITH asked AS (SELECT coalesce(now() - make_interval(secs => %(since)s), '-infinity') AS since) "
        f"SELECT {_KEYS[by]} AS key, {SUMS} FROM ({calls}) calls GROUP BY 1 ORDER BY {order}",
        {"run": run, "since": since_s, **seen_projects(connection)},
    ).fetchall()
    return [Spending(**row._asdict()) for row in rows]


def _calls(connection: Connection, by: Grouping, run: str | None) -> str:
    """In words of its own each: the plan for a parameter that may be NULL reads every row."""
    if run is not None:
        return _OF_RUN_TREE
    if projects_of(connection) is not None:
        return _SEEN
    return _SINCE if by in ROW_BY_ROW else _BY_DAYS
