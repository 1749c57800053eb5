"""Rows that are written again and again become narrow, and events that other rows tell are stored no more.

`steps.request` goes to `requests`, `runs.spec` to `specs`. What is stored of a log stays as it is; a downgrade stores
what other rows tell of the newer ones.

Revision: 0006, after 0005.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_PROMISES = {"watched": sa.false(), "allow_external": sa.true(), "allow_models": sa.true()}

_OPEN = {"ix_steps_pending": ("dispatched_at", "pending"), "ix_steps_leased": ("owner", "leased")}

_COUNT = """
UPDATE runs r
   SET logged = (SELECT coalesce(max(e.seq), 0) FROM events e WHERE e.run_id = r.id),
       watched = coalesce((r.spec->>'watched')::boolean, false),
       allow_external = coalesce((r.spec->>'allow_external')::boolean, true),
       allow_models = coalesce((r.spec->>'allow_models')::boolean, true)
"""
_REQUESTS = """
INSERT INTO requests (run_id, position, bodies)
SELECT run_id, position - position % 8, jsonb_object_agg(key, request) FROM steps GROUP BY 1, 2
"""
_REQUESTS_BACK = """
UPDATE steps s SET request = q.bodies->s.key
  FROM (SELECT run_id, position, bodies,
               lead(position) OVER (PARTITION BY run_id ORDER BY position) AS beyond FROM requests) q
 WHERE q.run_id = s.run_id AND s.position >= q.position AND (q.beyond IS NULL OR s.position < q.beyond)
"""
# As shared/store/events.py tells it of one run.
_EVENTS_BACK = """
WITH happened AS (
    SELECT r.id AS run_id, r.created_at AS at, 0 AS part, 0 AS place, 'run.submitted' AS type,
           jsonb_strip_nulls(jsonb_build_object('workflow', r.workflow, 'title', r.title, 'parent', r.parent_run,
                                                'step', r.parent_step)) AS body
      FROM runs r
     UNION ALL
    SELECT s.run_id, s.finished_at, 1, s.position, 'step.' || s.status,
           jsonb_build_object('key', s.key, 'participant', s.participant, 'failure', s.failure_kind)
      FROM steps s
     WHERE s.status IN ('done', 'failed') AND NOT (s.status = 'failed' AND s.token = 0)
     UNION ALL
    SELECT w.run_id, w.at, 2, w.position, 'record.written', jsonb_build_object('key', w.key, 'kind', w.kind)
      FROM records w WHERE w.kind <> 'assessment'
     UNION ALL
    SELECT w.run_id, w.at, 2, w.position, 'round.assessed', jsonb_build_object(
               'key', w.key, 'score', round((a->'metrics'->>'overall_score')::numeric, 3),
               'recommendation', a->'metrics'->'recommendation', 'ending', a->'ending')
      FROM records w, jsonb_extract_path(w.body, 'assessment') AS a WHERE w.kind = 'assessment'
     UNION ALL
    SELECT s.run_id, s.created_at, 3, s.position, 'step.scheduled', jsonb_build_object('key', s.key, 'queue', s.queue,
               'status', CASE WHEN s.status = 'failed' AND s.token = 0 THEN 'failed' ELSE 'pending' END)
      FROM steps s
     UNION ALL
    SELECT r.id, r.finished_at, 4, 0, 'run.completed', jsonb_build_object('verdict', r.verdict, 'ending', r.ending)
      FROM runs r WHERE r.status = 'completed'
), told AS (
    SELECT h.*, row_number() OVER (PARTITION BY h.run_id ORDER BY h.at, h.part, h.place) AS nth
      FROM happened h
      LEFT JOIN events e ON e.run_id = h.run_id AND e.type = h.type
       AND coalesce(e.body->>'key', '') = coalesce(h.body->>'key', '')
      LEFT JOIN (SELECT run_id, max((body->>'steps')::int) AS copied FROM events
                  WHERE type = 'run.forked' GROUP BY run_id) f ON f.run_id = h.run_id
     WHERE e.seq IS NULL AND NOT (h.type LIKE 'step.%' AND h.place < coalesce(f.copied, 0))
), free AS (
    SELECT r.id AS run_id, n AS seq, row_number() OVER (PARTITION BY r.id ORDER BY n) AS nth
      FROM runs r CROSS JOIN LATERAL generate_series(1, r.logged) AS n
      LEFT JOIN events e ON e.run_id = r.id AND e.seq = n
     WHERE e.seq IS NULL
)
INSERT INTO events (run_id, seq, type, body, at)
SELECT t.run_id, f.seq, t.type, t.body, t.at FROM told t JOIN free f ON f.run_id = t.run_id AND f.nth = t.nth
"""


def _run_id(table: str) -> tuple[sa.Column[str], sa.ForeignKeyConstraint]:
    foreign = sa.ForeignKeyConstraint(
        ["run_id"], ["runs.id"], name=op.f(f"fk_{table}_runs"), ondelete="CASCADE"
    )
    return sa.Column("run_id", sa.Text(), nullable=False), foreign


def upgrade() -> None:
    op.create_table(
        "specs",
        *_run_id("specs"),
        sa.Column("spec", JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_specs")),
    )
    op.execute("INSERT INTO specs (run_id, spec) SELECT id, spec FROM runs")
    for name, default in _PROMISES.items():
        op.add_column("runs", sa.Column(name, sa.Boolean(), server_default=default, nullable=False))
    op.add_column("runs", sa.Column("logged", sa.Integer(), server_default="0", nullable=False))
    op.execute(_COUNT)
    op.drop_column("runs", "spec")
    op.drop_constraint("uq_runs_idempotency_key", "runs", type_="unique")
    op.create_index(
        "uq_runs_idempotency_key",
        "runs",
        ["idempotency_key"],
        unique=True,
        postgresql_where=sa.text("idempotency_key IS NOT NULL"),
    )
    op.create_table(
        "requests",
        *_run_id("requests"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("bodies", JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_requests")),
    )
    op.execute(_REQUESTS)
    _steps_anew()
    op.create_index(
        "ix_steps_open", "steps", ["run_id"], postgresql_where=sa.text("finished_at IS NULL")
    )
    op.execute("ANALYZE runs, specs, steps, requests")


def _steps_anew() -> None:
    """Without requests, and in an order in which what changes together stands together."""
    columns: tuple[sa.schema.SchemaItem, ...] = (
        *_run_id("steps"),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("lease_s", sa.Double(), nullable=False),
        _moment("created_at", server_default=sa.text("now()"), nullable=False),
        _moment("dispatched_at"),
        sa.Column("dispatches", sa.Integer(), server_default="0", nullable=False),
        _moment("not_before"),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("claim", sa.Text()),
        sa.Column("owner", sa.Text()),
        _moment("leased_at"),
        _moment("lease_until"),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("reply", JSONB()),
        sa.Column("failure_kind", sa.Text()),
        sa.Column("failure_message", sa.Text()),
        sa.Column("tokens", sa.BigInteger()),
        sa.Column("cost_usd", sa.Double()),
        _moment("finished_at"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_steps")),
    )
    op.rename_table("steps", "steps_before")
    op.execute("ALTER TABLE steps_before DROP CONSTRAINT fk_steps_runs, DROP CONSTRAINT pk_steps")
    op.create_table("steps", *columns, postgresql_with={"fillfactor": 50})
    names = ", ".join(column.name for column in columns if isinstance(column, sa.Column))
    op.execute(f"INSERT INTO steps ({names}) SELECT {names} FROM steps_before")
    op.drop_table("steps_before")


def _moment(name: str, **options: Any) -> sa.Column[object]:
    return sa.Column(name, sa.TIMESTAMP(timezone=True), **options)


def downgrade() -> None:
    op.execute(_EVENTS_BACK)
    op.add_column("steps", sa.Column("request", JSONB(), nullable=True))
    op.execute(_REQUESTS_BACK)
    op.alter_column("steps", "request", nullable=False)
    op.execute("ALTER TABLE steps SET (fillfactor = 70)")
    op.drop_index("ix_steps_open", table_name="steps")
    for name, (column, status) in _OPEN.items():
        op.create_index(name, "steps", [column], postgresql_where=sa.text(f"status = '{status}'"))
    op.drop_table("requests")
    op.add_column("runs", sa.Column("spec", JSONB(), nullable=True))
    op.execute("UPDATE runs r SET spec = p.spec FROM specs p WHERE p.run_id = r.id")
    op.alter_column("runs", "spec", nullable=False)
    op.drop_table("specs")
    op.drop_index("uq_runs_idempotency_key", table_name="runs")
    op.create_unique_constraint("uq_runs_idempotency_key", "runs", ["idempotency_key"])
    for name in (*_PROMISES, "logged"):
        op.drop_column("runs", name)
