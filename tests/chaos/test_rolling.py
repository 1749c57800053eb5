"""Workers that stop and workers that replace them, on servers of their own: calls are finished, paid once, and nobody
waits for a person."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shared.instance import Endpoints
from shared.store.database import Database
from tests.extension.installation import copy_packages, make_environment
from tests.fixtures.instance import make_command_line
from tests.support.bad_servers import server
from tests.support.outside_stand import MODELS_CAST, PERSONS_CAST, STARTED, HeldModel, OutsideStand

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]


@pytest.fixture
def stand(
    servers: Endpoints, database_url: str, broker_url: str, tmp_path: Path
) -> Iterator[OutsideStand]:
    assert broker_url
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    command = make_command_line(tmp_path, **urls, QUORATE_ALLOWED="anything")
    model = HeldModel()
    database = Database(database_url, pool_size=1, patience_s=10)
    with server(model.speak) as model.url:
        made = OutsideStand(command, database, model)
        yield made
        made.close()
    database.close()


def test_a_stop_waits_for_calls_under_way_and_for_no_person(stand: OutsideStand) -> None:
    stand.start("orchestrator", program="quorate")
    worker = stand.start("turns", program="quorate-worker")
    stand.alive("turns")
    stand.ask(PERSONS_CAST)
    put_off = "SELECT count(*) FROM steps WHERE participant = 'bob' AND held_back_at IS NOT NULL"
    stand.until(lambda: stand.model.calls == 1 and stand.value(put_off) == 1)

    worker.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(2)  # the call is paid: it is not cut off
    stand.model.allow(1)

    assert worker.wait(STARTED) == 0, "it did not wait for the person"
    done = "SELECT count(*) FROM steps WHERE participant = 'ann' AND status = 'done'"
    assert (stand.value(done), stand.model.calls) == (1, 1)
    assert stand.value("SELECT status FROM runs") == "running", "the person's turn is still open"


@pytest.mark.slow
@pytest.mark.chaos
def test_old_workers_are_replaced_by_new_ones_in_the_middle_of_their_calls(
    stand: OutsideStand, tmp_path: Path
) -> None:
    home = copy_packages(tmp_path)
    with (home / "shared/faults.py").open("a") as file:
        file.write("# another version\n")
    newer = replace(stand.command, cold=True, scripts=make_environment(tmp_path / "env", home))
    old = [
        stand.start("orchestrator", program="quorate"),
        stand.start("turns", program="quorate-worker"),
    ]
    stand.alive("turns")
    stand.ask(MODELS_CAST, runs=4)
    stand.until(lambda: stand.model.calls == 4)

    stand.start("turns", program="quorate-worker", command=newer)
    stand.start("orchestrator", program="quorate", command=newer)
    stand.alive("turns", 2)
    stand.alive("orchestrator", 2)
    versions = "SELECT count(DISTINCT version) FROM processes"
    assert stand.value(versions) == 2
    assert "both work side by side" in stand.command("status").stdout
    for service in old:
        service.terminate()
    stand.ask(MODELS_CAST, runs=4)
    stand.until(lambda: stand.model.calls == 8)
    stand.model.allow(8)

    assert [service.wait(STARTED) for service in old] == [0, 0]
    stand.until(lambda: stand.value("SELECT count(*) FROM runs WHERE status = 'completed'") == 8)
    assert stand.model.calls == 8, "each call was paid once"
    assert stand.value("SELECT max(attempts) FROM steps") == 1
