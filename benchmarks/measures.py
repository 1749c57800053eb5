"""The measures: each is a function from the sizes to a table, its rows by name, their figures by name."""

from __future__ import annotations

import math
import os
import signal
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.cluster import Cluster, Servers, cluster, review_spec, servers
from benchmarks.contestants import OURS, Contestant, GaveUp, contestants, quorate
from benchmarks.measuring import Spent, resident_mb
from benchmarks.peers.load import TURNS_A_RUN, Load
from benchmarks.trivial import WITH_TRIVIAL, trivial_spec
from orchestrator.engine.advance import Engine
from shared.models.outcomes import RunStatus
from shared.models.steps import StepResult
from shared.store.views import find_run
from tests.support.driving import Asked, do, keys
from tests.support.review_replies import reply

Figure = dict[str, float]
Rows = dict[str, dict[str, Figure | str]]


RUNS_ALONE_PER_S = 0.9
PATIENCE_S = 240.0
OPEN_RUNS = "SELECT count(*) FROM runs WHERE status <> 'completed'"


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    repeats: int = 5
    warm_up_runs: int = 20
    burst_runs: int = 150
    trickle_s: float = 12.0
    offered_turns_per_s: float = 80.0
    latency_s: float = 0.2
    rounds_alone: int = 12
    idle_s: float = 20.0
    steps: tuple[int, ...] = (6, 51, 501, 5001)
    waiting: tuple[int, ...] = (1000, 3000)
    waiting_s: float = 20.0
    queued: int = 2000
    queued_latency_s: float = 0.5
    offline: bool = False


def spread(values: Sequence[float], digits: int = 1) -> Figure:
    """Median, lowest and highest of repeated measurements."""
    shown = (statistics.median(values), min(values), max(values))
    median, low, high = (round(value, digits) for value in shown)
    return {"median": median, "low": low, "high": high}


def tail(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return sorted(values)[int(len(values) * 0.99)]


def burst(sizes: Sizes) -> Rows:
    """All runs at once, turns without latency: what a turn costs, how many there are a second."""
    load = Load(sizes.burst_runs)
    return _side_by_side(sizes, sizes.repeats, lambda _: load)


def trickle(sizes: Sizes) -> Rows:
    """80 turns/s offered, 0.2 s each: what a turn costs, what a round takes beyond its slowest turn."""

    def load(contestant: Contestant) -> Load:
        runs_per_s = sizes.offered_turns_per_s / contestant.turns_a_run
        return Load(round(runs_per_s * sizes.trickle_s), runs_per_s, sizes.latency_s)

    return _side_by_side(sizes, max(1, sizes.repeats // 2), load)


def alone(sizes: Sizes) -> Rows:
    """One run after the other: what a round takes beyond its slowest turn when nothing else is there."""
    load = Load(sizes.rounds_alone, RUNS_ALONE_PER_S, sizes.latency_s)
    return _side_by_side(sizes, 1, lambda _: load)


def _side_by_side(sizes: Sizes, repeats: int, load: Callable[[Contestant], Load]) -> Rows:
    """Every contestant in turn, again and again, on the same servers; the first time only warms it up."""
    with cluster(slots=1000) as bench, contestants(bench, offline=sizes.offline) as everybody:
        absent = {name: reason for name, reason in everybody.items() if isinstance(reason, str)}
        playing = {n: c for n, c in everybody.items() if isinstance(c, Contestant)}
        series = {name: defaultdict[str, list[float]](list) for name in playing}
        for number in range(repeats + 1):
            for name, contestant in tuple(playing.items()):
                figures = series[name] if number else defaultdict(list)
                try:
                    _play(
                        contestant,
                        load(contestant) if number else Load(sizes.warm_up_runs),
                        figures,
                    )
                except GaveUp as reason:
                    absent[name] = str(reason)
                    del playing[name]
    return {
        name: {"absent": absent[name]} if name in absent else _spreads(series[name])
        for name in everybody
    }


def _spreads(series: Mapping[str, Sequence[float]]) -> dict[str, Figure | str]:
    return {figure: spread(values) for figure, values in series.items()}


def _play(contestant: Contestant, load: Load, figures: dict[str, list[float]]) -> None:
    played, spent = contestant.measured(load)
    turns = load.runs * contestant.turns_a_run
    for name, value in costs(spent, turns).items():
        figures[name].append(value)
    if load.runs_per_s:
        overheads = [overhead * 1e3 for overhead in played.overheads_s]
        figures["round_ms"].append(statistics.median(overheads))
        figures["round_p99_ms"].append(tail(overheads))
    else:
        figures["turns_per_s"].append(turns / played.seconds)


def costs(spent: Spent, turns: int) -> dict[str, float]:
    """Processor microseconds a turn: workers and orchestrator together, then by component."""
    by_component = {f"{name}_us": s / turns * 1e6 for name, s in spent.seconds.items()}
    ours = sum(by_component.get(f"{name}_us", 0.0) for name in OURS)
    return {"w_o_us": ours, **by_component}


CONSUMERS = {
    "lean": {},
    "Celery's": {"QUORATE_CONSUMER": "celery"},
    "Celery's, late acknowledgements": {"QUORATE_ACKS": "late"},
}


def consumers(sizes: Sizes) -> Rows:
    """A burst of the trivial workflow with each way to take messages from Redis."""
    rows: Rows = {}
    for name, variables in CONSUMERS.items():
        with cluster(slots=1000, **variables) as bench:
            contestant = quorate(bench, trivial_spec, TURNS_A_RUN)
            contestant.play(Load(sizes.warm_up_runs))
            figures: dict[str, list[float]] = defaultdict(list)
            for _ in range(sizes.repeats):
                _play(contestant, Load(sizes.burst_runs), figures)
        rows[name] = _spreads(figures)
    return rows


def idle(sizes: Sizes) -> Rows:
    """What the processes cost while nothing happens: milliseconds of processor a second."""
    with cluster(slots=1000) as bench:
        quorate(bench, trivial_spec, TURNS_A_RUN).play(Load(sizes.warm_up_runs))
        time.sleep(min(3.0, sizes.idle_s))
        before = bench.spent()
        time.sleep(sizes.idle_s)
        spent = bench.spent().since(before)
    return {
        name: {"ms_per_s": spread([seconds / sizes.idle_s * 1e3])}
        for name, seconds in spent.seconds.items()
    }


LAST_ROUNDS = 20
FEW, MANY = 5, 50


def advance(sizes: Sizes) -> Rows:
    """An advance at the end of a run with so many steps: milliseconds of processor, no broker, no worker."""
    with servers() as own:
        return {
            f"{steps:,} steps": {"advance_ms": spread(_advances(own, steps), digits=2)}
            for steps in sizes.steps
        }


def _advances(own: Servers, steps: int) -> list[float]:
    """The last advances of runs with that many steps: rounds of 5 turns each, and 50 a round before those."""
    early, late = divmod(max(0, steps - FEW * LAST_ROUNDS), MANY)
    sizes = [MANY] * early + [FEW] * (min(LAST_ROUNDS, steps // FEW) + late // FEW)
    spec, documents = trivial_spec(rounds=sizes)
    taken: list[float] = []
    for _ in range(max(1, 60 // len(sizes))):
        engine = Engine(own.database, WITH_TRIVIAL)
        run = engine.submit(spec, "benchmark", documents)
        times = []
        while True:
            before = time.process_time()
            scheduled = engine.advance(run)
            times.append((time.process_time() - before) * 1e3)
            if not (names := keys(scheduled)):
                break
            for name in names:
                do(own.database, run, name, _approve)
        taken += times[:-1][-LAST_ROUNDS:]
    return taken


def _approve(asked: Asked) -> StepResult:
    return reply(asked.reply_model, verdict="APPROVED", summary="Fine as it is.")


def waiting(sizes: Sizes) -> Rows:
    """So many turns at once in one worker process: how many are in flight, its memory, messages a step."""
    rows: Rows = {}
    for turns in sizes.waiting:
        with cluster(slots=turns) as bench:
            rows[f"{turns:,} turns"] = _waiting(bench, turns, sizes.waiting_s)
    return rows


def _waiting(bench: Cluster, turns: int, latency_s: float) -> dict[str, Figure | str]:
    spec, documents = trivial_spec(latency_s, synthesis_s=0.0, rounds=(10,))
    idle_mb = resident_mb(bench.roots["workers"])
    with _watched(bench) as peak:
        started = time.monotonic()
        runs = [bench.submit(spec, documents) for _ in range(turns // 10)]
        bench.wait(runs)
        seconds = time.monotonic() - started
    published = bench.number("SELECT avg(dispatches) FROM steps WHERE role = 'critique'")
    figures = {
        "in_flight": peak["in_flight"],
        "memory_mb": peak["memory_mb"],
        "idle_mb": idle_mb,
        "messages_a_step": published,
        "seconds_beyond_latency": seconds - latency_s,
    }
    return {name: spread([value], digits=2) for name, value in figures.items()}


@contextmanager
def _watched(bench: Cluster) -> Iterator[dict[str, float]]:
    """The most turns in flight and the most memory of the worker, meanwhile."""
    peak = {"in_flight": 0.0, "memory_mb": 0.0}
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            leased = bench.number("SELECT count(*) FROM steps WHERE status = 'leased'")
            peak["in_flight"] = max(peak["in_flight"], leased)
            peak["memory_mb"] = max(peak["memory_mb"], resident_mb(bench.roots["workers"]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def interactive(sizes: Sizes) -> Rows:
    """A review that somebody waits for: alone, and behind those left of 2,000 that nobody waits for."""
    spec, documents = review_spec(critics=3, rounds=3, latency_s=sizes.queued_latency_s)
    awaited = spec.model_copy(update={"watched": True})

    def taken(bench: Cluster) -> float:
        started = time.monotonic()
        run = bench.submit(awaited, documents)
        while time.monotonic() - started < PATIENCE_S:
            if _status(bench, run) is RunStatus.COMPLETED:
                return time.monotonic() - started
            time.sleep(0.02)
        return math.inf

    with cluster(slots=1000) as bench:
        by_itself = [taken(bench) for _ in range(3)]
        with _stopped(bench.roots["orchestrator"]):  # however fast this machine submits
            for _ in range(sizes.queued):
                bench.submit(spec, documents)
        time.sleep(1)
        queued = bench.number(OPEN_RUNS)
        behind = taken(bench)
        left = bench.number(OPEN_RUNS)
    rows: Rows = {"alone": {"seconds": spread(by_itself, digits=2)}}
    rows[f"behind {queued:,.0f}"] = {
        "seconds": f"over {PATIENCE_S:.0f}" if math.isinf(behind) else spread([behind], digits=2),
        "runs_left": spread([left]),
    }
    return rows


@contextmanager
def _stopped(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def _status(bench: Cluster, run: str) -> RunStatus:
    with bench.database.connection() as connection:
        return find_run(connection, run).status


MEASURES: dict[str, Callable[[Sizes], Rows]] = {
    measure.__name__: measure
    for measure in (burst, trickle, alone, consumers, idle, advance, waiting, interactive)
}
