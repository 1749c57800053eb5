"""The API below /api/v1: one file a resource, each with its `router`."""

from __future__ import annotations

from fastapi import APIRouter

from orchestrator.web.api import (
    batches,
    decisions,
    installation,
    participants,
    rows,
    runs,
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
)
