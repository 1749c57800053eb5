"""Processes are killed while texts are encrypted, and a change of keys is killed half-way.

Nothing readable is ever at rest, no text is lost, and what was begun is ended by doing it again.
"""

from __future__ import annotations

import json
import signal
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from shared.store.database import Database
from shared.store.documents import address
from shared.store.resealing import COLUMNS, sealed_with
from shared.store.sealing import MARK, Sealer
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.processes import SCRIPTS
from tests.chaos.workload import CANARIES, REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]
SETTLE_S = 150.0
KEYS = (bytes(range(32)), bytes(range(1, 33)))
TEXTS = ("diff", "prompt", "answer")
"""The canaries that stand in texts: of the subject, of a persona, of replies."""


def write_keys(path: Path, *keys: bytes) -> None:
    """Put these keys into the operator's file, the one that encrypts first."""
    path.touch(mode=0o600)
    path.write_text("".join(f"{b64encode(key).decode()}\n" for key in keys))


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("operator") / "keys"
    write_keys(path, *KEYS)
    return path


@pytest.fixture(scope="module")
def shared_cluster(key_file: Path) -> Iterator[Cluster]:
    """A cluster whose every process has the operator's keys."""
    made = Cluster(environ={"QUORATE_ENCRYPTION_KEY_FILE": str(key_file)})
    yield made
    made.close()


def speak(cluster: Cluster, **wishes: object) -> None:
    """Everybody answers so, and one critic in words that are looked for at rest."""
    words = json.dumps({"verdict": "APPROVED", "summary": CANARIES["answer"], "findings": []})
    cluster.tell({"*": wishes, "cyd": {**wishes, "text": words}})


def at_rest(cluster: Cluster) -> list[str]:
    """Every row of every table, as Postgres would print it to somebody without a key."""
    plain = Database(cluster.endpoints.database_url, pool_size=1, patience_s=60)
    named = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    rows: list[str] = []
    for table in plain.run(lambda c: c.execute(named).fetchall()):
        query = f'SELECT t::text AS words FROM "{table.tablename}" t'
        rows += [row.words for row in plain.run(lambda c, q=query: c.execute(q).fetchall())]
    plain.close()
    return rows


def readable(rows: list[str]) -> list[str]:
    """The canaries that stand in these rows, as text or as the bytes of a document."""
    words = "\n".join(rows)
    shapes = {name: (CANARIES[name], CANARIES[name].encode().hex()) for name in TEXTS}
    return [name for name, both in shapes.items() if any(shape in words for shape in both)]


def opened(cluster: Cluster, *keys: bytes) -> list[str]:
    """All that is encrypted, as whoever has these keys reads it. Fails for a document that is not what was stored."""
    database = Database(cluster.endpoints.database_url, pool_size=1, patience_s=60, keys=keys)
    texts = []
    for row in database.run(
        lambda c: c.execute("SELECT sha256, content FROM documents").fetchall()
    ):
        assert address(bytes(row.content)) == row.sha256
        texts.append(bytes(row.content).hex())
    for table, columns in COLUMNS.items():
        query = f'SELECT {", ".join(f"{column}::text" for column in columns)} FROM "{table}"'
        for row in database.run(lambda c, q=query: c.execute(q).fetchall()):
            texts += [value for value in row if value is not None]
    database.close()
    return texts


def under(cluster: Cluster, key: bytes) -> int:
    """How many documents and rows are encrypted with a key."""
    ids = tuple(Sealer([each]).ids[0] for each in KEYS)
    found = cluster.database.run(partial(sealed_with, keys=ids))
    wanted = Sealer([key]).ids[0]
    return sum(each.documents + each.rows for each in found if each.key == wanted)


def rotate(cluster: Cluster, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPTS / "quorate", "encryption", "rotate"],
        env={**cluster.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def change_key(cluster: Cluster, path: Path) -> tuple[bytes, bytes]:
    """Put the other key first and start every service again; the new key and the one before it."""
    before = path.read_text().splitlines()
    path.write_text("\n".join(reversed(before)) + "\n")
    names = cluster.keeper.names()
    for name in names:
        cluster.kill(name)
    cluster.wait_ready(names)
    old, new = KEYS if b64encode(KEYS[0]).decode() == before[0] else reversed(KEYS)
    return new, old


def test_reviews_under_a_key_end_right_when_workers_and_orchestrator_are_killed(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    speak(cluster, latency="0.2..0.5")
    runs = cluster.submit(3)
    cluster.wait_for_steps(runs, "critique/1", "done", 2)
    cluster.wait_for(cluster.calls_in_flight, "a call is in flight")
    cluster.kill("turns")
    cluster.kill("orchestrator")
    cluster.wait_for_steps(runs, "rebuttal/2", count=1)
    cluster.kill("orchestrator")
    cluster.kill_postgres()
    cluster.kill("turns")
    settled = cluster.settle(runs, SETTLE_S)

    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    rows = at_rest(cluster)
    assert any(run in row for run in runs for row in rows), "nothing was looked at"
    assert readable(rows) == []
    assert readable(opened(cluster, *KEYS)) == list(TEXTS), "the canaries were nowhere at all"


@pytest.mark.parametrize("point", ["documents-resealed", "run-resealed:2"])
def test_a_change_of_keys_that_is_killed_half_way_is_ended_by_the_next(
    cluster: Cluster, key_file: Path, point: str
) -> None:
    gate = cluster.folder / f"open-{point.partition(':')[0]}"
    speak(cluster, latency="0.05")
    ended = cluster.submit(5)
    settled = cluster.settle(ended, SETTLE_S)
    examine(cluster, ended, settle_s=settled, steps=REVIEW_STEPS)
    speak(cluster, until=str(gate))
    runs = cluster.submit(1)
    cluster.wait_for(cluster.calls_in_flight, "a call is in flight")
    new, old = change_key(cluster, key_file)

    marker = str(cluster.folder / f"killed-rotating-{gate.name}")
    killed = rotate(cluster, QUORATE_KILL_AT=point, QUORATE_KILL_ONCE=marker)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert under(cluster, old) > 0, "everything was under the new key already"
    assert under(cluster, new) > 0
    assert readable(at_rest(cluster)) == []
    assert readable(opened(cluster, *KEYS)) == list(TEXTS)
    gate.touch()
    cluster.settle(runs, SETTLE_S)
    # Not of those that had ended: a change of keys writes their rows anew.
    examine(cluster, runs, settle_s=0.0, steps=REVIEW_STEPS)

    again = rotate(cluster)

    assert again.returncode == 0, again.stderr
    assert under(cluster, old) == 0
    assert readable(at_rest(cluster)) == []
    texts = opened(cluster, new)
    assert readable(texts) == list(TEXTS)
    assert not any(MARK in text for text in texts), "a text stayed under the key before"
