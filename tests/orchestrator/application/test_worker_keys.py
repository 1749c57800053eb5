"""Workers that were started without a key that a run reads: started anew while nothing runs, else a warning."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.worker_keys import forget_refusals, hand_over_keys
from orchestrator.embedded.key_marks import write_marks
from shared.instance import Endpoints, Instance
from shared.models.notices import notice
from shared.models.panel import Panel, Participant
from shared.providers.limits import (
    ACCOUNTS_KEY,
    BreakerState,
    account_key,
    account_of,
    breakers,
    pause,
    resume,
)
from shared.settings import ServiceSettings
from shared.store.database import Database
from tests.support.runs import new_run

pytestmark = pytest.mark.component

LATE = Participant(
    name="late",
    provider="openai",
    model="m",
    family="f",
    options={"base_url": "http://127.0.0.1:1/v1", "api_key_env": "LATE_KEY"},
)
RULES = Participant(name="rules", provider="rules", family="rules")
PANEL = Panel(critics=(LATE,), author=RULES, chair=RULES)


def renewed(database: Database, home: Path, key: str | None) -> tuple[list[str], NoticeList]:
    """Who was named when workers that know no key were restarted for a shell with `key`, and what was told."""
    instance = Instance.at(home)
    instance.state_dir.mkdir(parents=True)
    write_marks(instance, {"PATH": "/bin"})
    environ = {} if key is None else {"LATE_KEY": key}
    backend = Backend(ServiceSettings(instance, None), database, environ)
    seen: list[str] = []

    def note(_of: Backend, members: Sequence[Participant]) -> None:
        seen.extend(member.name for member in members)

    told = NoticeList()
    hand_over_keys(backend, PANEL, told, renew=note)
    return seen, told


def test_workers_without_the_key_are_restarted(database: Database, tmp_path: Path):
    names, told = renewed(database, tmp_path, "k")
    assert names == ["late"]
    assert told.informed == [notice("workers_renewed", names="LATE_KEY")]


def test_nothing_is_stopped_under_a_run_that_goes_on(database: Database, tmp_path: Path):
    new_run(database)
    names, told = renewed(database, tmp_path, "k")
    assert names == []
    assert [notice.code for notice in told.warned] == ["other_keys"]


def test_a_key_that_this_shell_does_not_have_either_is_no_reason(
    database: Database, tmp_path: Path
):
    names, told = renewed(database, tmp_path, None)
    assert (names, told.informed, told.warned) == ([], [], [])


def test_a_refusal_of_the_old_key_is_forgotten_and_a_pause_is_not(servers: Endpoints):
    held = LATE.model_copy(update={"options": {**LATE.options, "base_url": "http://127.0.0.1:2"}})
    until_ms = int(time.time() * 1000) + 60_000
    with redis.Redis.from_url(servers.redis_url) as client:
        for who in (LATE, held):
            client.sadd(ACCOUNTS_KEY, account_of(who))
            client.hset(
                account_key(account_of(who)), mapping={"open": until_ms, "why": "credentials"}
            )
    pause(servers.redis_url, account_of(held), "")
    forget_refusals(servers.redis_url, [LATE, held])
    states = {one.account: one.state for one in breakers(servers.redis_url)}
    assert states.get(account_of(LATE), BreakerState.CLOSED) is BreakerState.CLOSED
    assert states[account_of(held)] is BreakerState.OPEN
    resume(servers.redis_url, account_of(held))
