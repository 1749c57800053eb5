"""The API below /api/v1: one file a resource, each with its `router`."""

from __future__ import annotations

from fastapi import APIRouter

from orchestrator.web.api import (
    batch_rows,
    batches,
    decisions,
    installation,
    participant_rows,
    participants,
    rows,
    runs,
    schedule_rows,
    schedules,
    submissions,
    webhooks,
)

PREFIX = "/api/v1"
ROUTERS: tuple[APIRouter, ...] = (
    runs.router,
    submissions.router,
    submissions.workflows,
    decisions.router,
    batches.router,
    schedules.router,
    webhooks.router,
    participants.router,
    installation.router,
    rows.router,
    batch_rows.router,
    schedule_rows.router,
    participant_rows.router,
)
