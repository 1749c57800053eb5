"""Two hours of small steady work in which once a minute something is killed: what is lost, and what grows.

    python -m benchmarks.soak --minutes 120 --out /tmp/soak

Reviews, some of them with a decision that is answered and applied, readers of the API, a schedule and a webhook. By a
seed a worker, the orchestrator, the web server, the scheduler, Redis or Postgres gets SIGKILL, each once before any of
them again. Beside each process that is killed stands a witness that never is. Every look at the installation is a line
of samples.jsonl; the report says of each series whether it stayed flat, and of the runs whether one was lost or did
something twice. SIGTERM ends the soak early, with its report.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import socket
import threading
import time
import traceback
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchmarks.soak_samples import WITNESS, Sample, sample
from benchmarks.soak_verdicts import told, verdicts
from orchestrator.webhooks.signing import new_secret
from shared.errors import DecisionConflict, EnvironmentFault
from shared.models.decision import DecisionAnswer
from shared.models.webhooks import SUBSCRIBABLE
from shared.store.decisions import answer_decision
from shared.store.listed_decisions import list_decisions
from shared.store.webhooks import add_webhook
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.processes import SCRIPTS, Kept, Repeated
from tests.chaos.workload import critique_with_patch, make_subject
from tests.fixtures.instance import warm_starter
from tests.support.warm import Order
from tests.support.webhook_receiver import WebhookReceiver, receiver

TOKEN = "soak"
LOOK_S = 30.0
KILL_S = 60.0
REVIEW_S = 6.0
READ_S = 2.0
ASK_EVERY = 5
APPLY_EVERY = 3
SLOTS = 4
SETTLE_S = 300.0
OF_RUNS = frozenset(
    (
        *("runs", "steps", "events", "usage", "decisions", "documents", "document_uses", "specs"),
        *("requests", "stances", "records", "findings", "answered_requests", "chaos_audit"),
        *("webhook_deliveries", "firings"),
    )
)
"""Tables whose rows belong to runs, the witness of the fault tests among them."""


class Soak:
    """The installation, its work and its faults."""

    def __init__(self, out: Path, seed: int, hooks: WebhookReceiver) -> None:
        """Starts everything."""
        self.out = out
        self.cluster = cluster = Cluster(with_tools=True, slots=SLOTS)
        self.runs: list[str] = []
        self.samples: list[Sample] = []
        self.done: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._next: list[str] = []
        endpoints = cluster.endpoints
        (cluster.folder / "tmp").mkdir()
        cluster.environ |= {
            "TMPDIR": str(cluster.folder / "tmp"),
            "QUORATE_WEBHOOK_NETWORKS": "127.0.0.1",
            "QUORATE_DATABASE_URL": endpoints.database_url,
            "QUORATE_REDIS_URL": endpoints.redis_url,
            "QUORATE_BROKER_URL": endpoints.broker_url,
            "QUORATE_SERVE_TOKEN": TOKEN,
        }
        hook = partial(
            add_webhook, name="soak", url=hooks.url, secret=new_secret(), events=SUBSCRIBABLE
        )
        cluster.database.run(hook, atomic=True)
        self._start()

    def _start(self) -> None:
        for name in ("orchestrator", "turns", "tools"):
            self.cluster.keep(name)
            self.cluster.keep(f"{name}-{WITNESS}")
        self.ports = [_free_port(), _free_port()]
        for name, port in zip(("serve", f"serve-{WITNESS}"), self.ports, strict=True):
            self._keep(name, "serve", "--port", str(port), "--no-open")
        self._keep("scheduler", "scheduler")
        self.cluster.wait_ready([n for n in self.cluster.keeper.names() if "serve" not in n])
        self.cluster.tell(
            {"*": {"latency": "0.2..0.5"}, "patcher": {"text": critique_with_patch()}}
        )
        self._schedule()

    def _keep(self, name: str, *words: str) -> None:
        cluster = self.cluster
        log = cluster.folder / f"{name}.log"
        cluster.keeper.keep(Kept(name, (str(SCRIPTS / "quorate"), *words), cluster.environ, log))

    def _schedule(self) -> None:
        words = ["schedule", "add", "soak", "--cron", "*/3 * * * *", "--"]
        words += ["review", "--participants", "ruff", "--decide", "skip"]
        order = Order(words, str(self.cluster.subject.repository), self.cluster.environ)
        done = warm_starter().run(order, "", 60)
        assert done.returncode == 0, done.stderr

    # ---- work ------------------------------------------------------------------------------------

    def work(self) -> None:
        """One more review. Every fifth asks, and has a repository of its own to be applied to."""
        asks = len(self.runs) % ASK_EVERY == 0
        with suppress(EnvironmentFault):
            self.runs += self.cluster.submit(
                1,
                subject=make_subject(self.cluster.folder) if asks else self.cluster.subject,
                mode="ask" if asks else "skip",
                rounds=1 if asks else 3,
                models={"ada": "patcher"} if asks else None,
            )

    def answer(self) -> None:
        """Answer whatever is asked: every third has its fix applied."""
        with suppress(EnvironmentFault, DecisionConflict):
            rows = self.cluster.database.run(lambda c: list_decisions(c, only_open=True))
            for row in rows:
                apply = self.done["answers"] % APPLY_EVERY == 0
                given = DecisionAnswer(
                    choice="apply_fix" if apply else "skip", actor="kim", channel="cli"
                )
                write = partial(
                    answer_decision,
                    run=row.run_id,
                    key=row.key,
                    answer=given,
                    shown_sha256=row.shown_sha256,
                )
                self.cluster.database.run(write, atomic=True)
                self.cluster.signals.send(row.run_id)
                self.done["answers"] += 1

    def read(self) -> None:
        """What a dashboard and a client ask, of both web servers; the events of a run for three seconds."""
        run = self.runs[-1] if self.runs else "last"
        for port in self.ports:
            for path in (
                "runs",
                "inbox",
                f"runs/{run}",
                f"runs/{run}/report",
                f"runs/{run}/events",
            ):
                self._get(f"http://127.0.0.1:{port}/api/v1/{path}")
            self._get(f"http://127.0.0.1:{port}/metrics")

    def _get(self, url: str) -> None:
        asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
        try:
            with urllib.request.urlopen(asked, timeout=3) as answer:
                answer.read()
            self.done["requests answered"] += 1
        except urllib.error.HTTPError as refused:
            self.done[f"requests answered {refused.code}"] += 1
            refused.close()
        except OSError:
            self.done["requests without an answer"] += 1

    # ---- faults ----------------------------------------------------------------------------------

    def kill(self) -> None:
        """SIGKILL the next one; each is struck once before any is struck again."""
        faults: dict[str, Callable[[], object]] = {
            "redis": self.cluster.kill_redis,
            "postgres": self.cluster.kill_postgres,
        }
        names = [name for name in self.cluster.keeper.names() if WITNESS not in name]
        faults |= {name: partial(self._kill, name) for name in names}
        if not self._next:
            self._next = self._random.sample(sorted(faults), len(faults))
        target = self._next.pop()
        self.done[f"killed {target}"] += 1
        faults[target]()

    def _kill(self, name: str) -> None:
        process = self.cluster.keeper[name].process
        if process is not None:
            self.cluster.kill_pid(name, process.pid)

    def run(self, for_s: float) -> None:
        """Work, looks and faults for so long, or until SIGTERM."""
        over = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: over.set())
        threads = [
            Repeated(partial(self._steadily, work), every_s)
            for work, every_s in (
                (self.work, REVIEW_S),
                (self.answer, REVIEW_S),
                (self.read, READ_S),
                (self.look, LOOK_S),
            )
        ]
        end = time.monotonic() + for_s
        while not over.wait(max(min(KILL_S, end - time.monotonic()), 0)):
            if time.monotonic() >= end:
                break
            self._steadily(self.kill)
        for thread in threads:
            thread.close()

    def _steadily(self, work: Callable[[], None]) -> None:
        """A bug of this script does not end the soak; it is told."""
        try:
            work()
        except Exception:  # noqa: BLE001  two hours do not end with a bug of this script
            self.done[f"errors of {work.__name__}"] += 1
            traceback.print_exc()

    # ---- looking ---------------------------------------------------------------------------------

    def look(self) -> None:
        """One line of samples.jsonl."""
        with suppress(EnvironmentFault):
            seen = sample(self.cluster, len(self.runs))
            self.samples.append(seen)
            with (self.out / "samples.jsonl").open("a") as file:
                file.write(json.dumps(seen) + "\n")

    def report(self, minutes: float, hooks: WebhookReceiver) -> dict[str, object]:
        """Wait until all has ended, then the figures and what they say."""
        answering = Repeated(self.answer, 3)
        problems, figures = "", {}
        try:
            settled = self.cluster.settle(self.runs, SETTLE_S)
            answering.close()
            figures = examine(self.cluster, self.runs, settle_s=settled).told()
        except AssertionError as violated:
            problems = str(violated)
        crashes = [line for line in self.cluster.keeper.trouble if not line.endswith("-9")]
        found = verdicts(self.samples, _of_runs())
        return {
            "minutes": round(minutes, 1),
            "figures": figures,
            "faults and work": dict(sorted(self.done.items())),
            "webhook messages": len(hooks.received),
            "not flat": [one.what for one in found if not one.flat],
            "ended by themselves": crashes,
            "invariants": problems or "hold",
            "series": told(found),
        }


def _of_runs() -> frozenset[str]:
    tables = {f"{kind}/{table}" for table in OF_RUNS for kind in ("rows", "table kB")}
    return frozenset(tables | {"postgres/database MB", "files kB/state"})


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def measure(minutes: float, out: Path, seed: int) -> dict[str, object]:
    """Soak for so long; the report, which is written to `out` too."""
    out.mkdir(parents=True, exist_ok=True)
    with receiver() as hooks:
        soak = Soak(out, seed, hooks)
        try:
            began = time.monotonic()
            soak.run(minutes * 60)
            found = soak.report((time.monotonic() - began) / 60, hooks)
        finally:
            soak.cluster.close()
    (out / "report.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main() -> int:
    """Soak, print, and end with 1 when something was lost, doubled or not flat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--out", type=Path, default=Path("/tmp/soak"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = measure(given.minutes, given.out, given.seed)
    print(json.dumps({name: value for name, value in found.items() if name != "series"}, indent=1))
    return int(bool(found["not flat"]) or found["invariants"] != "hold")


if __name__ == "__main__":
    raise SystemExit(main())
