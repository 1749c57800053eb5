"""A worker process before it serves: every task is registered, connections are its own and opened once."""

from pathlib import Path

import pytest

from shared.delivery.contracts import TASK_ADVANCE, TASK_APPLY, TASK_TOOL, TASK_TURN
from shared.instance import Endpoints, Instance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.processes import list_processes
from tests.support.runs import at_once
from workers.app import KINDS, build_app

pytestmark = pytest.mark.component


@pytest.fixture
def settings(servers: Endpoints, database_url: str, tmp_path: Path) -> ServiceSettings:
    endpoints = Endpoints(servers.broker_url, servers.redis_url, database_url)
    return ServiceSettings(instance=Instance.at(tmp_path), external=endpoints)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_workers_own_tasks_are_known_before_it_starts_and_no_other_kinds(
    settings: ServiceSettings, kind: str
) -> None:
    app, _runtime = build_app(settings, kind)

    ours = {name for name in app.tasks if name.startswith("quorate.")}

    assert ours == ({TASK_TOOL, TASK_APPLY} if kind == "tools" else {TASK_TURN})
    assert TASK_ADVANCE not in ours
    app.close()


def test_two_applications_in_one_process_do_not_share_their_tasks(
    settings: ServiceSettings,
) -> None:
    first, _ = build_app(settings, "turns")
    second, _ = build_app(settings, "turns")

    assert first.tasks[TASK_TURN] is not second.tasks[TASK_TURN]
    first.close()
    second.close()


def test_a_process_has_one_worker_however_many_threads_ask_first(
    settings: ServiceSettings, database: Database
) -> None:
    _app, runtime = build_app(settings, "turns")

    workers = at_once(8, lambda _n: runtime.current())

    assert len({id(worker) for worker in workers}) == 1
    known = database.run(list_processes)
    assert [(p.id, p.kind) for p in known] == [(workers[0].presence.process_id, "turns")]
    runtime.close()
    assert database.run(list_processes) == []


def test_nothing_is_opened_before_somebody_asks(
    settings: ServiceSettings, database: Database
) -> None:
    _app, runtime = build_app(settings, "tools")

    assert database.run(list_processes) == []
    runtime.close()
