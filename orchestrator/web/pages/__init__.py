"""The pages: one file a page, each with its `router`."""

from __future__ import annotations

from fastapi import APIRouter

from orchestrator.web.pages import static_files

ROUTERS: tuple[APIRouter, ...] = (static_files.router,)
