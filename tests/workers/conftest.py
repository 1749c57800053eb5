"""A worker in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.delivery.presence import Presence
from shared.store.database import Database
from tests.support.batch_server import batch_server
from tests.support.batch_stand import BatchStand
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker


@pytest.fixture
def worker(database: Database, tmp_path: Path) -> Iterator[StepWorker]:
    """A worker of turns that is present, without limits."""
    presence = Presence(database, "turns")
    presence.start()
    worker = StepWorker(TurnWorker(database), presence, Spool(tmp_path / "spool"))
    yield worker
    worker.close()
    presence.stop()


@pytest.fixture
def stand() -> Iterator[BatchStand]:
    """A provider's batch API of the test's own."""
    with batch_server() as served:
        yield served
