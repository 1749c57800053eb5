"""Health is what is the case: of servers, of the schema, and of processes, here or anywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.application.health import (
    Health,
    ServiceRole,
    check_health,
    check_liveness,
)
from shared.instance import Endpoints
from shared.settings import ServiceSettings
from shared.store.database import Database
from tests.support.runs import alive, execute

pytestmark = pytest.mark.component
AWAY = Database("postgresql+psycopg://nobody@127.0.0.1:1/none", pool_size=1)


@pytest.fixture
def settings(servers: Endpoints, database_url: str, broker_url: str) -> ServiceSettings:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return ServiceSettings.from_environment({"HOME": "/nonexistent", **urls})


def failing(health: Health) -> set[str]:
    assert health.ok == all(check.ok for check in health.checks)
    return {check.name for check in health.checks if not check.ok}


def test_runs_go_on_when_every_server_answers_and_every_kind_of_process_lives(
    settings: ServiceSettings, database: Database
) -> None:
    assert failing(check_health(settings, database)) == {"orchestrator", "tools", "turns"}

    for kind in ServiceRole:
        alive(database, f"{kind}-1", kind=kind)

    health = check_health(settings, database)
    assert failing(health) == set()
    assert health.living == ["orchestrator", "tools", "turns"]


def test_a_process_that_says_nothing_does_not_count(
    settings: ServiceSettings, database: Database
) -> None:
    for kind in ServiceRole:
        alive(database, f"{kind}-1", kind=kind, silent_s=30.0 if kind == "turns" else 0.0)

    assert failing(check_health(settings, database)) == {"turns"}


def test_the_process_of_a_container_is_asked_about_by_its_host(
    settings: ServiceSettings, database: Database
) -> None:
    alive(database, "w", kind="turns")

    assert failing(check_health(settings, database, role=ServiceRole.TURNS, host="h")) == set()
    elsewhere = check_health(settings, database, role=ServiceRole.TURNS, host="other")
    assert failing(elsewhere) == {"turns"}


def test_servers_that_are_away_and_a_schema_of_another_version_are_told(
    settings: ServiceSettings, database: Database
) -> None:
    away = Endpoints("redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0", AWAY.url)
    assert failing(check_health(replace(settings, external=away), AWAY)) == {
        "database",
        "broker",
        "redis",
    }
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    health = check_health(settings, database, role=ServiceRole.TURNS)
    assert failing(health) == {"schema", "turns"}
    assert "newer version" in next(check.why for check in health.checks if check.name == "schema")


def test_only_a_process_that_hangs_while_the_database_answers_is_to_be_restarted(
    database: Database,
) -> None:
    alive(database, "w", kind="turns", silent_s=30.0)
    assert check_liveness(database, ServiceRole.TURNS, "h").ok, "others have its steps by now"

    alive(database, "w", kind="turns", silent_s=90.0)
    assert not check_liveness(database, ServiceRole.TURNS, "h").ok
    assert check_liveness(AWAY, ServiceRole.TURNS, "h").ok, "a restart would not help"


def test_no_address_is_told_to_who_may_only_ask(settings: ServiceSettings) -> None:
    away = Endpoints("redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0", AWAY.url)
    told = check_health(replace(settings, external=away), AWAY).checks

    assert not [check for check in told if "127.0.0.1" in check.why or "nobody" in check.why]
