"""What is the case now, as samples of metrics: one statement that reads what is open, and no more."""

from __future__ import annotations

from shared.models.metrics import MetricSample
from shared.store.daily_spending import CHARGED_USD, DAY, NOT_SUMMED_UP
from shared.store.database import Connection
from shared.store.processes import SILENCE_S

UNUSED_AFTER_S = 10

_TODAY = "(now() AT TIME ZONE 'UTC')::date"

# Each part gives name, labels, value.
_NOW = f"""
WITH open_steps AS MATERIALIZED (
    SELECT s.queue, CASE WHEN s.status = 'leased' THEN 'in_flight'
               WHEN s.not_before > now() THEN 'delayed' ELSE 'ready' END AS state,
           greatest(s.not_before, s.created_at) AS ready_at
      FROM steps s JOIN runs r ON r.id = s.run_id AND r.status = 'running'
     WHERE s.finished_at IS NULL AND s.status IN ('pending', 'leased') AND s.kind IN ('turn', 'tool')
), open_decisions AS MATERIALIZED (
    SELECT r.workflow, d.kind, d.opened_at FROM decisions d JOIN runs r ON r.id = d.run_id WHERE d.state = 'open'
), seen AS MATERIALIZED (
    SELECT kind, slots, CASE WHEN seen_at > now() - make_interval(secs => {SILENCE_S}) THEN 'living'
               ELSE 'silent' END AS state FROM processes
)
SELECT 'quorate_runs' AS name, ARRAY[status] AS labels, count(*)::float8 AS value FROM runs
 WHERE status IN ('queued', 'running', 'waiting', 'blocked') GROUP BY status
UNION ALL SELECT 'quorate_steps_open', ARRAY[queue, state], count(*) FROM open_steps GROUP BY queue, state
UNION ALL SELECT 'quorate_step_oldest_ready_seconds', ARRAY[queue],
       greatest(extract(epoch FROM now() - min(ready_at)), 0) FROM open_steps WHERE state = 'ready' GROUP BY queue
UNION ALL SELECT 'quorate_decisions_open', ARRAY[workflow, kind], count(*) FROM open_decisions GROUP BY workflow, kind
UNION ALL SELECT 'quorate_decision_oldest_open_seconds', '{{}}',
       coalesce(extract(epoch FROM now() - min(opened_at)), 0) FROM open_decisions
UNION ALL SELECT 'quorate_decisions_unused', '{{}}', count(*) FROM decisions d JOIN runs r ON r.id = d.run_id
 WHERE d.state IN ('answered', 'expired') AND d.consumed_at IS NULL AND r.status IN ('waiting', 'running')
   AND d.answered_at < now() - make_interval(secs => {UNUSED_AFTER_S})
UNION ALL SELECT 'quorate_batches', ARRAY[CASE WHEN state = 'filling' THEN 'filling' WHEN exhausted_at IS NOT NULL
       THEN 'exhausted' WHEN paused THEN 'paused' ELSE 'open' END], count(*)
  FROM batches WHERE state IN ('filling', 'open') AND finished_at IS NULL GROUP BY 2
UNION ALL SELECT 'quorate_provider_batches_open', '{{}}', count(*) FROM provider_batches WHERE status <> 'ended'
UNION ALL SELECT 'quorate_webhook_deliveries_pending', '{{}}', count(*) FROM webhook_deliveries
 WHERE state = 'pending' AND due_at < 'infinity'
UNION ALL SELECT 'quorate_processes', ARRAY[kind, state], count(*) FROM seen GROUP BY kind, state
UNION ALL SELECT 'quorate_slots', ARRAY[kind], sum(slots) FROM seen WHERE state = 'living' AND slots > 0 GROUP BY kind
UNION ALL SELECT 'quorate_counted_until_timestamp_seconds', '{{}}', extract(epoch FROM upto)
  FROM followed WHERE name = 'counters'
UNION ALL SELECT 'quorate_spent_today_usd', '{{}}', coalesce(sum(usd), 0) FROM (
       SELECT charged_usd AS usd FROM daily_spending WHERE day = {_TODAY}
       UNION ALL SELECT {CHARGED_USD} FROM usage u WHERE {NOT_SUMMED_UP} AND {DAY} = {_TODAY}) today
"""

# The sums outlive their runs, so they only grow; what is not summed up yet is added as it is. Added in another order,
# floating point numbers may come to a little less, which would read as a counter that began again: hence the rounding.
_SPENT = f"""
SELECT left(participant, 100) AS participant, left(provider, 100) AS provider, sum(calls)::float8 AS calls,
       sum(input_tokens)::float8 AS input, sum(output_tokens)::float8 AS output, sum(cached_tokens)::float8 AS cached,
       round(sum(cost_usd)::numeric, 9)::float8 AS usd, sum(unknown_costs)::float8 AS unpriced
  FROM (SELECT participant, provider, calls, input_tokens, output_tokens, cached_tokens,
               coalesce(cost_usd, 0) AS cost_usd, unknown_costs FROM daily_spending
        UNION ALL
        SELECT u.participant, u.provider, 1, coalesce(u.input_tokens, 0), coalesce(u.output_tokens, 0),
               coalesce(u.cached_tokens, 0), coalesce(u.cost_usd, 0), (u.cost_usd IS NULL)::int
          FROM usage u WHERE {NOT_SUMMED_UP}) calls
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def gauges(connection: Connection) -> list[MetricSample]:
    """What is open now. A part of it that has no row says nothing: see `Metric.always`."""
    rows = connection.execute(_NOW).fetchall()
    return [MetricSample(row.name, tuple(row.labels), float(row.value)) for row in rows]


def spent(connection: Connection) -> list[MetricSample]:
    """What all calls have used and cost, by who spoke."""
    samples = []
    for row in connection.execute(_SPENT).fetchall():
        labels = (row.participant, row.provider)
        samples += [
            MetricSample("quorate_calls_total", labels, row.calls),
            MetricSample("quorate_cost_usd_total", labels, row.usd),
            MetricSample("quorate_calls_unpriced_total", labels, row.unpriced),
            MetricSample("quorate_tokens_total", (*labels, "input"), row.input),
            MetricSample("quorate_tokens_total", (*labels, "output"), row.output),
            MetricSample("quorate_tokens_total", (*labels, "cached"), row.cached),
        ]
    return samples
