"""Sessions and one-time links: used once, ended in time, never more than there is room for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.web.sessions import (
    IDLE_S,
    LINK_S,
    LONGEST_S,
    MOST_LINKS,
    MOST_SESSIONS,
    SessionStore,
)
from shared.models.roles import Role


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
def store(clock: Clock) -> SessionStore:
    return SessionStore(clock)


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


def test_nothing_grows_without_end(store: SessionStore) -> None:
    first, *_ = cookies = [store.open("ada", Role.VIEWER) for _ in range(MOST_SESSIONS)]
    assert store.find(first) is not None
    newest = store.open("eve", Role.VIEWER)
    assert store.find(cookies[1]) is None
    assert store.find(first) is not None
    assert store.find(newest) is not None
    link, *_ = [store.make_link("ada", Role.VIEWER) for _ in range(MOST_LINKS + 1)]
    assert store.use_link(link) is None


def test_every_secret_is_another_one(store: SessionStore) -> None:
    cookies = {store.open("ada", Role.VIEWER) for _ in range(50)}
    tokens = {session.form_token for cookie in cookies if (session := store.find(cookie))}
    assert len(cookies) == len(tokens) == 50
    assert all(len(secret) >= 43 for secret in cookies | tokens)
