"""Behind a service batches are what they are in the store, and so is what people do to them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from orchestrator.application.batch_desk import StoredBatches, watch_batch
from orchestrator.client.remote_batches import RemoteBatches
from shared.errors import NotAllowed, UnknownRun, UserError
from shared.models.batches import BatchLimits, BatchState, BatchStatus, ItemState
from shared.models.notices import Notice
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.orchestrator.client.test_remote_installation import REVIEW, client

pytestmark = pytest.mark.component

LINES = "".join(
    json.dumps({"custom_id": name, "workflow": "review", "participants": ["ruff"], "input": REVIEW})
    + "\n"
    for name in ("a", "b")
)


class Observer:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.seen: list[BatchStatus] = []

    def changed(self, status: BatchStatus) -> None:
        self.seen.append(status)

    def warn(self, notice: Notice) -> None:
        raise AssertionError(notice)


@pytest.fixture
def remote(web: WebService) -> Iterator[RemoteBatches]:
    with client(web) as opened:
        opened.submit_batch(LINES.encode(), name="first")
        yield RemoteBatches(opened)


def test_how_it_stands_and_what_it_came_to_is_the_same(web: WebService, remote: RemoteBatches):
    stored = StoredBatches(web.backend)
    assert remote.batch("last") == stored.batch("first")
    assert remote.batches(5) == stored.batches(5)
    assert remote.standing("first") == stored.standing("first")
    assert remote.cohort("first") == stored.cohort("first")
    assert list(remote.result_lines("first", errors=False)) == []
    with pytest.raises(UnknownRun, match="there is no batch"):
        remote.batch("second")


def test_it_is_paused_retried_and_cancelled_from_there(web: WebService, remote: RemoteBatches):
    assert remote.pause_batch("first", paused=True).batch.paused
    with pytest.raises(UserError, match="paused already"):
        remote.pause_batch("first", paused=True)
    assert not remote.pause_batch("first", paused=False).batch.paused
    status, items = remote.retry_batch("first", BatchLimits(max_usd=3.0), cancelled=False)
    assert (items, status.batch.limits.max_usd) == (0, 3.0)
    observer = Observer()
    assert not watch_batch(remote, "first", observer, 0.0).stands
    ended = remote.cancel_batch("first", "me", at_once=True)
    assert ended.batch.state is BatchState.CANCELLED
    assert watch_batch(remote, "first", observer, 20.0).counts[ItemState.CANCELLED] == 2
    assert len(observer.seen) == 2
    with pytest.raises(UserError, match="nothing of it can begin"):
        remote.retry_batch("first", BatchLimits(), cancelled=True)


def test_a_viewer_looks_and_changes_nothing(web: WebService, remote: RemoteBatches):
    token = web.client_as(Role.VIEWER).headers["authorization"].removeprefix("Bearer ")
    with client(web, token) as opened:
        viewer = RemoteBatches(opened)
        assert viewer.cohort("first").report.total == 2
        for change in (
            lambda: viewer.pause_batch("first", paused=True),
            lambda: viewer.cancel_batch("first", "me", at_once=True),
            lambda: viewer.retry_batch("first", BatchLimits(), cancelled=False),
        ):
            with pytest.raises(NotAllowed, match="role submitter"):
                change()
