"""Runs that ended long ago, and purges of them."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.purging import purge
from shared.models.retention import Purged, RetentionRule
from shared.store.database import Database
from shared.store.documents import address
from tests.support.runs import execute, new_run

DAY = 86_400.0
OLD = (RetentionRule(90 * DAY),)


def ended(
    database: Database,
    *steps: str,
    days: float = 100,
    status: str = "completed",
    texts: bytes = b"",
) -> str:
    """A run that ended so many days ago; `texts` is a document that it refers to."""
    run = new_run(database, *steps, documents={address(texts): texts} if texts else {})
    if texts:
        execute(
            database,
            "INSERT INTO records (run_id, key, kind, position, body) VALUES (%s, 'k', 'k', 0, %s)",
            run,
            f'{{"text": {{"document": "{address(texts)}"}}}}',
        )
    end(database, run, days, status)
    return run


def end(database: Database, run: str, days: float = 100, status: str = "completed") -> None:
    execute(
        database,
        "UPDATE runs SET status = %s, open_steps = 0, finished_at = now() - make_interval(days => %s), "
        "created_at = now() - make_interval(days => %s) WHERE id = %s",
        status,
        int(days),
        int(days) + 1,
        run,
    )


def aged(database: Database) -> None:
    """All documents were stored long ago."""
    execute(database, "UPDATE documents SET created_at = now() - interval '50 days'")


def runs(database: Database) -> set[str]:
    return {row.id for row in database.run(lambda c: c.execute("SELECT id FROM runs").fetchall())}


def stored(database: Database, *texts: bytes) -> list[bool]:
    names = [address(text) for text in texts]
    rows = database.run(lambda c: c.execute("SELECT sha256 FROM documents").fetchall())
    there = {row.sha256 for row in rows}
    return [name in there for name in names]


def purged(database: Database, rules: Sequence[RetentionRule] = OLD, actor: str = "me") -> Purged:
    gone = purge(database, rules, actor)
    assert gone is not None
    return gone
