"""Sessions and one-time links: used once, ended in time, never more than there is room for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.application.backend import Backend
from orchestrator.web.sessions import (
    IDLE_S,
    LINK_S,
    LONGEST_S,
    MOST_LINKS,
    MOST_SESSIONS,
    SessionStore,
)
from shared.errors import EnvironmentFault
from shared.models.roles import Role
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.web_sessions import USED_EVERY_S
from tests.support.runs import execute, fetch

pytestmark = pytest.mark.component


@dataclass
class Clock:
    """A clock that stands still until it is put forward."""

    at: datetime = field(default=datetime(2026, 11, 24, 12, 0, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backend(database: Database, tmp_path: Path) -> Backend:
    return Backend(ServiceSettings.from_environment({"HOME": str(tmp_path)}), database)


@pytest.fixture
def store(backend: Backend, clock: Clock) -> SessionStore:
    return SessionStore(backend, clock)


def test_a_link_opens_one_session(store: SessionStore) -> None:
    code = store.make_link("ada", Role.DECIDER)
    cookie = store.use_link(code)
    assert cookie is not None
    session = store.find(cookie)
    assert session is not None
    assert (session.actor, session.role) == ("ada", Role.DECIDER)
    assert store.use_link(code) is None


def test_a_link_that_nobody_made_opens_nothing(store: SessionStore) -> None:
    assert store.use_link("") is None
    assert store.use_link("guessed") is None


def test_a_link_is_good_for_a_few_minutes(store: SessionStore, clock: Clock) -> None:
    early, late = (store.make_link("ada", Role.VIEWER) for _ in range(2))
    clock.forward(LINK_S - 1)
    assert store.use_link(early) is not None
    clock.forward(1)
    assert store.use_link(late) is None


def test_a_session_ends_after_it_was_not_used(store: SessionStore, clock: Clock) -> None:
    cookie = store.open("ada", Role.VIEWER)
    for _ in range(3):
        clock.forward(IDLE_S - 1)
        assert store.find(cookie) is not None
    clock.forward(IDLE_S)
    assert store.find(cookie) is None
    clock.forward(-IDLE_S)
    assert store.find(cookie) is None


def test_a_session_ends_at_the_latest_after_a_week(store: SessionStore, clock: Clock) -> None:
    cookie = store.open("ada", Role.VIEWER)
    for _ in range(int(LONGEST_S // (IDLE_S / 2)) - 1):
        clock.forward(IDLE_S / 2)
        assert store.find(cookie) is not None
    clock.forward(IDLE_S / 2)
    assert store.find(cookie) is None


def test_a_session_ends_when_it_is_closed(store: SessionStore) -> None:
    cookie = store.open("ada", Role.VIEWER)
    store.close(cookie)
    store.close("another")
    assert store.find(cookie) is None


def test_a_session_outlives_the_service_and_is_known_to_the_one_beside_it(
    backend: Backend, store: SessionStore, clock: Clock
) -> None:
    cookie = store.open("ada", Role.DECIDER, token="ci", token_sha256="f" * 64)
    other = SessionStore(backend, clock)
    assert other.find(cookie) == store.find(cookie)
    other.close(cookie)
    assert store.find(cookie) is None


def test_all_are_signed_out_at_once(store: SessionStore) -> None:
    cookies = [store.open("ada", Role.VIEWER) for _ in range(3)]
    store.close_all()
    assert [store.find(cookie) for cookie in cookies] == [None] * 3


def test_a_copy_of_the_database_opens_nothing(store: SessionStore, database: Database) -> None:
    cookie = store.open("ada", Role.OPERATOR)
    session = store.find(cookie)
    assert session is not None
    row = fetch(database, "SELECT web_sessions::text AS text, sha256 FROM web_sessions")
    assert cookie not in row.text
    assert session.form_token not in row.text
    assert store.find(row.sha256) is None


def test_a_link_is_not_used_up_while_the_database_is_away(
    backend: Backend, clock: Clock, tmp_path: Path
) -> None:
    away = Database(f"postgresql+psycopg://nobody@/nothing?host={tmp_path}", patience_s=0.0)
    store = SessionStore(replace(backend, database=away), clock)
    code = store.make_link("ada", Role.VIEWER)
    for _ in range(2):
        with pytest.raises(EnvironmentFault):
            store.use_link(code)
    away.close()


def test_nothing_grows_without_end(store: SessionStore, clock: Clock, database: Database) -> None:
    first, second = (store.open("ada", Role.VIEWER) for _ in range(2))
    execute(
        database,
        "INSERT INTO web_sessions SELECT 'other' || n, actor, role, token, token_sha256, opened_at, "
        "used_at + interval '1 second' FROM generate_series(1, %s) AS n, "
        "(SELECT * FROM web_sessions LIMIT 1) AS one",
        MOST_SESSIONS - 2,
    )
    clock.forward(USED_EVERY_S)
    assert store.find(first) is not None
    newest = store.open("eve", Role.VIEWER)
    assert store.find(second) is None
    assert store.find(first) is not None
    assert store.find(newest) is not None
    assert fetch(database, "SELECT count(*) AS n FROM web_sessions").n == MOST_SESSIONS
    clock.forward(LONGEST_S)
    store.open("eve", Role.VIEWER)
    assert fetch(database, "SELECT count(*) AS n FROM web_sessions").n == 1
    link, *_ = [store.make_link("ada", Role.VIEWER) for _ in range(MOST_LINKS + 1)]
    assert store.use_link(link) is None


def test_every_secret_is_another_one(store: SessionStore) -> None:
    cookies = {store.open("ada", Role.VIEWER) for _ in range(50)}
    tokens = {session.form_token for cookie in cookies if (session := store.find(cookie))}
    assert len(cookies) == len(tokens) == 50
    assert all(len(secret) >= 43 for secret in cookies | tokens)
