"""Which projects a connection sees: the store's own answer to whose runs somebody may look at.

A run belongs to the project that it was submitted with, else to its repository. A connection without a limit sees all;
one with a limit finds, lists and counts nothing of another project. What does not ask here must not be asked on behalf
of somebody with a limit (orchestrator/web/scoping.py refuses it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

PROJECT = "project"
"""The label of a run that says to which project it belongs."""
REPOSITORY = "repository"

Projects = tuple[str, ...]
_LABEL = "(spec -> 'labels'::text) ->> '{}'::text"
OF_SPEC = f"COALESCE({_LABEL.format(PROJECT)}, {_LABEL.format(REPOSITORY)}, ''::text)"
"""The project of a row of `specs`, as its index has it."""


def projects_of(connection: psycopg.Connection[Any]) -> Projects | None:
    """The projects that are seen on this connection; None: all."""
    limit: Projects | None = getattr(connection, "projects", None)
    return limit


@contextmanager
def limited(connection: Any, projects: Projects | None) -> Iterator[None]:
    """Let a connection see these projects only, as long as the block lasts."""
    if projects is None:
        yield
        return
    connection.projects = projects
    try:
        yield
    finally:
        connection.projects = None


def seen(connection: psycopg.Connection[Any], run: str) -> str:
    """That the run which a column names is seen, in SQL; filled in with `seen_projects`."""
    if projects_of(connection) is None:
        return "true"
    return f"{run} IN (SELECT run_id FROM specs WHERE {OF_SPEC} = ANY(%(seen_projects)s))"


def seen_all(connection: psycopg.Connection[Any], projects: str) -> str:
    """That every project is seen which an array holds, and that it holds one; filled in with `seen_projects`."""
    if projects_of(connection) is None:
        return "true"
    return f"({projects} <> '{{}}' AND {projects} <@ %(seen_projects)s)"


def seen_project(connection: psycopg.Connection[Any], project: str) -> str:
    """That the project which a column names is seen; filled in with `seen_projects`."""
    if projects_of(connection) is None:
        return "true"
    return f"{project} = ANY(%(seen_projects)s)"


def seen_projects(connection: psycopg.Connection[Any]) -> dict[str, object]:
    """The parameters of `seen`."""
    limit = projects_of(connection)
    return {} if limit is None else {"seen_projects": list(limit)}


def labels_of(*given: Mapping[str, Any], **named: str | None) -> dict[str, Any]:
    """The labels of a run: those that were given, and others by their names, of which what is None is none."""
    stated = {name: value for name, value in named.items() if value is not None}
    return {name: value for labels in (*given, stated) for name, value in labels.items()}


def project_of(labels: Mapping[str, Any]) -> str:
    """The project of a run with these labels; empty for none."""
    return str(labels.get(PROJECT) or labels.get(REPOSITORY) or "")
