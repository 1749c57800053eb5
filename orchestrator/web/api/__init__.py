"""The API below /api/v1: one file a resource, each with its `router`."""

from __future__ import annotations

from fastapi import APIRouter

from orchestrator.web.api import decisions, runs

PREFIX = "/api/v1"
ROUTERS: tuple[APIRouter, ...] = (runs.router, decisions.router)
