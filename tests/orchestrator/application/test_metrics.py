"""What Prometheus is given: every declared metric in its form, read seldom, and the truth about servers."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count as numbers

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families

from orchestrator.application.metrics import MOST_SERIES, MetricsCollector, exposition
from shared.instance import Endpoints
from shared.models.metrics import (
    METRIC_BY_NAME,
    METRICS,
    Metric,
    MetricKind,
    MetricSample,
    Source,
    exposed_names,
)
from shared.providers.limits import account_key, call_counts, pause
from shared.providers.options import AccountLimits
from shared.settings import ServiceSettings
from shared.store.counting import count
from shared.store.database import Database
from shared.store.ends import finish
from tests.support.runs import alive, new_run, take
from workers.limits.shared_state import SharedState
from workers.limits.state import AdmissionRequest, CallEnd, Effect

Series = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(text: str) -> Series:
    """What a scraper understands."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def series(name: str, /, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


# ---- the table -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_named_as_prometheus_asks(metric: Metric) -> None:
    name, kind = metric.name, metric.kind
    assert re.fullmatch(r"quorate_[a-z]+(_[a-z]+)*", name)
    assert name.endswith("_total") == (kind is MetricKind.COUNTER)
    assert not re.search(r"_(ms|minutes|hours|milliseconds|count|sum|bucket)(_|$)", name)
    assert metric.help.endswith(".")
    assert all(len(values) == len(metric.labels) for values in metric.always)


def test_a_metric_is_declared_once() -> None:
    assert len(METRIC_BY_NAME) == len(METRICS)


def test_every_kind_is_written_as_a_scraper_reads_it() -> None:
    text = exposition(
        [
            MetricSample("quorate_turns_total", ('a "b"\n', "p\\", "done"), 3),
            MetricSample("quorate_runs", ("running",), 2),
            MetricSample("quorate_run_seconds", ("review", "60"), 2),
            MetricSample("quorate_run_seconds", ("review", "+Inf"), 1),
            MetricSample("quorate_run_seconds", ("review", "sum"), 90_100.5),
            MetricSample("no_such_metric", (), 1),
        ]
    )

    found = read(text)

    spoke = {"participant": 'a "b"\n', "provider": "p\\", "outcome": "done"}
    assert found[series("quorate_turns_total", **spoke)] == 3
    assert found[series("quorate_runs", status="running")] == 2
    buckets = {
        dict(labels)["le"]: value
        for (name, labels), value in found.items()
        if name == "quorate_run_seconds_bucket"
    }
    assert (buckets["15"], buckets["60"], buckets["3600"], buckets["+Inf"]) == (0, 2, 2, 3)
    assert found[series("quorate_run_seconds_count", workflow="review")] == 3
    assert found[series("quorate_run_seconds_sum", workflow="review")] == 90_100.5
    assert {name for name, _ in found} <= exposed_names()


def test_names_that_others_give_cannot_fill_a_scrape() -> None:
    samples = [MetricSample("quorate_paused", (f"{n:05}",), 1) for n in range(MOST_SERIES + 9)]

    assert len(read(exposition(samples))) == MOST_SERIES


# ---- looking -------------------------------------------------------------------------------------


@pytest.fixture
def settings(servers: Endpoints, database_url: str, broker_url: str) -> ServiceSettings:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return ServiceSettings.from_environment({"HOME": "/nonexistent", **urls})


@pytest.fixture
def account(servers: Endpoints, broker_url: str) -> Iterator[str]:
    """An account with a call that succeeded, and one that was too fast."""
    state = SharedState(servers.redis_url)
    for number, (effect, why) in enumerate(
        [(Effect.SUCCESS, ""), (Effect.LIMITED, "rate_limited")]
    ):
        asked = AdmissionRequest(f"permit{number}", "anthropic#k", AccountLimits(), 10)
        admitted = state.ask(asked)
        state.settle(CallEnd(asked, admitted.bucket, effect, why=why))
    yield "anthropic#k"
    state.close()


@pytest.mark.component
def test_everything_that_is_declared_is_there_when_there_is_something_to_tell(
    settings: ServiceSettings, database: Database, account: str
) -> None:
    held = take(database, new_run(database, "a"), "a")
    database.run(lambda c: finish(c, held, reply="{}", failure=None))
    database.run(count, atomic=True)
    alive(database, "w", slots=4)
    pause(settings.endpoints.redis_url, "gemini")
    collector = MetricsCollector(replace(settings, max_usd_per_day=50.0), database)

    found = read(collector.exposition())

    assert found[series("quorate_server_up", server="database")] == 1
    assert found[series("quorate_schema_current")] == 1
    assert found[series("quorate_slots", kind="turns")] == 4
    assert found[series("quorate_steps_open", queue="quorate.tools", state="ready")] == 0
    assert found[series("quorate_queue_messages", queue="quorate.turns")] == 0
    assert found[series("quorate_turns_total", participant="a", provider="", outcome="done")] == 1
    assert found[series("quorate_paused", name="gemini")] == 1
    assert found[series("quorate_account_breaker", account=account, state="closed")] == 1
    assert found[series("quorate_provider_calls_total", account=account, outcome="success")] == 1
    limited = series("quorate_provider_calls_total", account=account, outcome="rate_limited")
    assert found[limited] == 1
    always = {metric.name for metric in METRICS if metric.always or metric.source is Source.SERVICE}
    assert always <= {name for name, _ in found}


@pytest.mark.component
def test_what_is_asked_again_soon_is_not_looked_up_again(
    settings: ServiceSettings, database: Database
) -> None:
    ticks = numbers()
    clock = partial(next, ticks)
    collector = MetricsCollector(settings, database, clock=lambda: float(clock()))

    first = collector.samples()  # a look "takes" a second, and is kept for twenty

    assert all(collector.samples() is first for _ in range(18))
    assert [collector.samples() is first for _ in range(4)][-1] is False


@pytest.mark.component
def test_many_who_ask_at_once_are_one_look(settings: ServiceSettings, database: Database) -> None:
    collector = MetricsCollector(settings, database, clock=lambda: 0.0)
    found = []
    threads = [threading.Thread(target=lambda: found.append(collector.samples())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len({id(samples) for samples in found}) == 1


def test_servers_that_are_away_are_said_to_be_and_nothing_is_made_up() -> None:
    urls = {
        "QUORATE_REDIS_URL": "redis://127.0.0.1:1/0",
        "QUORATE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    }
    settings = ServiceSettings.from_environment({"HOME": "/nonexistent", **urls})
    database = Database(settings.endpoints.database_url, pool_size=1)

    found = read(MetricsCollector(settings, database).exposition())

    for server in ("database", "broker", "redis"):
        assert found[series("quorate_server_up", server=server)] == 0
    assert not {name for name, _ in found} & {"quorate_runs", "quorate_queue_messages"}


@pytest.mark.component
def test_what_an_account_counted_is_a_number_whatever_others_wrote(
    settings: ServiceSettings, account: str
) -> None:
    with redis.Redis.from_url(settings.endpoints.redis_url) as client:
        client.hset(f"{account_key(account)}:calls", "timeout", "many")

    assert call_counts(settings.endpoints.redis_url)[account, "timeout"] == 0
