"""Budgets: what a call may need is reserved before it is made.

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
from shared.store.children import FAMILY
from shared.store.daily_spending import (
    CHARGED_USD,
    DAY,
    NOT_SUMMED_UP,
    RESERVED,
)
from shared.store.database import Connection
from shared.store.steps import Claim

_DAY_LOCK = 0x44415953  # "DAYS"


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
