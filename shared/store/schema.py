"""The schema as it should be. Migrations lead there; a test proves that both agree.

runs ──< runs                     a child run, which a step of its parent waits for
runs ─── specs                   what a run captured at its submission
runs ──< steps ──< usage         a step's row is its own outbox; usage holds one row a paid call
 ├──< requests                   what steps ask, up to eight that were scheduled together in a row
 ├──< reservations               what a call under way may cost; counts until its usage row is there
 ├──< decisions                  questions to people; leave `open` exactly once
 ├──< records                    facts of any kind that the workflow wrote, `assessment` among them
 ├──< findings, stances          what rounds brought, one by one, for reports
 └──< events                     what no other row tells; numbered with what others do (shared/store/events.py)
daily_spending                   the rows of `usage` up to some id, summed up by day and who spoke
evals                            labelled cases before panels; their runs are found by idempotency key
provider_batches ──< batched_calls   calls that wait for a provider's batch API; each is a step's
batches ──< batch_items          many runs submitted together; items that ask the same share a run
documents                        content-addressed texts and files
 ├──< passages                   what texts are searched by, for all runs that name them
 ├──< passage_vectors            the same by their meaning, for each model that made vectors of them
 └──< code_graphs                which document is the graph of a tree of code
code_facts                       what single files of code say, by a hash of all that it depends on
schedules ──< firings            when runs start by themselves, and what came of each time
webhooks ──< webhook_deliveries  where to report what happened, and the outbox of it
runs ─── imports                 those that came in a file from another instance
runs ──< document_uses           which documents an ended run refers to, for purges
holds, purges                    what no purge removes; what purges removed
sealing_keys                     the keys that stored texts are encrypted with, by their ids
api_tokens, answered_requests    who may use the HTTP service, and which requests were answered already
processes                        presence: who is alive with how many slots, on the database's clock
counters, followed               what operators count, and until when everything that ended was counted

What is written again and again (`runs`, `steps`) stays narrow, what is written once and large has tables of its own: an
update that finds no room on its page writes the whole row elsewhere, and into every index.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from shared.store.batch_tables import batch_items, batches
from shared.store.columns import metadata, moment, run_id, texts
from shared.store.document_tables import (
    code_facts,
    code_graphs,
    documents,
    passage_vectors,
    passages,
)
from shared.store.operating_tables import counters, followed, processes
from shared.store.projects import OF_SPEC
from shared.store.provider_batch_tables import batched_calls, provider_batches
from shared.store.retention_tables import document_uses, holds, imports, purges, sealing_keys
from shared.store.run_filter import TITLE_TERMS
from shared.store.schedule_tables import firings, schedules
from shared.store.token_tables import answered_requests, api_tokens, web_sessions
from shared.store.webhook_tables import webhook_deliveries, webhooks

__all__ = [
    "answered_requests",
    "api_tokens",
    "batch_items",
    "batched_calls",
    "batches",
    "code_facts",
    "code_graphs",
    "counters",
    "document_uses",
    "documents",
    "firings",
    "followed",
    "holds",
    "imports",
    "metadata",
    "passage_vectors",
    "passages",
    "processes",
    "provider_batches",
    "purges",
    "schedules",
    "sealing_keys",
    "web_sessions",
    "webhook_deliveries",
    "webhooks",
]

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    *texts("workflow", "title", "status"),
    sa.Column("phase", sa.Text, nullable=False, server_default=""),
    # What every claim and message asks of the specification.
    sa.Column("watched", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("allow_external", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("allow_models", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("root_task", sa.Text, nullable=False),
    sa.Column("idempotency_key", sa.Text),
    sa.Column("open_steps", sa.Integer, nullable=False, server_default="0"),
    sa.Column("advances", sa.Integer, nullable=False, server_default="0"),
    sa.Column("noted_steps", sa.Integer, nullable=False, server_default="0"),
    # How many events its log has, stored or told by other rows.
    sa.Column("logged", sa.Integer, nullable=False, server_default="0"),
    sa.Column("blocked_reason", sa.Text),
    sa.Column("outcome", JSONB),
    sa.Column("verdict", sa.Text),
    sa.Column("ending", sa.Text),
    sa.Column("max_calls", sa.Integer),
    sa.Column("max_tokens", sa.BigInteger),
    sa.Column("max_usd", sa.Double),
    moment("created_at", nullable=False, now=True),
    moment("updated_at", nullable=False, now=True),
    moment("deadline_at"),
    moment("finished_at"),
    sa.Column("parent_run", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE")),
    sa.Column("parent_step", sa.Text),
    sa.Column("root_run", sa.Text),
    sa.Column("depth", sa.Integer, nullable=False, server_default="0"),
    # Of a run that waits its turn (shared/store/admission.py): its line, and when it left the queue.
    sa.Column("batch", sa.Text),
    moment("admitted_at"),
    postgresql_with={"fillfactor": 70},
)
sa.Index(
    "uq_runs_idempotency_key",
    runs.c.idempotency_key,
    unique=True,
    postgresql_where=sa.text("idempotency_key IS NOT NULL"),
)
# The newest that people started, and the newest of each status.
sa.Index(
    "ix_runs_created_at",
    runs.c.created_at.desc(),
    postgresql_where=sa.text("parent_run IS NULL"),
)
sa.Index("ix_runs_status", runs.c.status, runs.c.created_at.desc())
sa.Index("ix_runs_workflow", runs.c.workflow, runs.c.created_at.desc())
sa.Index(
    "ix_runs_verdict",
    runs.c.verdict,
    runs.c.created_at.desc(),
    postgresql_where=sa.text("verdict IS NOT NULL"),
)
sa.Index("ix_runs_title", sa.text(TITLE_TERMS), postgresql_using="gin", _table=runs)
# No index names updated_at or open_steps: they change with every finished step, and stay cheap (HOT) that way.
sa.Index(
    "ix_runs_deadline_at",
    runs.c.deadline_at,
    postgresql_where=sa.text("status IN ('running', 'waiting')"),
)
sa.Index(
    "ix_runs_queued",
    runs.c.batch,
    runs.c.created_at,
    runs.c.id,
    postgresql_where=sa.text("status = 'queued'"),
)
sa.Index(
    "ix_runs_under_way",
    runs.c.batch,
    postgresql_where=sa.text("status = 'running' AND batch IS NOT NULL"),
)

# A child run lives on the budget and the deadline of `root_run`, and reports its end to a step of `parent_run`.
sa.Index(
    "ix_runs_parent_run", runs.c.parent_run, postgresql_where=sa.text("parent_run IS NOT NULL")
)
sa.Index("ix_runs_root_run", runs.c.root_run, postgresql_where=sa.text("root_run IS NOT NULL"))
sa.Index(
    "ix_runs_children",
    runs.c.id,
    postgresql_where=sa.text(
        "parent_run IS NOT NULL AND status IN ('running', 'waiting', 'blocked')"
    ),
)

specs = sa.Table(
    "specs",
    metadata,
    run_id(),
    sa.Column("spec", JSONB, nullable=False),
    sa.PrimaryKeyConstraint("run_id"),
)
# What long lists are filtered by.
for _label in ("repository", "batch"):
    _labelled = f"((spec -> 'labels'::text) ->> '{_label}'::text)"
    sa.Index(
        f"ix_specs_{_label}",
        sa.text(_labelled),
        postgresql_where=sa.text(f"{_labelled} IS NOT NULL"),
        _table=specs,
    )
sa.Index("ix_specs_project", sa.text(OF_SPEC), _table=specs)

steps = sa.Table(
    "steps",
    metadata,
    run_id(),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    *texts("kind", "participant", "role"),
    sa.Column("round", sa.Integer, nullable=False),
    *texts("task", "queue", "fingerprint"),
    sa.Column("max_attempts", sa.Integer, nullable=False),
    sa.Column("lease_s", sa.Double, nullable=False),
    moment("created_at", nullable=False, now=True),
    # What a claim changes stands together, and so does what an end changes: only that much of a row is logged.
    moment("dispatched_at"),
    sa.Column("dispatches", sa.Integer, nullable=False, server_default="0"),
    moment("not_before"),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("token", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("claim", sa.Text),
    sa.Column("owner", sa.Text),
    moment("leased_at"),
    moment("lease_until"),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("reply", JSONB),
    sa.Column("failure_kind", sa.Text),
    sa.Column("failure_message", sa.Text),
    sa.Column("tokens", sa.BigInteger),
    sa.Column("cost_usd", sa.Double),
    moment("finished_at"),
    moment("held_back_at"),
    sa.PrimaryKeyConstraint("run_id", "key"),
    postgresql_with={"fillfactor": 50},
)
# Whatever looks for open steps says `finished_at IS NULL`. No index names what a claim changes: it stays cheap (HOT).
sa.Index("ix_steps_open", steps.c.run_id, postgresql_where=sa.text("finished_at IS NULL"))

# The request of a step is in the row of the largest `position` that is not beyond its own (shared/store/requests.py).
requests = sa.Table(
    "requests",
    metadata,
    run_id(),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("bodies", JSONB, nullable=False),
    sa.PrimaryKeyConstraint("run_id", "position"),
)

usage = sa.Table(
    "usage",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    run_id(),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    *texts("worker", "participant", "provider"),
    sa.Column("model", sa.Text),
    sa.Column("request_sha", sa.Text, nullable=False),
    sa.Column("response", sa.Text),
    sa.Column("attempt", sa.Text, nullable=False),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("cached_tokens", sa.BigInteger),
    sa.Column("cost_usd", sa.Double),
    moment("at", nullable=False, now=True),
)
# One row a call, also when the spool and the worker bring the same answer at the same time.
sa.Index("ix_usage_run_id", usage.c.run_id, usage.c.step, usage.c.attempt, unique=True)
sa.Index("ix_usage_at", usage.c.at)
# `request_sha` says which prompt was answered: an identical turn may take the answer again.
sa.Index(
    "ix_usage_request_sha",
    usage.c.request_sha,
    usage.c.id,
    postgresql_where=sa.text("response IS NOT NULL"),
)

daily_spending = sa.Table(
    "daily_spending",
    metadata,
    sa.Column("day", sa.Date, nullable=False),
    *texts("participant", "provider", "model"),
    sa.Column("calls", sa.BigInteger, nullable=False),
    sa.Column("input_tokens", sa.BigInteger, nullable=False),
    sa.Column("output_tokens", sa.BigInteger, nullable=False),
    sa.Column("cached_tokens", sa.BigInteger, nullable=False),
    sa.Column("cost_usd", sa.Double),
    sa.Column("unknown_costs", sa.BigInteger, nullable=False),
    sa.Column("unknown_tokens", sa.BigInteger, nullable=False),
    sa.Column("charged_usd", sa.Double, nullable=False),
    sa.Column("upto", sa.BigInteger, nullable=False),
    sa.PrimaryKeyConstraint("day", "participant", "provider", "model"),
)
# Rows of `usage` up to the largest `upto` are summed up here, the others are not (shared/store/daily_spending.py).
sa.Index("ix_daily_spending_upto", daily_spending.c.upto)

reservations = sa.Table(
    "reservations",
    metadata,
    run_id(),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("attempt", sa.Text, nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("usd", sa.Double),
    moment("at", nullable=False, now=True),
    sa.PrimaryKeyConstraint("run_id", "step", "attempt"),
)

decisions = sa.Table(
    "decisions",
    metadata,
    run_id(),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("question", JSONB, nullable=False),
    sa.Column("shown_sha256", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("answer", JSONB),
    sa.Column("on_timeout", sa.Text),
    moment("opened_at", nullable=False, now=True),
    moment("deadline_at"),
    moment("answered_at"),
    moment("consumed_at"),
    sa.Column("offered", JSONB),
    sa.PrimaryKeyConstraint("run_id", "key"),
)
sa.Index("ix_decisions_open", decisions.c.deadline_at, postgresql_where=sa.text("state = 'open'"))
sa.Index(
    "ix_decisions_unconsumed",
    decisions.c.answered_at,
    postgresql_where=sa.text("state IN ('answered', 'expired') AND consumed_at IS NULL"),
)
# What people decided, the newest first: a panel's calibration looks at a bounded number of them.
sa.Index(
    "ix_decisions_answered",
    decisions.c.answered_at.desc(),
    postgresql_where=sa.text("state = 'answered'"),
)

evals = sa.Table(
    "evals",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("body", JSONB, nullable=False),
    moment("created_at", nullable=False, now=True),
)

records = sa.Table(
    "records",
    metadata,
    run_id(),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("body", JSONB, nullable=False),
    moment("at", nullable=False, now=True),
    sa.PrimaryKeyConstraint("run_id", "key"),
)

findings = sa.Table(
    "findings",
    metadata,
    run_id(),
    *texts("id", "title", "severity", "status"),
    sa.Column("path", sa.Text),
    sa.Column("line", sa.Integer),
    sa.Column("rule", sa.Text),
    sa.Column("body", JSONB, nullable=False),
    sa.PrimaryKeyConstraint("run_id", "id"),
)

stances = sa.Table(
    "stances",
    metadata,
    run_id(),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    *texts("participant", "role", "finding", "position", "reason"),
    sa.PrimaryKeyConstraint("run_id", "record", "participant", "role", "finding"),
)

events = sa.Table(
    "events",
    metadata,
    run_id(),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("body", JSONB, nullable=False),
    moment("at", nullable=False, now=True),
    sa.PrimaryKeyConstraint("run_id", "seq"),
)

# What ended lately: rows are found by their pages, and nothing is written for it.
for ended in (runs.c.finished_at, steps.c.finished_at, decisions.c.answered_at):
    sa.Index(f"ix_{ended.table.name}_ended", ended, postgresql_using="brin")
