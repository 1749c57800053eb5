"""What participants did lately: how fast, how reliably, for how much, and how often people took what they raised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.application.acceptance import accepted_history
from orchestrator.application.backend import Backend
from orchestrator.evaluation.acceptance import AcceptanceHistory
from shared.errors import EnvironmentFault
from shared.models.pauses import Pause
from shared.providers.limits import Breaker, breakers, paused
from shared.store.database import Connection
from shared.store.spending import Grouping, Spending, spending
from shared.store.turn_times import TurnTimes, turn_times


@dataclass(frozen=True)
class ParticipantsLately:
    """By name what was spent and how long turns took; the accounts and pauses that hold calls back.

    `reached` is False where Redis, which knows those, does not answer. Whoever sees some projects only is told of no
    account: how much it is asked is everybody's.
    """

    since_s: float
    spending: Mapping[str, Spending]
    times: Mapping[str, TurnTimes]
    history: AcceptanceHistory
    reached: bool
    accounts: tuple[Breaker, ...] = ()
    pauses: tuple[Pause, ...] = ()


def participants_lately(backend: Backend, since_s: float) -> ParticipantsLately:
    """Everybody who took part in the last `since_s` seconds."""

    def read(connection: Connection) -> tuple[list[Spending], list[TurnTimes]]:
        spent = spending(connection, Grouping.PARTICIPANT, since_s=since_s)
        return spent, turn_times(connection, since_s)

    spent, times = backend.read(read)
    url = backend.settings.endpoints.redis_url
    try:
        accounts = tuple(breakers(url)) if backend.projects is None else ()
        reached, pauses = True, tuple(paused(url))
    except EnvironmentFault:
        reached, accounts, pauses = False, (), ()
    return ParticipantsLately(
        since_s=since_s,
        spending={row.key: row for row in spent},
        times={row.participant: row for row in times},
        history=accepted_history(backend),
        reached=reached,
        accounts=accounts,
        pauses=pauses,
    )
