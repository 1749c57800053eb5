"""What the API answers about batches."""

from __future__ import annotations

import pytest

from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.projects import MINE, stored_batch
from tests.support.runs import execute

pytestmark = pytest.mark.component


def test_asking_again_says_for_how_many_items(web: WebService) -> None:
    failed, *_ = stored_batch(web, "nightly", [MINE] * 3)
    execute(web.backend.database, "UPDATE runs SET status = 'failed' WHERE id = %s", failed)

    answer = web.client_as(Role.SUBMITTER).post("/api/v1/batches/nightly/retry").json()

    assert (answer["retried"], answer["batch"]["name"]) == (1, "nightly")
