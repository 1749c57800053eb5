"""What statements and commands take as the tables grow, on a Postgres of its own. Figures, no assertions.

    python -m benchmarks.rows [--steps 1000 10000 100000 1000000] [--json FILE]

A review is played through once, and its rows are copied inside the database, 480 reviews a day up to now; what is
measured goes on beside them. Milliseconds of processor, of the caller and of Postgres for it, medians; the sizes take
turns. The last column divides the last size by the first.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.cluster import Servers, servers
from benchmarks.copies import copy_run, forget_everything, settle
from benchmarks.measuring import exact_processor_time, processor_time
from benchmarks.web_client import web_client
from orchestrator.application import listings, report, run_details
from orchestrator.application.backend import Backend
from orchestrator.embedded.throwaway import clone_database
from orchestrator.engine.advance import Engine
from orchestrator.engine.sweeper import DUE_AFTER_S, FORGOTTEN_AFTER_S, GRACE_S, REPUBLISHED_AT_ONCE
from orchestrator.presentation import timeline
from shared.delivery.contracts import QUEUES
from shared.instance import DATABASE
from shared.models.run import Budget
from shared.models.steps import StepKind, Usage
from shared.settings import ServiceSettings
from shared.store.connections import IDLE_IN_TRANSACTION_S
from shared.store.daily_spending import sum_up
from shared.store.database import Connection, Database
from shared.store.decisions import expire_decisions
from shared.store.ends import StoredResponse, finish, store_response
from shared.store.processes import SILENCE_S, beat, list_processes
from shared.store.reservations import CallNeed, reserve
from shared.store.reuse import find_answer
from shared.store.run_filter import RunFilter
from shared.store.spending import Grouping
from shared.store.steps import Claim, claim, held
from shared.store.sweeping import (
    due_runs,
    end_silent_sessions,
    fail_exhausted_steps,
    forget_processes,
    release_lost_leases,
    take_lost_steps,
)
from shared.store.views import awaited_participants, count_runs, run_heartbeat, schema_revision
from tests.support.driving import Asked, answer, conceding, keys
from tests.support.review_panel import submission

SIZES = (1_000, 10_000, 100_000, 1_000_000)
REPEATED = 25
REVIEWS = 5
COMMANDS_REPEATED = 5
# The driver prepares a statement when it is asked for the sixth time on a connection.
PREPARED_AFTER = 5
CONNECTIONS = 2
WAITING = 20
PROCESSES = 20
COMMANDS = (("status",), ("list",), ("show", "last"), ("cost",))
CONTENT = (
    b'{"text": "' + b"The loop repeats what sum() does, and says it with more words. " * 16 + b'"}'
)
DAY_LIMIT_USD = 1e9
WEEK_S = 7 * 86_400.0
T = TypeVar("T")


class Stopwatch:
    """Milliseconds of whatever is measured, by name."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        """Nothing is measured yet; `clock` gives seconds."""
        self._clock = clock
        self.times: dict[str, list[float]] = defaultdict(list)

    def of(self, name: str, work: Callable[[], T]) -> T:
        """What `work` returns."""
        began = self._clock()
        result = work()
        self.times[name].append((self._clock() - began) * 1e3)
        return result

    def medians(self) -> dict[str, float]:
        """By name."""
        return {name: statistics.median(times) for name, times in self.times.items()}


class Bench:
    """Where is measured; `environ` is that of the commands."""

    def __init__(self, backend: Backend, environ: Mapping[str, str]) -> None:
        """Nothing is filled in yet."""
        self.backend = backend
        self.environ = environ
        self.engine = Engine(backend.database)

    def value(self, sql: str, *values: object) -> Any:
        """The only value of a query."""
        row = self.backend.read(lambda connection: connection.execute(sql, values).fetchone())
        assert row is not None
        return row[0]

    def stopwatch(self) -> Stopwatch:
        """Of this thread and of the sessions that it has in Postgres, all of which are open from now on."""
        with ExitStack() as opened:
            connections = [
                opened.enter_context(self.engine.database.connection()) for _ in range(CONNECTIONS)
            ]
            sessions = [connection.info.backend_pid for connection in connections]
        return Stopwatch(lambda: time.thread_time() + sum(map(exact_processor_time, sessions)))

    def review(self, watch: Stopwatch) -> str:
        """Play a review through; its id."""
        wanted = submission(critics=3, budget=Budget(max_usd=100.0))
        submit = partial(self.engine.submit, wanted.spec, "a change", wanted.documents)
        run = watch.of("submission", submit)
        while True:
            scheduled = watch.of("advance", partial(self.engine.advance, run))
            names = keys(scheduled)
            for name in names:
                self._turn(watch, run, name)
            if not names:
                break
        answer(self.engine, run, "skip")
        watch.of("advance", partial(self.engine.advance, run))
        return run

    def _turn(self, watch: Stopwatch, run: str, step: str) -> None:
        database = self.engine.database
        take = partial(claim, run=run, step=step, owner="bench", nonce=f"{run}/{step}")
        claimed = watch.of("claim", lambda: database.run(take))
        assert isinstance(claimed, Claim), claimed
        if claimed.kind is StepKind.TURN:
            self._pay(watch, claimed)
        request = json.loads(claimed.request)
        asked = Asked(
            step,
            request["role"],
            request["round"],
            request["reply_model"],
            request.get("inputs", {}),
        )
        reply = json.dumps(conceding(asked).model_dump(mode="json")["reply"])
        watch.of(
            "finish", lambda: database.run(lambda c: finish(c, claimed, reply=reply, failure=None))
        )

    def _pay(self, watch: Stopwatch, claimed: Claim) -> None:
        database = self.engine.database
        need = CallNeed(tokens=2_000, usd=0.02)
        watch.of(
            "reservation, of a run's budget",
            lambda: database.run(lambda c: reserve(c, claimed, "1:1", need), atomic=True),
        )
        watch.of(
            "reservation, and of the day's",
            lambda: database.run(
                lambda c: reserve(c, claimed, "1:1", need, DAY_LIMIT_USD), atomic=True
            ),
        )
        paid = _paid(claimed)
        watch.of("paid answer", lambda: database.run(lambda c: store_response(c, paid)))


def _paid(claimed: Claim) -> StoredResponse:
    who = json.loads(claimed.request)["participant"]["name"]
    return StoredResponse(
        run=claimed.run,
        step=claimed.step,
        token=claimed.token,
        worker="bench",
        participant=who,
        provider="anthropic",
        model=f"model-{len(who) % 3}",
        request_sha=f"{claimed.run}/{claimed.step}",
        content=CONTENT + claimed.step.encode(),
        usage=Usage(input_tokens=1_500, output_tokens=300, cached_tokens=200, cost_usd=0.0125),
        attempt="1:1",
    )


@contextmanager
def benches(sizes: Sequence[int]) -> Iterator[tuple[Servers, dict[int, Bench]]]:
    """A database a size in one server, without any other process of ours."""
    with servers() as own:
        own.database.close()  # nobody may be connected to what is copied
        here = {}
        for size in sizes:
            url = clone_database(own.endpoints, DATABASE, f"rows{size}")
            redis_url = own.endpoints.redis_url
            urls = {"QUORATE_DATABASE_URL": url, "QUORATE_REDIS_URL": redis_url}
            environ = {**own.environ, **urls}
            settings = ServiceSettings.from_environment(environ)
            database = Database(url, pool_size=CONNECTIONS, patience_s=10)
            here[size] = Bench(Backend(settings, database), environ)
        try:
            yield own, here
        finally:
            for bench in here.values():
                bench.backend.close()


def fill(here: Bench, steps: int) -> None:
    """So many steps of finished reviews, with all that belongs to them, and a few that go on."""
    database = here.backend.database
    database.run(forget_everything)
    here.engine = Engine(database)
    template = here.review(Stopwatch())
    a_run = here.value("SELECT count(*) FROM steps")
    copies = round(steps / a_run)
    database.run(partial(copy_run, run=template, count=copies))
    wanted = submission(critics=3)
    for _ in range(WAITING):
        here.engine.advance(here.engine.submit(wanted.spec, "goes on", wanted.documents))
    while database.run(partial(sum_up, enough=1)):
        pass
    for number in range(PROCESSES):
        database.run(
            partial(beat, process=f"p{number}", kind="turns", host="h", pid=number, version="0")
        )
    database.run(settle)


def looks(here: Bench) -> dict[str, Callable[[], object]]:
    """What is only asked, by name."""
    backend = here.backend
    run = here.value("SELECT id FROM runs WHERE status = 'blocked'")  # the one in the middle
    step = "critique/1/critic1"
    request = here.value("SELECT request_sha FROM usage WHERE run_id = %s LIMIT 1", run)
    client = web_client(backend)

    def store(work: Callable[[Connection], object]) -> Callable[[], object]:
        return lambda: backend.read(work)

    def cost(by: Grouping, **scope: Any) -> Callable[[], object]:
        return lambda: listings.spent(backend, by, **{"run": None, "since_s": None, **scope})

    graces_s = dict.fromkeys(QUEUES, GRACE_S)
    return {
        "sweep: due_runs": store(lambda c: due_runs(c, DUE_AFTER_S)),
        "sweep: take_lost_steps": store(
            lambda c: take_lost_steps(c, graces_s, REPUBLISHED_AT_ONCE)
        ),
        "sweep: release_lost_leases": store(lambda c: release_lost_leases(c, SILENCE_S)),
        "sweep: fail_exhausted_steps": store(lambda c: fail_exhausted_steps(c, SILENCE_S)),
        "sweep: expire_decisions": store(expire_decisions),
        "sweep: forget_processes": store(lambda c: forget_processes(c, FORGOTTEN_AFTER_S)),
        "sweep: end_silent_sessions": store(
            lambda c: end_silent_sessions(c, IDLE_IN_TRANSACTION_S)
        ),
        "presence: beat": store(
            partial(beat, process="p0", kind="turns", host="h", pid=1, version="0")
        ),
        "presence: held": store(lambda c: held(c, "p0")),
        "reuse: find_answer": store(lambda c: find_answer(c, request)),
        "participants awaited": store(awaited_participants),
        "watch: a look": store(lambda c: run_heartbeat(c, run)),
        "status": store(lambda c: (schema_revision(c), list_processes(c), count_runs(c))),
        "list": lambda: listings.runs(backend, limit=20),
        **{
            f"list --status {status}": partial(
                listings.runs, backend, limit=20, wanted=RunFilter(status=status)
            )
            for status in ("running", "completed", "cancelled", "blocked", "expired")
        },
        "show RUN": lambda: report.report_of(backend, run),
        "show last": lambda: report.report_of(backend, "last"),
        "show RUN --rounds": lambda: timeline.rounds(report.report_of(backend, run)),
        "show RUN --events": lambda: run_details.events_of(backend, run),
        "show RUN --prompt": lambda: run_details.request_of(backend, run, step),
        "inbox": lambda: listings.inbox(backend),
        "cost": cost(Grouping.PARTICIPANT),
        "cost --since 7d": cost(Grouping.PARTICIPANT, since_s=WEEK_S),
        "cost --by day": cost(Grouping.DAY),
        "cost --by provider": cost(Grouping.PROVIDER),
        "cost --by model": cost(Grouping.MODEL),
        "cost --by run": cost(Grouping.RUN),
        "cost --by turn": cost(Grouping.TURN),
        "cost --by batch": cost(Grouping.BATCH),
        "cost --run RUN": cost(Grouping.PARTICIPANT, run=run),
        "cost --run RUN --by turn": cost(Grouping.TURN, run=run),
        "GET /api/v1/runs": lambda: client.get("/api/v1/runs").raise_for_status(),
        "GET /api/v1/runs/RUN": lambda: client.get(f"/api/v1/runs/{run}").raise_for_status(),
    }


def commands(here: Bench) -> dict[str, Callable[[], object]]:
    """Whole commands, from the start of their process to its end."""
    quorate = str(Path(sys.executable).parent / "quorate")
    return {
        f"command: quorate {' '.join(words)}": partial(
            subprocess.run,
            [quorate, *words],
            env=dict(here.environ),
            check=True,
            capture_output=True,
        )
        for words in COMMANDS
    }


def filled(here: Bench, steps: int) -> str:
    """Fill a database; what is in it then."""
    began = time.monotonic()
    fill(here, steps)
    megabytes = here.value("SELECT pg_database_size(current_database())") / 1e6
    counted = ", ".join(
        f"{here.value(f'SELECT count(*) FROM {table}'):,} {table}"
        for table in ("runs", "steps", "usage", "events", "documents")
    )
    return f"{counted}; {megabytes:,.0f} MB, filled in {time.monotonic() - began:.0f} s"


def measure(own: Servers, here: Mapping[int, Bench]) -> dict[int, dict[str, float]]:
    """Medians by size and name. The sizes take turns, so that all of them see the same machine."""
    watches = {size: bench.stopwatch() for size, bench in here.items()}
    for number in range(REVIEWS + 1):
        for size, bench in here.items():
            bench.review(watches[size] if number else Stopwatch())
    asked = {size: looks(bench) for size, bench in here.items()}
    alternate(asked, watches, REPEATED, unmeasured=PREPARED_AFTER + 1)
    whole = {size: Stopwatch(partial(_commands_and_postgres, own)) for size in here}
    alternate({size: commands(bench) for size, bench in here.items()}, whole, COMMANDS_REPEATED)
    return {size: watches[size].medians() | whole[size].medians() for size in here}


def _commands_and_postgres(own: Servers) -> float:
    """Seconds of the commands that have ended, and of the server with all its sessions."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    server = processor_time({"postgres": own.roots["postgres"]})
    return ended.ru_utime + ended.ru_stime + server.total


def alternate(
    works: Mapping[int, Mapping[str, Callable[[], object]]],
    watches: Mapping[int, Stopwatch],
    repeated: int,
    unmeasured: int = 0,
) -> None:
    """Everything of that name at one size after the other, again and again; `unmeasured` times beforehand."""
    for name in next(iter(works.values())):
        for number in range(unmeasured + repeated):
            for size, watch in watches.items():
                (watch if number >= unmeasured else Stopwatch()).of(name, works[size][name])


def table(figures: dict[int, dict[str, float]]) -> str:
    """Rows by name, columns by size."""
    first, last = min(figures), max(figures)
    names = list(figures[first])
    width = max(map(len, names))
    lines = ["ms".ljust(width) + "".join(f"{f'{size:,}':>12}" for size in figures) + "   ratio"]
    for name in names:
        cells = "".join(f"{column[name]:>12.2f}" for column in figures.values())
        lines.append(f"{name:<{width}}{cells}{figures[last][name] / figures[first][name]:>8.1f}")
    return "\n".join(lines)


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    options = parser.parse_args()
    with benches(options.steps) as (own, here):
        for size, bench in here.items():
            print(filled(bench, size), flush=True)
        figures = measure(own, here)
    print(table(figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
