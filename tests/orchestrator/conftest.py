"""The real application on the session's Redis, with nobody consuming from it."""

from collections.abc import Iterator

import pytest
from celery import Celery

from shared.delivery.broker import make_app


@pytest.fixture
def app(broker_url: str) -> Iterator[Celery]:
    """An application whose published messages stay in their queues."""
    made = make_app(broker_url, slots=4)
    yield made
    made.close()
