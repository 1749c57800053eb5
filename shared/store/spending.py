"""Money: what was spent, grouped by any dimension, and reservations before a call.

A reservation is a row that counts while its step is leased under its token and the call's usage row is not there
yet. Nobody has to give it back: the usage row, the step's end, or the next holder's token ends it. Where a provider
did not say what a call used, its reservation counts as what was spent: unknown is never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.store.children import FAMILY, TREE
from shared.store.database import Connection
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
    BATCH = "batch"
    TOTAL = "total"


_KEYS: dict[Grouping, str] = {
    Grouping.TURN: "u.run_id || '/' || u.step",
    Grouping.PARTICIPANT: "u.participant",
    Grouping.PROVIDER: "u.provider",
    Grouping.MODEL: "coalesce(u.model, '')",
    Grouping.RUN: "u.run_id",
    Grouping.DAY: "to_char(u.at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
    Grouping.BATCH: "coalesce((SELECT r.spec->'labels'->>'batch' FROM runs r WHERE r.id = u.run_id), '')",
    Grouping.TOTAL: "''",
}


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


def spending(
    connection: Connection,
    by: Grouping,
    *,
    run: str | None = None,
    since_s: float | None = None,
) -> list[Spending]:
    """What was spent, the dearest first (days: the newest first), in the last `since_s` seconds, or in one run.

    What a run's child runs spent is the run's.
    """
    order = "1 DESC" if by is Grouping.DAY else "cost DESC NULLS LAST, 1"
    # In words of its own each: the plan for a parameter that may be NULL reads every row.
    wanted = {
        "true": True,
        f"u.run_id = ANY({TREE.format(run='%(run)s')})": run is not None,
        "u.at >= now() - make_interval(secs => %(since)s) AND u.at < 'infinity'": since_s
        is not None,
    }
    where = " AND ".join(condition for condition, applies in wanted.items() if applies)
    rows = connection.execute(
        f"SELECT {_KEYS[by]} AS key, count(*) AS calls, coalesce(sum(u.input_tokens), 0)::bigint AS i, "
        "coalesce(sum(u.output_tokens), 0)::bigint AS o, coalesce(sum(u.cached_tokens), 0)::bigint AS c, "
        "sum(u.cost_usd) AS cost, count(*) FILTER (WHERE u.cost_usd IS NULL) AS uc, "
        "count(*) FILTER (WHERE u.input_tokens IS NULL OR u.output_tokens IS NULL) AS ut FROM usage u "
        f"WHERE {where} GROUP BY 1 ORDER BY {order}",
        {"run": run, "since": since_s},
    ).fetchall()
    return [Spending(*row) for row in rows]


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


def _lacking(limit: float, spent: float, held: float, need: float) -> bool | None:
    """None when it fits; True when only reservations stand in the way."""
    if spent + held + need <= limit:
        return None
    return spent + need <= limit


# The reserved amount stands in for what a provider did not say; it is looked up only then, one by one.
_RESERVED = "(SELECT v.{} FROM reservations v WHERE (v.run_id, v.step, v.attempt) = (u.run_id, u.step, u.attempt))"

# `scope` chooses the calls.
_ACCOUNT = f"""
SELECT spent.calls, spent.tokens, spent.usd, held.held_calls, held.held_tokens, held.held_usd
  FROM (SELECT count(*) AS calls,
               coalesce(sum(coalesce(u.input_tokens + u.output_tokens, {_RESERVED.format("tokens")})), 0)::bigint
                   AS tokens,
               coalesce(sum(coalesce(u.cost_usd, {_RESERVED.format("usd")})), 0)::float AS usd
          FROM usage u WHERE {{usage}}) spent,
       (SELECT count(*) AS held_calls, coalesce(sum(v.tokens), 0)::bigint AS held_tokens,
               coalesce(sum(v.usd), 0)::float AS held_usd
          FROM reservations v
          JOIN steps s ON s.run_id = v.run_id AND s.key = v.step AND s.status = 'leased' AND s.token = v.token
         WHERE {{reservations}} AND (v.run_id, v.step) <> (%(run)s, %(step)s)
           AND NOT EXISTS (SELECT FROM usage u
                            WHERE u.run_id = v.run_id AND u.step = v.step AND u.attempt = v.attempt)) held
"""
_FAMILY = FAMILY.format(root="%(root)s")
_OF_RUN = _ACCOUNT.format(
    usage=f"u.run_id = ANY({_FAMILY})", reservations=f"v.run_id = ANY({_FAMILY})"
)
_OF_DAY = _ACCOUNT.format(
    usage="u.at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'",
    reservations="true",
)

_LIMITS = """
SELECT max_calls, max_tokens, max_usd, coalesce(root_run, id) AS root FROM runs WHERE id = %(id)s FOR UPDATE
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
    if lacking is None and usd_a_day is not None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_DAY_LOCK,))
        lacking = _money(Short.DAY, usd_a_day, _account(connection, _OF_DAY, names), need)
    if lacking is None:
        connection.execute(_RESERVE, names)
    return lacking


def _account(connection: Connection, statement: str, names: dict[str, object]) -> BudgetAccount:
    row = connection.execute(statement, names).fetchone()
    assert row is not None
    return BudgetAccount(*row)
