"""How fast pages answer where there is much: lists over many runs, and the page of a run with many turns.

    python -m benchmarks.pages [--runs 100000] [--turns 500] [--json FILE]

A review is played through once and copied inside the database; one in a hundred copies has another title, verdict and
repository. One more run has so many turns, each with a reply of two thousand characters. Milliseconds from request to
answer, medians of `REPEATED`, through the whole application with its guards, in this process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from starlette.testclient import TestClient

from benchmarks.cluster import Servers, servers
from benchmarks.copies import copy_run, settle
from benchmarks.rows import Bench, Stopwatch
from orchestrator.application.backend import Backend
from orchestrator.web.application import create_app
from orchestrator.web.context import WebContext
from orchestrator.web.sites import ServedSite
from shared.settings import ServiceSettings
from shared.store.daily_spending import sum_up
from shared.store.database import Connection

REPEATED = 15
PORT = 8765
TOKEN = "a-token-of-the-benchmark"
LISTS = {
    "newest": "/runs",
    "status": "/runs?status=completed",
    "workflow": "/runs?workflow=review",
    "seldom verdict": "/runs?verdict=INCONCLUSIVE",
    "seldom word": "/runs?q=billing",
    "every word": "/runs?q=change",
    "no such word": "/runs?q=xyzzy",
    "seldom repository": "/runs?repository=shop",
    "several": "/runs?q=billing&workflow=review&verdict=INCONCLUSIVE&repository=shop&days=90",
    "none of several": "/runs?q=change&verdict=INCONCLUSIVE&repository=nowhere",
    "costs": "/costs?days=30",
    "participants": "/participants?days=30",
}

_UNLIKE = """
WITH unlike AS (SELECT id FROM runs WHERE right(id, 2) = '77')
, titled AS (UPDATE runs SET title = 'src/billing: charge by seat', verdict = 'INCONCLUSIVE'
              FROM unlike WHERE runs.id = unlike.id)
UPDATE specs SET spec = jsonb_set(spec, '{labels,repository}', '"shop"') FROM unlike WHERE run_id = unlike.id
"""
# Rounds of four critics, each with one finding and a long summary.
_TURNS = """
INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, status, attempts,
                   max_attempts, lease_s, reply, note, tokens, cost_usd, created_at, leased_at, finished_at)
SELECT r.id, format('critique/%%s/critic%%s', 100 + n / 4, n %% 4), 1000 + n, 'turn', format('critic%%s', n %% 4),
       'critique', 100 + n / 4, 't', 'quorate.turns', 'f', 'done', 1, 3, 60,
       jsonb_build_object('verdict', 'NEEDS_FIX', 'summary', repeat('The loop repeats what sum() does. ', 60),
         'findings', jsonb_build_array(jsonb_build_object('title', 'The loop repeats sum()', 'detail', 'Shorter.',
         'severity', 'MINOR', 'category', 'style', 'place', jsonb_build_object('path', 'app.py', 'line', 2)))),
       '', 900, 0.001, r.created_at + n * interval '1 s', r.created_at + n * interval '1 s' + interval '0.2 s',
       r.created_at + n * interval '1 s' + interval '9 s'
  FROM runs r, generate_series(1, %(turns)s) n WHERE r.id = %(run)s
"""


def measure(runs: int, turns: int) -> Mapping[str, float]:
    """Medians in milliseconds, by page."""
    with servers() as own:
        backend = _backend(own)
        bench = Bench(backend, own.environ)
        run = bench.review(Stopwatch())
        backend.write(lambda connection: copy_run(connection, run, runs))

        def fill(connection: Connection) -> None:
            connection.execute(_UNLIKE)
            connection.execute(_TURNS, {"run": run, "turns": turns})

        backend.write(fill)
        while backend.read(lambda connection: sum_up(connection, 1)):
            pass
        backend.read(settle)
        pages = {
            **LISTS,
            f"run of {turns} turns": f"/runs/{run}",
            "its parts, for an open page": f"/runs/{run}/now",
            "its timeline": f"/runs/{run}/timeline",
        }
        client = _client(backend, own)
        return {name: _median_ms(client, path) for name, path in pages.items()}


def _backend(own: Servers) -> Backend:
    settings = ServiceSettings.from_environment(own.environ)
    return Backend(settings, own.database, own.environ)


def _client(backend: Backend, own: Servers) -> TestClient:
    context = WebContext(
        backend=backend,
        environ=own.environ,
        directory=Path.cwd(),
        site=ServedSite.of("127.0.0.1", PORT),
        actor="bench",
        start_token=TOKEN,
        now=lambda: datetime.now(UTC),
        report_bug=_raise,
    )
    return TestClient(
        create_app(context),
        base_url=f"http://127.0.0.1:{PORT}",
        headers={"Authorization": f"Bearer {TOKEN}"},
    )


def _raise(bug: Exception) -> None:
    raise bug


def _median_ms(client: TestClient, path: str) -> float:
    times = []
    for _ in range(REPEATED + 1):
        began = time.perf_counter()
        answer = client.get(path)
        times.append((time.perf_counter() - began) * 1e3)
        answer.raise_for_status()
    return statistics.median(times[1:])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    medians = measure(given.runs, given.turns)
    for name, milliseconds in medians.items():
        print(f"{name:32}{milliseconds:8.1f} ms")
    if given.json:
        given.json.write_text(json.dumps(medians, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
