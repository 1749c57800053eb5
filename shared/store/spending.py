"""Money: what was spent, grouped by any dimension, and reservations before a call.

A reservation is a row that counts while its step is leased under its token and the call's usage row is not there
yet, or while the call waits for its provider's batch API. Nobody has to give it back: the usage row, the step's end, or
the next holder's token ends it. Where a provider did not say what a call used, its reservation counts as what was
spent: unknown is never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.store.batch_money import (
    HELD_BY_BATCH,
    SPENT_BY_BATCH,
    batch_limit,
    exhaust_batch,
)
from shared.store.children import FAMILY, TREE
from shared.store.daily_spending import (
    CALL,
    CHARGED_USD,
    DAY,
    NOT_SUMMED_UP,
    RESERVED,
    SUMMED_UP_TO,
    SUMS,
)
from shared.store.database import Connection
from shared.store.projects import projects_of, seen, seen_projects
from shared.store.steps import Claim

_DAY_LOCK = 0x44415953  # "DAYS"


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


@dataclass(frozen=True)
class CallNeed:
    """What a call may need at most. `usd` is None when its price is unknown."""

    tokens: int
    usd: float | None


class Short(StrEnum):
    """What a budget lacks."""

    CALLS = "calls"
    TOKENS = "tokens"
    MONEY = "money"
    PRICE = "price"
    BATCH = "batch"
    DAY = "day"


@dataclass(frozen=True)
class Shortage:
    """Why a call may not be made. `passing`: it could fit once the calls under way have been settled."""

    what: Short
    limit: float
    spent: float
    passing: bool = False


@dataclass(frozen=True)
class BudgetAccount:
    """The state of a budget: what is spent, and what calls under way have reserved on top."""

    calls: int
    tokens: int
    usd: float
    held_calls: int
    held_tokens: int
    held_usd: float


@dataclass(frozen=True)
class Ceiling:
    """The limits of a budget; None means none."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


def shortage(ceiling: Ceiling, account: BudgetAccount, need: CallNeed) -> Shortage | None:
    """What a run's budget lacks for a call; None when the call fits."""
    if ceiling.calls is not None and account.calls + account.held_calls + 1 > ceiling.calls:
        return Shortage(Short.CALLS, ceiling.calls, account.calls)
    if ceiling.tokens is not None:
        lacking = _lacking(ceiling.tokens, account.tokens, account.held_tokens, need.tokens)
        if lacking is not None:
            return Shortage(Short.TOKENS, ceiling.tokens, account.tokens, lacking)
    return _money(Short.MONEY, ceiling.usd, account, need)


def _money(
    what: Short, limit: float | None, account: BudgetAccount, need: CallNeed
) -> Shortage | None:
    if limit is None:
        return None
    if need.usd is None:
        return Shortage(Short.PRICE, limit, account.usd)
    lacking = _lacking(limit, account.usd, account.held_usd, need.usd)
    return None if lacking is None else Shortage(what, limit, account.usd, lacking)


def _lacking(limit: float, spent: float, reserved: float, need: float) -> bool | None:
    """None when it fits; True when only reservations stand in the way."""
    if spent + reserved + need <= limit:
        return None
    return spent + need <= limit


# `spent` gives calls, tokens and dollars.
_ACCOUNT = """
SELECT spent.calls, spent.tokens, spent.usd, held.held_calls, held.held_tokens, held.held_usd
  FROM ({spent}) spent,
       (SELECT count(*) AS held_calls, coalesce(sum(v.tokens), 0)::bigint AS held_tokens,
               coalesce(sum(v.usd), 0)::float AS held_usd
          FROM (SELECT v.* FROM reservations v
                  JOIN steps s ON s.run_id = v.run_id AND s.key = v.step AND s.token = v.token
                   AND s.finished_at IS NULL AND s.status = 'leased'
                 UNION
                SELECT v.* FROM batched_calls b
                  JOIN reservations v ON v.run_id = b.run_id AND v.step = b.step AND v.attempt = 'batch:' || b.id
                 WHERE b.released_at IS NULL AND b.status IN ('queued', 'sending', 'sent')) v
         WHERE {reservations} AND (v.run_id, v.step) <> (%(run)s, %(step)s)
           AND NOT EXISTS (SELECT FROM usage u
                            WHERE u.run_id = v.run_id AND u.step = v.step AND u.attempt = v.attempt)) held
"""
_FAMILY = FAMILY.format(root="%(root)s")
_OF_RUN = _ACCOUNT.format(
    spent=f"""
SELECT count(*) AS calls, coalesce(sum({CHARGED_USD}), 0)::float AS usd,
       coalesce(sum(coalesce(u.input_tokens + u.output_tokens, {RESERVED.format("tokens")})), 0)::bigint AS tokens
  FROM usage u WHERE u.run_id = ANY({_FAMILY})""",
    reservations=f"v.run_id = ANY({_FAMILY})",
)
# A day's limit is one in dollars only.
_TODAY = "(now() AT TIME ZONE 'UTC')::date"
_OF_DAY = _ACCOUNT.format(
    spent=f"""
SELECT 0 AS calls, 0 AS tokens,
       (SELECT coalesce(sum(charged_usd), 0) FROM daily_spending WHERE day = {_TODAY})
       + (SELECT coalesce(sum({CHARGED_USD}), 0) FROM usage u
           WHERE {NOT_SUMMED_UP} AND {DAY} >= {_TODAY}) AS usd""",
    reservations="true",
)

_OF_BATCH = _ACCOUNT.format(spent=SPENT_BY_BATCH, reservations=HELD_BY_BATCH)

_LIMITS = """
SELECT max_calls, max_tokens, max_usd, coalesce(root_run, id) AS root, batch FROM runs WHERE id = %(id)s FOR UPDATE
"""

_RESERVE = """
INSERT INTO reservations (run_id, step, attempt, token, tokens, usd)
VALUES (%(run)s, %(step)s, %(attempt)s, %(token)s, %(tokens)s, %(usd)s)
ON CONFLICT (run_id, step, attempt) DO UPDATE SET token = excluded.token, tokens = excluded.tokens, usd = excluded.usd
"""


def reserve(
    connection: Connection,
    claimed: Claim,
    attempt: str,
    need: CallNeed,
    usd_a_day: float | None = None,
) -> Shortage | None:
    """Put aside what a call may need, or say what is missing; nothing is written then.

    Must run in one transaction: the run's row is locked first (and then its root's, whose budget it is), so two calls
    cannot both take the last of a budget. `attempt` names the call as its usage row will.
    """
    names = {
        "run": claimed.run,
        "root": claimed.run,
        "step": claimed.step,
        "attempt": attempt,
        "token": claimed.token,
        "tokens": need.tokens,
        "usd": need.usd,
    }
    limits = connection.execute(_LIMITS, {"id": claimed.run}).fetchone()
    if limits is not None and limits.root != claimed.run:
        names["root"] = limits.root
        limits = connection.execute(_LIMITS, {"id": limits.root}).fetchone()
    ceiling = Ceiling() if limits is None else Ceiling(*limits[:3])
    # A statement of its own: it must see what was committed while this one waited for the lock.
    lacking = shortage(ceiling, _account(connection, _OF_RUN, names), need)
    if lacking is None and limits is not None and limits.batch:
        lacking = _lacking_in_batch(connection, {**names, "batch": limits.batch}, need)
    if lacking is None and usd_a_day is not None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_DAY_LOCK,))
        lacking = _money(Short.DAY, usd_a_day, _account(connection, _OF_DAY, names), need)
    if lacking is None:
        connection.execute(_RESERVE, names)
    return lacking


def _lacking_in_batch(
    connection: Connection, names: dict[str, object], need: CallNeed
) -> Shortage | None:
    """What the budget of the run's batch lacks; where no call under way can give it back nothing more of it begins."""
    batch = str(names["batch"])
    limit = batch_limit(connection, batch)
    if limit is None:
        return None
    lacking = _money(Short.BATCH, limit, _account(connection, _OF_BATCH, names), need)
    if lacking is not None and not lacking.passing:
        exhaust_batch(connection, batch)
    return lacking


def _account(connection: Connection, statement: str, names: dict[str, object]) -> BudgetAccount:
    row = connection.execute(statement, names).fetchone()
    assert row is not None
    return BudgetAccount(*row)
