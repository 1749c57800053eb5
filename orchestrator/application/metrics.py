"""The metrics of an installation, as Prometheus reads them: gathered from the servers, seldom and in few statements.

Whoever scrapes is given what the last look found while that is fresh. A look that takes long is kept for longer, so
that looking never takes more than a twentieth of the time, however many scrape.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)

from orchestrator.application.brokers import broker_counts
from shared.build import this_build
from shared.errors import EnvironmentFault
from shared.models.metrics import (
    METRICS,
    RUN_SECONDS,
    SUM,
    Metric,
    MetricKind,
    MetricSample,
    Source,
)
from shared.providers.limits import BreakerState, breakers, call_counts, paused
from shared.settings import ServiceSettings
from shared.store.counting import counted
from shared.store.database import Connection, Database
from shared.store.gauges import gauges, spent
from shared.store.migrate import HEAD
from shared.store.views import schema_revision

FRESH_S = 5.0
SHARE = 20
MOST_SERIES = 1000
"""Of one metric; names of participants and accounts are not ours. What is beyond is left out, the last by name."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class _Collection:
    samples: Sequence[MetricSample]
    took_s: float
    ended_at: float


class MetricsCollector:
    """Collects the figures of an installation's servers. Safe to share between threads."""

    def __init__(
        self,
        settings: ServiceSettings,
        database: Database,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds; only differences count."""
        self._settings = settings
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._last: _Collection | None = None

    def exposition(self) -> str:
        """Everything, in Prometheus' text format; what servers that are away know is missing."""
        return exposition(self.samples())

    def samples(self) -> Sequence[MetricSample]:
        """The last samples, or new ones when those are old; one thread collects at a time, and others wait for it."""
        with self._lock:
            last = self._last
            if last is None or self._clock() - last.ended_at > max(FRESH_S, SHARE * last.took_s):
                last = self._last = self._collect()
            return last.samples

    def _collect(self) -> _Collection:
        began = self._clock()
        samples = [*self._of_database(), *self._of_redis(), *self._of_service()]
        took_s = self._clock() - began
        samples.append(MetricSample("quorate_look_seconds", (), took_s))
        return _Collection(samples, took_s, self._clock())

    def _of_database(self) -> Iterator[MetricSample]:
        try:
            revision = self._database.run(schema_revision, patience_s=0.0)
            found = self._database.run(_stored, patience_s=0.0) if revision == HEAD else []
        except EnvironmentFault:
            yield _up("database", answers=False)
            return
        yield _up("database", answers=True)
        yield MetricSample("quorate_schema_current", (), float(revision == HEAD))
        yield from _with_zeros(found, Source.POSTGRES)

    def _of_redis(self) -> Iterator[MetricSample]:
        waiting, refused = broker_counts(self._settings)
        yield _up("broker", answers=waiting is not None)
        yield _up("redis", answers=refused is not None)
        found = _by_queue("quorate_queue_messages", waiting)
        found += _by_queue("quorate_messages_refused_total", refused)
        if waiting is not None:
            yield from _with_zeros(found, Source.REDIS)
        if refused is not None:
            try:
                yield from _of_accounts(self._settings.endpoints.redis_url)
            except EnvironmentFault:
                return  # it went away in between, and the next look says so

    def _of_service(self) -> Iterator[MetricSample]:
        limit = self._settings.max_usd_per_day
        if limit is not None:
            yield MetricSample("quorate_day_limit_usd", (), limit)
        yield MetricSample("quorate_build_info", (this_build().release,), 1.0)


def _stored(connection: Connection) -> list[MetricSample]:
    return [*counted(connection), *gauges(connection), *spent(connection)]


def _up(server: str, *, answers: bool) -> MetricSample:
    return MetricSample("quorate_server_up", (server,), float(answers))


def _by_queue(name: str, counts: dict[str, int] | None) -> list[MetricSample]:
    return [MetricSample(name, (queue,), count) for queue, count in (counts or {}).items()]


def _of_accounts(redis_url: str) -> Iterator[MetricSample]:
    for breaker in breakers(redis_url):
        account = breaker.account
        yield MetricSample("quorate_account_calls_in_flight", (account,), breaker.in_flight)
        yield MetricSample("quorate_account_cooldown_seconds", (account,), breaker.cooldown_s)
        for state in BreakerState:
            yield MetricSample(
                "quorate_account_breaker", (account, state), float(state is breaker.state)
            )
    for (account, outcome), calls in call_counts(redis_url).items():
        yield MetricSample("quorate_provider_calls_total", (account, outcome), calls)
    for pause in paused(redis_url):
        yield MetricSample("quorate_paused", (pause.name,), 1.0)


def _with_zeros(found: Sequence[MetricSample], source: Source) -> Iterator[MetricSample]:
    there = {(sample.name, sample.labels) for sample in found}
    yield from found
    for metric in METRICS:
        if metric.source is source:
            missing = (labels for labels in metric.always if (metric.name, labels) not in there)
            yield from (MetricSample(metric.name, labels, 0.0) for labels in missing)


def exposition(samples: Iterable[MetricSample]) -> str:
    """Samples in Prometheus' text format, in the order of the table. Those of no declared metric are left out."""
    by_name: dict[str, list[MetricSample]] = defaultdict(list)
    for sample in samples:
        by_name[sample.name].append(sample)
    families = (_family(metric, by_name[metric.name]) for metric in METRICS if by_name[metric.name])
    return generate_latest(_Collected(list(families))).decode()


@dataclass(frozen=True)
class _Collected:
    """What prometheus-client calls a registry."""

    families: list[Any]

    def collect(self) -> list[Any]:
        """The families, in their order."""
        return self.families


def _family(metric: Metric, samples: Sequence[MetricSample]) -> Any:
    if metric.kind is MetricKind.HISTOGRAM:
        histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, buckets, total in _histograms(samples):
            histogram.add_metric(labels, buckets, total)
        return histogram
    family = CounterMetricFamily if metric.kind is MetricKind.COUNTER else GaugeMetricFamily
    plain = family(metric.name, metric.help, labels=metric.labels)
    for sample in sorted(samples, key=lambda sample: sample.labels)[:MOST_SERIES]:
        plain.add_metric(sample.labels, sample.value)
    return plain


def _histograms(
    samples: Sequence[MetricSample],
) -> Iterator[tuple[tuple[str, ...], list[tuple[str, float]], float]]:
    """Of each combination of labels: how many are up to each bound, and the sum."""
    of: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for sample in samples:
        of[sample.labels[:-1]][sample.labels[-1]] = sample.value
    for labels, values in sorted(of.items())[:MOST_SERIES]:
        so_far = 0.0
        buckets = []
        for bound in chain((f"{seconds:g}" for seconds in RUN_SECONDS), ["+Inf"]):
            so_far += values.get(bound, 0.0)
            buckets.append((bound, so_far))
        yield labels, buckets, values.get(SUM, 0.0)
