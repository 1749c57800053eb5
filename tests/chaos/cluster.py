"""One throw-away installation under fault tests: durable servers, real processes, a stand-in for the models."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import redis

from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.servers import ensure, stop
from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish
from orchestrator.engine.staging import Scheduled, ScheduledStep
from shared.delivery.broker import make_app
from shared.delivery.contracts import StepPayload
from shared.delivery.signals import Signals
from shared.models.outcomes import RunStatus
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import upgrade
from tests.chaos.audit import Story, install, stories
from tests.chaos.faults import Fault, Faults
from tests.chaos.processes import Keeper, Kept, Repeated, command
from tests.chaos.workload import CANARIES, KEY_VARIABLE, Subject, make_spec, make_subject
from tests.support.model_process import ModelServer
from tests.support.queues import redis_lists

__all__ = ["Cluster", "Fault", "Repeated"]

ENDED = (RunStatus.COMPLETED, RunStatus.CANCELLED, RunStatus.FAILED, RunStatus.EXPIRED)
SLOTS = 8


class Cluster(Faults):
    """Servers, processes, workload and faults. `restore` brings it back to one good worker of each kind."""

    def __init__(
        self,
        *,
        with_tools: bool = False,
        consumer: str = "lean",
        slots: int = SLOTS,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Starts the servers and the stand-in; processes are started by `restore` or `keep`.

        `consumer` is how they take messages: lean, or celery. `slots` is how many turns a worker takes at once;
        `environ` is what the operator sets besides.
        """
        self.slots = slots
        self.folder = Path(tempfile.mkdtemp(prefix="qc-", dir="/tmp"))
        self.environ = {
            **os.environ,
            # Runs are written here without the command line that enters what they name.
            "QUORATE_ALLOWED": "anything",
            "XDG_DATA_HOME": str(self.folder / "d"),
            "XDG_STATE_HOME": str(self.folder / "s"),
            "QUORATE_TURN_SLOTS": str(slots),
            "QUORATE_CONSUMER": consumer,
            KEY_VARIABLE: CANARIES["key"],
            **(environ or {}),
        }
        self.with_tools = with_tools
        self.consumer = consumer
        self.settings = ServiceSettings.from_environment(self.environ)
        self.instance = self.settings.instance
        self.endpoints = ensure(self.instance)
        self.database = Database(
            self.endpoints.database_url, patience_s=60, keys=self.settings.encryption_keys
        )
        upgrade(self.database)
        with self.database.connection() as connection:
            install(connection)
        self.models = ModelServer(self.folder)
        self.speak(latency="0.2..0.5")
        self.engine = Engine(self.database)
        self.app = make_app(self.endpoints.broker_url)
        self.signals = Signals(self.endpoints.redis_url)
        broker = self.endpoints.redis_url.replace("?db=2", "?db=0")
        self.redis = redis.Redis.from_url(broker, socket_timeout=5, decode_responses=True)
        self.subject = make_subject(self.folder)
        self.keeper = Keeper()
        self.faults = []
        self.reviving = True
        self._watch = Repeated(self._revive_servers, 0.25)

    def close(self) -> None:
        """End everything and leave nothing behind."""
        self.reviving = False
        self._watch.close()
        self.keeper.close()
        self.models.close()
        self.database.close()
        self.signals.close()
        self.redis.close()
        self.app.close()
        stop(self.instance, immediate=True)
        if os.environ.get("QUORATE_TEST_KEEP"):
            return
        if self.instance.run_dir.parent != self.instance.state_dir:
            shutil.rmtree(self.instance.run_dir.parent, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- processes -------------------------------------------------------------------------------------------------

    def keep(
        self,
        name: str,
        *,
        pool: str | None = None,
        slots: int | None = None,
        kill_at: str | None = None,
        env: dict[str, str] | None = None,
        program: Path | None = None,
    ) -> Kept:
        """Start `orchestrator*`, `turns*` or `tools*` and keep it alive; `kill_at` arms its first start.

        `program` is a file of Python to be run instead of the product's own script.
        """
        armed: dict[str, str] = {}
        if kill_at is not None:
            marker = self.folder / f"killed-{time.monotonic_ns()}"
            armed = {"QUORATE_KILL_AT": kill_at, "QUORATE_KILL_ONCE": str(marker)}
        return self.keeper.keep(
            Kept(
                name=name,
                argv=(sys.executable, str(program))
                if program
                else command(name, pool, slots or self.slots),
                env={**self.environ, **(env or {})},
                log=self.folder / f"{name}.log",
                armed=armed,
            )
        )

    def restore(self) -> None:
        """One orchestrator and one turn worker (and a tool worker), unarmed, up and idle; servers up; no fault."""
        self.reviving = True
        wanted = ["orchestrator", "turns", *(["tools"] if self.with_tools else [])]
        for name in self.keeper.names():
            kept = self.keeper[name]
            usual = (kept.argv, kept.env) == (command(name, None, self.slots), self.environ)
            if name not in wanted or kept.armed or not kept.revived or not usual:
                self.keeper.drop(name, signal.SIGKILL)
        for name in wanted:
            if name not in self.keeper.names():
                self.keep(name)
        self.speak(latency="0.2..0.5")
        self.faults.clear()
        self.keeper.trouble.clear()
        self.keeper.deaths.clear()
        self.wait_ready(wanted)

    def replace(self, name: str, **options: Any) -> Kept:
        """Put another process in the place of an idle one, and wait until it is ready."""
        self.keeper.drop(name, signal.SIGKILL)
        kept = self.keep(name, **options)
        self.wait_ready([name])
        return kept

    def wait_ready(self, names: Sequence[str], within_s: float = 90.0) -> None:
        """Wait until these processes (or their children) have said in Postgres that they are there."""

        def missing() -> list[str]:
            known = {row.pid for row in self.ask("SELECT pid FROM processes")}
            return [name for name in names if not known & self._pids(name)]

        assert wait_until(lambda: not missing(), within_s, 0.05), f"{missing()} did not start"

    def _pids(self, name: str) -> set[int]:
        kept = self.keeper[name]
        if kept.process is None:
            return set()
        return {kept.process.pid, *self.keeper.children(name)}

    # ---- work ------------------------------------------------------------------------------------------------------

    def speak(self, **wishes: object) -> None:
        """How the stand-in answers everybody from now on (see tests/support/model_server.py)."""
        self.tell({"*": wishes})

    def tell(self, wishes: dict[str, dict[str, object]]) -> None:
        """The same by model name."""
        scratch = self.models.control.with_suffix(".new")
        scratch.write_text(json.dumps(wishes))
        scratch.replace(self.models.control)

    def submit(self, count: int = 1, *, signal_it: bool = True, **options: Any) -> list[str]:
        """Submit reviews and wake the orchestrator for each."""
        subject: Subject = options.pop("subject", self.subject)
        changes = {
            "workflow": options.pop("workflow", "review"),
            "labels": options.pop("labels", {}),
        }
        runs = []
        for _ in range(count):
            spec = make_spec(subject, self.models.base_url, **options)
            spec = spec.model_copy(update=changes)
            runs.append(self.engine.submit(spec, subject.title, subject.documents))
            if signal_it:
                self.signals.send(runs[-1])
        return runs

    def statuses(self, runs: Sequence[str]) -> dict[str, RunStatus]:
        """Where runs stand."""
        rows = self.ask("SELECT id, status FROM runs WHERE id = ANY(%s)", list(runs))
        return {row.id: RunStatus(row.status) for row in rows}

    def settle(self, runs: Sequence[str], within_s: float, *, waiting: bool = False) -> float:
        """Wait until every run has ended (or waits for a person); how long that took. Fails with what stands still."""
        good = (*ENDED, *((RunStatus.WAITING,) if waiting else ()))
        started = time.monotonic()

        def open_runs() -> list[str]:
            found = self.statuses(runs)
            return [run for run in runs if found[run] not in good]

        if not wait_until(lambda: not open_runs(), within_s, 0.1):
            raise AssertionError(self.explain(open_runs(), within_s))
        return time.monotonic() - started

    def explain(self, runs: Sequence[str], waited_s: float) -> str:
        """What a person wants to know about runs that do not end."""
        lines = [f"{len(runs)} runs did not end within {waited_s} s:"]
        for row in self.ask(
            "SELECT r.id, r.status, r.phase, r.open_steps, r.blocked_reason, array_agg(s.key || ' ' || s.status || "
            "' attempts=' || s.attempts || ' dispatches=' || s.dispatches || ' owner=' || coalesce(s.owner, '-')) "
            "FILTER (WHERE s.status NOT IN ('done')) AS steps "
            "FROM runs r LEFT JOIN steps s ON s.run_id = r.id WHERE r.id = ANY(%s) GROUP BY r.id",
            list(runs),
        ):
            lines.append(
                f"  {row.id} {row.status} {row.phase} open={row.open_steps} {row.blocked_reason or ''}"
            )
            lines += [f"    {step}" for step in row.steps or ()]
        lines += [f"  queue {name}: {size}" for name, size in self.queues().items()]
        lines += [f"  {line}" for line in self.keeper.trouble]
        return "\n".join(lines)

    def ask(self, sql: str, *values: object) -> list[Any]:
        """Rows of a query, with patience."""
        return self.database.run(
            lambda connection: connection.execute(sql, values or None).fetchall()
        )

    def calls_in_flight(self) -> set[int]:
        """The numbers of the calls that the stand-in has not ended yet."""
        events = self.models.events()
        ended = {event["n"] for event in events if event["event"] in ("answered", "dropped")}
        return {event["n"] for event in events if event["event"] == "call"} - ended

    def stories(self, runs: Sequence[str]) -> Story:
        """What the database's own witness saw of these runs."""
        return self.database.run(lambda connection: stories(connection, list(runs)))

    def wait_for(self, condition: Callable[[], object], what: str, within_s: float = 90.0) -> None:
        """Wait until something is true. Fails with `what`."""
        if not wait_until(lambda: bool(condition()), within_s, 0.01):
            running = [row.id for row in self.ask("SELECT id FROM runs WHERE status = 'running'")]
            raise AssertionError(f"waited in vain: {what}\n{self.explain(running, within_s)}")

    def wait_for_steps(
        self, runs: Sequence[str], like: str, status: str = "", count: int = 1
    ) -> None:
        """Wait until `count` steps of the runs whose key begins with `like` are there (in a status)."""
        sql = (
            "SELECT count(*) AS n FROM steps "
            "WHERE run_id = ANY(%s) AND key LIKE %s || '%%' AND %s IN ('', status)"
        )
        self.wait_for(
            lambda: self.ask(sql, list(runs), like, status)[0].n >= count,
            f"{count} steps {like}* {status}",
        )

    def republish(
        self, runs: Sequence[str], times: int, *, leaving_out: set[tuple[str, str]]
    ) -> int:
        """Deliver the steps of the runs again, as whole canvases with their `advance`; how many.

        Steps that are in `leaving_out` were delivered before; what is delivered now is added to it.
        """
        rows = self.ask(
            "SELECT s.run_id, s.key, s.task, s.queue, r.root_task FROM steps s JOIN runs r ON r.id = s.run_id "
            "WHERE s.run_id = ANY(%s)",
            list(runs),
        )
        new = [row for row in rows if (row.run_id, row.key) not in leaving_out]
        for row in new:
            leaving_out.add((row.run_id, row.key))
            step = ScheduledStep(row.task, row.queue, StepPayload(run=row.run_id, step=row.key))
            for _ in range(times):
                assert publish(self.app, Scheduled(row.run_id, row.root_task, (step,)))
        return len(new) * times

    def require_everybody_works(self) -> None:
        """No turn worker hangs: each of them takes some of a little more work. Fails otherwise."""
        idle = {name for name in self.keeper.names() if name.startswith("turns")}
        self.speak(latency="0.3..0.6")
        for _ in range(5):
            runs = self.submit(4)
            self.settle(runs, 120)
            owners = {c.pid for changes in self.stories(runs).values() for c in changes}
            idle = {name for name in idle if not owners & self._pids(name)}
            if not idle:
                return
        raise AssertionError(f"{sorted(idle)} live and take no work: their main loops hang")

    # ---- the broker ------------------------------------------------------------------------------------------------

    def queues(self) -> dict[str, int]:
        """How long every list in the broker's database is."""
        found: dict[str, int] = {}
        for key in self.redis.scan_iter("*"):
            if self.redis.type(key) == "list":
                found[str(key)] = int(self.redis.llen(key))
        return found

    def queue_length(self, queue: str) -> int:
        """How many messages wait in one of Quorate's queues."""
        return sum(int(self.redis.llen(name)) for name in redis_lists(queue))
