"""Servers that die at any moment of a command: it ends with the code of an absence and a sentence, never as a bug."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from orchestrator.engine.advance import Engine
from shared.instance import POSTGRES_SOCKET, Endpoints
from shared.store.database import Database
from tests.chaos.proxy import DyingProxy, through
from tests.fixtures.instance import make_command_line
from tests.support.driving import conceding, drive
from tests.support.review_panel import submission

pytestmark = pytest.mark.component

ABSENT = 5
COMMANDS = (
    ("list",),
    ("list", "--status", "running"),
    ("inbox",),
    ("show", "last"),
    ("show", "last", "--json"),
    ("status",),
    ("cost",),
    ("watch", "last", "--timeout", "1"),
    ("decide", "last", "skip"),
    ("cancel", "last"),
    ("resume", "last"),
    ("undo", "last"),
    ("replay", "last"),
    ("diff", "last", "last"),
    ("fork", "last"),
    ("db", "upgrade"),
    ("db", "status"),
    ("doctor",),
    ("ask", "Why?", "--panel", "rules"),
)


@pytest.fixture
def waiting(database: Database) -> None:
    """A run that waits for a person."""
    engine = Engine(database)
    wanted = submission()
    drive(engine, engine.submit(wanted.spec, "t", wanted.documents), conceding)


@pytest.fixture
def folder(database_url: str) -> Path:
    return Path(str(sa.engine.make_url(database_url).query["host"]))


@pytest.mark.parametrize(
    ("lives", "commands"),
    [
        (4, (("show", "last"), ("decide", "last", "skip"), ("status",), ("cost",))),
        *(pytest.param(lives, COMMANDS, marks=pytest.mark.slow) for lives in range(1, 9)),
    ],
)
@pytest.mark.usefixtures("waiting")
def test_a_command_whose_database_dies_ends_as_an_absence(
    servers: Endpoints,
    database_url: str,
    folder: Path,
    tmp_path: Path,
    lives: int,
    commands: tuple[tuple[str, ...], ...],
) -> None:
    proxy = DyingProxy(tmp_path / "p", folder / POSTGRES_SOCKET, lives)
    run = make_command_line(
        tmp_path,
        QUORATE_REDIS_URL=servers.redis_url,
        QUORATE_DATABASE_URL=through(database_url, proxy),
    )
    ended = [run(*words) for words in commands]
    proxy.close()

    bugs = {
        " ".join(words): done.stderr
        for words, done in zip(commands, ended, strict=True)
        if done.returncode == 70 or "Traceback" in done.stderr
    }
    assert not bugs
    codes = {" ".join(words): done.returncode for words, done in zip(commands, ended, strict=True)}
    if lives == 4:  # the first statement is never answered
        assert {codes["show last"], codes["decide last skip"], codes["cost"]} == {ABSENT}
