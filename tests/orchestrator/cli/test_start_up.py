"""What a command loads is what a person waits for: each loads what it uses, and nothing heavy besides."""

from __future__ import annotations

import subprocess
import sys

import pytest

REDIS, SQLALCHEMY, CELERY, PSYCOPG, PYDANTIC = (
    "redis",
    "sqlalchemy",
    "celery",
    "psycopg",
    "pydantic",
)
VENDORS = (SQLALCHEMY, "alembic", CELERY, "kombu", "httpx", "structlog")
DETECTORS = "orchestrator.core.consensus.convergence"
RUNS = (DETECTORS, "orchestrator.core.discussion.loop", "orchestrator.engine")
LOGIC = tuple(
    f"orchestrator.workflows.{name}.logic" for name in ("ask", "forum", "plan", "panel", "review")
)
WORKFLOWS = "orchestrator.workflows.registry"
SETTINGS = "orchestrator.settings.schema"
PROVIDERS = "shared.providers"
REPORT = "orchestrator.presentation.report"

READING = (*VENDORS, REDIS, *RUNS, *LOGIC)
DOCUMENT = ("orchestrator.core.document", "orchestrator.core.pictures", "rapidfuzz")
ALL_REPLIES = ("shared.models.replies", "shared.models.case")
ADVANCING = ("shared.store.runs", "shared.models.run")
ALL_TOOLS = ("shared.tools.catalogue", "shared.tools.agent_cards", "shared.tools.graph_cards")
LISTS = (*READING, WORKFLOWS, SETTINGS, PROVIDERS, REPORT, *DOCUMENT, *ALL_REPLIES, *ADVANCING)
ROWS = (*READING, WORKFLOWS, SETTINGS, PROVIDERS, REPORT)
UNLOADED = {
    "list": LISTS,
    "inbox": LISTS,
    "cost": (*ROWS, *ALL_REPLIES),
    "status": ROWS,
    "show": (*READING, SETTINGS, "shared.providers.catalogue", *ALL_REPLIES),
    "participants": (PSYCOPG, REDIS, *VENDORS, *RUNS, *LOGIC),
    "participants.listing": (
        PSYCOPG,
        REDIS,
        *VENDORS,
        *RUNS,
        *LOGIC,
        REPORT,
        *DOCUMENT,
        *ALL_TOOLS,
    ),
    "workflow": (*READING, *DOCUMENT),
    "config": (*READING, PSYCOPG, *DOCUMENT),
    "keys": (*READING, PSYCOPG),
    "decide": (*VENDORS, *LOGIC, DETECTORS),
    "watch": (*VENDORS, *LOGIC, DETECTORS),
}


def loaded(*statements: str) -> set[str]:
    """The modules that a fresh interpreter has after some statements."""
    script = "; ".join((*statements, "import sys", "print(*sys.modules)"))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def below(modules: set[str], roots: tuple[str, ...]) -> set[str]:
    return {name for name in modules for root in roots if f"{name}.".startswith(f"{root}.")}


def test_a_list_of_batches_loads_nothing_that_reads_or_submits_runs() -> None:
    modules = loaded("import orchestrator.cli.batch_lists")

    assert below(modules, LISTS) == set()


@pytest.mark.parametrize("command", UNLOADED)
def test_a_command_loads_nothing_heavy_that_it_does_not_use(command: str) -> None:
    modules = loaded(f"import orchestrator.cli.commands.{command}")

    assert f"orchestrator.cli.commands.{command}" in modules
    assert below(modules, UNLOADED[command]) == set()


def test_the_help_of_all_commands_loads_neither_models_nor_a_command() -> None:
    modules = loaded("import orchestrator.cli.main")

    assert (
        below(modules, (*READING, PYDANTIC, PSYCOPG, "shared", "orchestrator.cli.commands"))
        == set()
    )


def test_a_description_names_the_logic_of_a_workflow_and_does_not_load_it() -> None:
    modules = loaded(f"from {WORKFLOWS} import WORKFLOWS", "list(WORKFLOWS.values())")

    assert "orchestrator.workflows.review.workflow" in modules
    assert below(modules, (*RUNS, *LOGIC, "orchestrator.core.discussion.synthesis")) == set()


def test_who_submits_and_follows_a_run_loads_no_logger() -> None:
    modules = loaded("import orchestrator.cli.submission, orchestrator.application.submit")

    assert "orchestrator.engine.advance" in modules
    assert below(modules, ("structlog", "rich.console", "pygments", SQLALCHEMY, CELERY)) == set()


def test_a_service_loads_compiles_and_builds_all_before_it_serves() -> None:
    modules = loaded(
        "from shared.models.wire import build_all, Wire",
        "from shared.patterns import compile_all, _pending",
        f"from {WORKFLOWS} import load_all",
        "load_all(); build_all(); compile_all()",
        "from shared.models.run import RunSpec",
        "assert not _pending and RunSpec.__pydantic_complete__",
    )

    assert set(LOGIC) <= modules
