"""How large an installation has to be, from what was measured: docs/sizing.md.

    python -m benchmarks.sizing [--measure]

`--measure` measures what a review stores and what processes weigh (two minutes) and keeps it in
docs/design/figures/sizing.json; without it the page is written again from that and from what `make bench` kept.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures import FIGURES
from benchmarks.rows import Bench, Stopwatch
from orchestrator.application.backend import Backend
from orchestrator.application.metrics import FRESH_S, MetricsCollector
from orchestrator.cli.commands.serve import CONNECTIONS as SERVE_CONNECTIONS
from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.scripts import script
from orchestrator.embedded.throwaway import clone_database, throwaway
from orchestrator.engine.service import POOLS
from shared.settings import DEFAULT_TURN_SLOTS, ServiceSettings
from shared.store.counting import count
from shared.store.database import Database
from shared.store.migrate import upgrade
from shared.store.processes import list_processes
from workers.app import KINDS

ROOT = Path(__file__).resolve().parent.parent
KEPT = FIGURES.with_name("sizing.json")
PAGE = ROOT / "docs/sizing.md"
BEGIN, END = "<!-- figures of benchmarks/sizing.py -->\n", "<!-- end of figures -->\n"
REVIEWS = 200
TURNS_A_REVIEW = 9
BUSY = 0.5
"""Of a processor: what is planned for, so that a burst finds room."""
DAY_S = 86_400
SERVICES = (("quorate", "orchestrator"), ("quorate-worker", "turns"), ("quorate-worker", "tools"))
Kept = Mapping[str, Any]


# ---- measuring -----------------------------------------------------------------------------------


def measure() -> dict[str, Any]:
    """What reviews leave in the database, what a look at the metrics takes, what idle processes weigh."""
    with (
        tempfile.TemporaryDirectory(prefix="qu-", dir="/tmp") as name,
        throwaway(Path(name)) as servers,
    ):
        url = clone_database(servers, "template0", "sizing")
        urls = {"QUORATE_DATABASE_URL": url, "QUORATE_REDIS_URL": servers.redis_url}
        environ = {**os.environ, **urls, "HOME": name, "XDG_STATE_HOME": f"{name}/state"}
        settings = ServiceSettings.from_environment(environ)
        backend = Backend(settings, Database(url, pool_size=4, patience_s=10))
        upgrade(backend.database)
        found = {
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            **_stored(Bench(backend, environ)),
            "look_ms": _look_ms(settings, backend.database),
            "memory_mb": _weights(environ, backend.database),
        }
        backend.close()
        return found


def _stored(bench: Bench) -> dict[str, float]:
    size = "SELECT pg_database_size(current_database())"
    bench.review(Stopwatch())
    before = bench.value(size)
    for _ in range(REVIEWS):
        bench.review(Stopwatch())
    return {"reviews": REVIEWS, "kb_a_review": round((bench.value(size) - before) / REVIEWS / 1e3)}


def _look_ms(settings: ServiceSettings, database: Database) -> float:
    """Of a look that is not the first: that one loads Celery."""
    database.run(count, atomic=True)
    looks = [MetricsCollector(settings, database).samples() for _ in range(6)]
    took = [s.value for look in looks[1:] for s in look if s.name == "quorate_look_seconds"]
    return round(1e3 * statistics.median(took), 1)


def _weights(environ: Mapping[str, str], database: Database) -> dict[str, float]:
    started = [subprocess.Popen([script(name), *words], env=environ) for name, *words in SERVICES]
    try:
        assert wait_until(lambda: len(database.run(list_processes)) >= len(SERVICES), 120)
        return {
            words[0]: round(sum(_resident_mb(process.pid)))
            for (_, *words), process in zip(SERVICES, started, strict=True)
        }
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def _resident_mb(pid: int) -> Iterator[float]:
    """Of a process and its children: memory that is theirs alone, and a share of what they have in common."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    yield int(rollup.split("Pss:")[1].split()[0]) / 1e3
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _resident_mb(int(child))


# ---- computing -----------------------------------------------------------------------------------


def rows(bench: Kept, sizing: Kept) -> Iterator[tuple[str, str]]:
    """What is asked, and the answer."""
    costs = bench["burst"]["rows"]["Quorate, review"]
    ours, postgres = costs["w_o_us"]["median"], costs["postgres_us"]["median"]
    paced = bench["trickle"]["rows"]["Quorate, review"]["w_o_us"]["median"]
    a_day = BUSY * DAY_S * 1e6 / (TURNS_A_REVIEW * (ours + postgres))
    yield (
        "reviews a day and processor (workers, orchestrator and Postgres together, half busy)",
        f"{a_day:,.0f} at once, {BUSY * DAY_S * 1e6 / (TURNS_A_REVIEW * (paced + postgres)):,.0f} evenly spread",
    )
    yield (
        "processor time of a turn: ours, Postgres",
        f"{ours / 1e3:.2g} ms, {postgres / 1e3:.2g} ms",
    )
    waiting = bench["waiting"]["rows"]
    few, many = (waiting[name]["memory_mb"]["median"] for name in ("1,000 turns", "3,000 turns"))
    kb = (many - few) / 2
    idle = waiting["1,000 turns"]["idle_mb"]["median"]
    yield "memory of a turn in flight", f"{kb:.0f} kB"
    yield (
        f"memory of a worker with all of its {DEFAULT_TURN_SLOTS:,} slots taken",
        f"{idle + DEFAULT_TURN_SLOTS * kb / 1e3:.0f} MB ({idle:.0f} MB idle)",
    )
    weights = sizing["memory_mb"]
    shown = ", ".join(f"{name} {megabytes} MB" for name, megabytes in weights.items())
    yield "memory of idle processes, with their children", shown
    yield "database, a review of nine turns", f"{sizing['kb_a_review']} kB"
    yield "database, a million reviews", f"{sizing['kb_a_review']} GB"
    yield (
        "a look at the metrics, whoever scrapes",
        f"{sizing['look_ms']} ms every {FRESH_S:g} s at most",
    )


def connections() -> Iterator[tuple[str, int]]:
    """At most so many connections to Postgres that each process opens."""
    yield "`quorate orchestrator`", sum(POOLS.values())
    yield "`quorate-worker turns`", KINDS["turns"].connections + 1
    yield "`quorate-worker tools`, for each process of its pool", KINDS["tools"].connections + 1
    yield "`quorate serve`", SERVE_CONNECTIONS


def rendered(bench: Kept, sizing: Kept) -> str:
    """The tables of the page."""
    lines = [
        "| | |",
        "| --- | --- |",
        *(f"| {what} | {answer} |" for what, answer in rows(bench, sizing)),
    ]
    lines += ["", "| process | connections to Postgres, at most |", "| --- | --- |"]
    lines += [f"| {process} | {number} |" for process, number in connections()]
    lines += [
        "",
        f"Measured on {sizing['machine']}; figures of `make bench` on {bench['burst']['machine']}.",
    ]
    return "\n".join(lines) + "\n"


def with_figures(page: str, bench: Kept, sizing: Kept) -> str:
    """The page with these figures."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + rendered(bench, sizing) + END + rest.partition(END)[2]


def read(path: Path) -> Kept:
    """Figures that were kept."""
    found: Kept = json.loads(path.read_text("utf-8"))
    return found


def main() -> None:
    """Write the page, after measuring if that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true")
    if parser.parse_args().measure:
        KEPT.write_text(json.dumps(measure(), indent=1) + "\n")
    page = PAGE.read_text("utf-8")
    PAGE.write_text(with_figures(page, read(FIGURES), read(KEPT)), "utf-8")


if __name__ == "__main__":
    main()
