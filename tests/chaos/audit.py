"""A witness inside the database: every change of a step's state, written by a trigger in its transaction."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from shared.store.database import Connection

_INSTALL = """
CREATE TABLE chaos_audit (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at double precision NOT NULL,
    run_id text NOT NULL, key text NOT NULL, was text NOT NULL, became text NOT NULL,
    token bigint NOT NULL, attempts integer NOT NULL, owner text, rewritten boolean NOT NULL);
CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
    IF new.status <> old.status OR new.token <> old.token OR new.reply IS DISTINCT FROM old.reply THEN
        INSERT INTO chaos_audit (at, run_id, key, was, became, token, attempts, owner, rewritten)
        VALUES (extract(epoch FROM clock_timestamp()), new.run_id, new.key, old.status, new.status, new.token,
                new.attempts, coalesce(new.owner, old.owner),
                old.status IN ('done', 'failed', 'cancelled') AND new.reply IS DISTINCT FROM old.reply);
    END IF;
    RETURN new;
END $body$;
CREATE TRIGGER chaos_note AFTER UPDATE ON steps FOR EACH ROW EXECUTE FUNCTION chaos_note();
"""


@dataclass(frozen=True)
class Change:
    """One committed change of a step. `at` is seconds since the epoch, `owner` a process id (host:pid:mark)."""

    at: float
    run: str
    key: str
    was: str
    became: str
    token: int
    attempts: int
    owner: str | None
    rewritten: bool

    @property
    def is_claim(self) -> bool:
        """True when a worker took the step."""
        return self.was == "pending" and self.became == "leased"

    @property
    def pid(self) -> int:
        """The pid of the process that held or took the step; 0 when there is none."""
        return int(self.owner.split(":")[1]) if self.owner else 0


Story = dict[tuple[str, str], list[Change]]


def install(connection: Connection) -> None:
    """Put the trigger on `steps`; once per database."""
    connection.execute(_INSTALL)


def stories(connection: Connection, runs: list[str]) -> Story:
    """What happened to each (run, step), in the order of the commits."""
    rows = connection.execute(
        "SELECT at, run_id, key, was, became, token, attempts, owner, rewritten FROM chaos_audit "
        "WHERE run_id = ANY(%s) ORDER BY n",
        (runs,),
    ).fetchall()
    found: Story = defaultdict(list)
    for row in rows:
        change = Change(*row)
        found[(change.run, change.key)].append(change)
    return found
