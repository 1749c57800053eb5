"""The metrics that operators see, each declared once: the exposition, the reference, dashboard and alerts follow.

Counters and histograms only grow: they are kept in Postgres and outlive every process and every purged run
(shared/store/counting.py), those of `Source.REDIS` until Redis loses them. Gauges are what is the case now.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from shared.models.outcomes import RunStatus


class MetricKind(StrEnum):
    """As Prometheus names them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Source(StrEnum):
    """Where a metric's samples come from."""

    POSTGRES = "Postgres"
    REDIS = "Redis"
    SERVICE = "the service that answers"


@dataclass(frozen=True)
class Metric:
    """A metric: its name with its unit, what it counts, and its labels in their order.

    `always`: label values whose samples are there also when they are 0, so that an alert need not ask for absence.
    """

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    source: Source = Source.POSTGRES
    always: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class MetricSample:
    """One value. Of a histogram: how many are in the bucket that the last label, `le`, names, or their `sum`."""

    name: str
    labels: tuple[str, ...]
    value: float


RUN_SECONDS = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0)
"""The buckets of how long runs take."""
SUM = "sum"
"""Stands in place of a bucket for the sum of all that was observed."""

_COUNTER, _GAUGE, _HISTOGRAM = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM
_REDIS, _SERVICE = Source.REDIS, Source.SERVICE
_QUEUES = ("quorate.turns", "quorate.tools", "quorate.apply", "quorate.orchestrator")
_KINDS = ("orchestrator", "turns", "tools")


def _each(*names: str) -> tuple[tuple[str, ...], ...]:
    return tuple((name,) for name in names)


METRICS: tuple[Metric, ...] = (
    # runs
    Metric(
        "quorate_runs_submitted_total",
        _COUNTER,
        "Runs submitted, without child runs.",
        ("workflow",),
    ),
    Metric(
        "quorate_runs_ended_total",
        _COUNTER,
        "Runs that ended, without child runs, by how.",
        ("workflow", "status", "verdict"),
    ),
    Metric(
        "quorate_discussions_ended_total",
        _COUNTER,
        "Discussions that ended, by how: converged, stalled, looping, ...",
        ("workflow", "ending"),
    ),
    Metric(
        "quorate_run_seconds",
        _HISTOGRAM,
        "How long runs took from submission to end, without the time in which a person was asked.",
        ("workflow",),
    ),
    Metric(
        "quorate_runs",
        _GAUGE,
        "Runs that have not ended, by status.",
        ("status",),
        always=_each(RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.BLOCKED),
    ),
    # steps
    Metric(
        "quorate_turns_total",
        _COUNTER,
        "Turns that ended: done, cancelled, or the kind of their failure.",
        ("participant", "provider", "outcome"),
    ),
    Metric(
        "quorate_turn_wait_seconds_total",
        _COUNTER,
        "What turns waited for until they ended: a worker (queue), limits, pauses and retries from the first time that "
        "they were given back (limit), the answer (model), a person whose turn it was (human).",
        ("provider", "cause"),
    ),
    Metric(
        "quorate_tool_runs_total",
        _COUNTER,
        "Runs of tools that ended, as turns do.",
        ("participant", "outcome"),
    ),
    Metric(
        "quorate_steps_open",
        _GAUGE,
        "Steps under way: held by a worker (in_flight), due and not taken (ready), put off (delayed).",
        ("queue", "state"),
        always=tuple(
            (queue, state) for queue in _QUEUES[:3] for state in ("in_flight", "ready", "delayed")
        ),
    ),
    Metric(
        "quorate_step_oldest_ready_seconds",
        _GAUGE,
        "For how long the oldest step that is due has not been taken by a worker.",
        ("queue",),
        always=_each(*_QUEUES[:3]),
    ),
    # money
    Metric(
        "quorate_calls_total",
        _COUNTER,
        "Answers that were paid or counted, those that could not be used among them.",
        ("participant", "provider"),
    ),
    Metric(
        "quorate_tokens_total",
        _COUNTER,
        "Tokens of answered calls: input, cached (a part of input), output.",
        ("participant", "provider", "kind"),
    ),
    Metric(
        "quorate_cost_usd_total",
        _COUNTER,
        "Cost of answered calls, as far as known.",
        ("participant", "provider"),
    ),
    Metric(
        "quorate_calls_unpriced_total",
        _COUNTER,
        "Answered calls whose cost is not known and not in the sum.",
        ("participant", "provider"),
    ),
    Metric(
        "quorate_spent_today_usd",
        _GAUGE,
        "What all runs have cost since midnight, UTC; unknown prices as reserved.",
    ),
    Metric(
        "quorate_day_limit_usd",
        _GAUGE,
        "QUORATE_MAX_USD_PER_DAY of the service that answers; absent without a limit.",
        source=_SERVICE,
    ),
    # people
    Metric(
        "quorate_decisions_ended_total",
        _COUNTER,
        "Decisions that were answered, expired or cancelled.",
        ("workflow", "kind", "state", "channel"),
    ),
    Metric(
        "quorate_decision_wait_seconds_total",
        _COUNTER,
        "How long those decisions had waited for a person.",
        ("workflow",),
    ),
    Metric(
        "quorate_decisions_open", _GAUGE, "Decisions that wait for a person.", ("workflow", "kind")
    ),
    Metric(
        "quorate_decision_oldest_open_seconds",
        _GAUGE,
        "Age of the oldest open decision; 0 without one.",
    ),
    Metric(
        "quorate_decisions_unused",
        _GAUGE,
        "Answered decisions that no orchestrator has used for ten seconds.",
    ),
    # batches and webhooks
    Metric(
        "quorate_batches",
        _GAUGE,
        "Batches that have not ended: filling, open, paused, exhausted (their budget is used up).",
        ("state",),
        always=_each("filling", "open", "paused", "exhausted"),
    ),
    Metric(
        "quorate_provider_batches_open",
        _GAUGE,
        "Batches of calls that a provider's batch API has not answered.",
    ),
    Metric(
        "quorate_webhook_deliveries_pending",
        _GAUGE,
        "Messages that wait to be delivered to a webhook.",
    ),
    # processes
    Metric(
        "quorate_processes",
        _GAUGE,
        "Processes by what their heartbeat says: living, or silent for so long that their steps are taken over.",
        ("kind", "state"),
        always=tuple((kind, state) for kind in _KINDS for state in ("living", "silent")),
    ),
    Metric(
        "quorate_slots",
        _GAUGE,
        "How many steps the living processes can work on at once.",
        ("kind",),
        always=_each("turns", "tools"),
    ),
    Metric(
        "quorate_counted_until_timestamp_seconds",
        _GAUGE,
        "Counters of Postgres hold everything until then. Orchestrators count every ten seconds: it stands still when "
        "no sweeper works, or while a transaction stays open.",
    ),
    # the broker
    Metric(
        "quorate_queue_messages",
        _GAUGE,
        "Messages that wait in the broker.",
        ("queue",),
        _REDIS,
        _each(*_QUEUES),
    ),
    Metric(
        "quorate_messages_refused_total",
        _COUNTER,
        "Messages that were not Quorate's and were thrown away.",
        ("queue",),
        _REDIS,
    ),
    # providers
    Metric(
        "quorate_provider_calls_total",
        _COUNTER,
        "Calls that ended, by provider account: success, or the kind of the failure, repeated calls among them.",
        ("account", "outcome"),
        _REDIS,
    ),
    Metric(
        "quorate_account_calls_in_flight",
        _GAUGE,
        "Calls under way by account.",
        ("account",),
        _REDIS,
    ),
    Metric(
        "quorate_account_cooldown_seconds",
        _GAUGE,
        "For how long an account is not called, because its provider asked for a pause.",
        ("account",),
        _REDIS,
    ),
    Metric(
        "quorate_account_breaker",
        _GAUGE,
        "1 for the state that an account's breaker is in: closed, open, half-open.",
        ("account", "state"),
        _REDIS,
    ),
    Metric(
        "quorate_paused",
        _GAUGE,
        "1 for whatever an operator paused: participant, provider, account.",
        ("name",),
        _REDIS,
    ),
    # what answers
    Metric(
        "quorate_server_up",
        _GAUGE,
        "1 for a server that answers the service, 0 for one that does not.",
        ("server",),
        _SERVICE,
    ),
    Metric(
        "quorate_schema_current",
        _GAUGE,
        "1 when the database has the schema of this version.",
        source=_SERVICE,
    ),
    Metric(
        "quorate_look_seconds",
        _GAUGE,
        "How long the last collection of these figures took.",
        source=_SERVICE,
    ),
    Metric(
        "quorate_build_info", _GAUGE, "1, with the version of the service.", ("version",), _SERVICE
    ),
)

METRIC_BY_NAME = {metric.name: metric for metric in METRICS}


def exposed_names() -> frozenset[str]:
    """The names that series have: of a histogram three."""
    suffixes = ("_bucket", "_count", "_sum")
    return frozenset(
        chain.from_iterable(
            [metric.name + suffix for suffix in suffixes]
            if metric.kind is MetricKind.HISTOGRAM
            else [metric.name]
            for metric in METRICS
        )
    )
