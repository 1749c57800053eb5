"""What belongs to projects, written straight into a database, and whether somebody can tell that it is there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.testclient import TestClient

from shared.models.batches import BatchLimits
from shared.store.batch_items import NewItem, add_items
from shared.store.batches import create_batch, open_batch
from shared.store.database import Connection, Database
from tests.fixtures.web import WebService
from tests.support.review_panel import submission
from tests.support.runs import execute

MINE, THEIRS, UNKNOWN = "mine", "theirs-of-all-names", "nothing-of-this-name"
THEIR_RUN = "theirsofallnames00000"


def stored_batch(web: WebService, name: str, projects: Sequence[str]) -> list[str]:
    """An open batch with an item of each of these projects; their runs."""
    spec = submission().spec
    items = [
        NewItem(
            position=number,
            custom_id=f"{name}-{number}",
            key=f"batch:{name}:{number}",
            run=f"{re.sub('[^a-z]', '', name)}{number:05}",
            title=f"about {name}",
            root_task="root",
            spec=spec.model_copy(update={"labels": {"project": project, "batch": name}}),
            body={},
        )
        for number, project in enumerate(projects)
    ]

    def write(connection: Connection) -> None:
        limits = BatchLimits()
        create_batch(
            connection,
            name=name,
            source=f"{name}.jsonl",
            fingerprint="f",
            total=len(items),
            limits=limits,
        )
        add_items(connection, name, items, {})
        assert open_batch(connection, name)

    web.backend.write(write)
    return [item.run for item in items]


def spend(database: Database, run: str, participant: str, usd: float) -> None:
    execute(
        database,
        "INSERT INTO usage (run_id, step, attempt, token, worker, request_sha, participant, provider, model, cost_usd, "
        "input_tokens, output_tokens) VALUES (%s, 's', 'a', 1, 'w', 'r', %s, %s, %s, %s, 10, 10)",
        run,
        participant,
        participant,
        participant,
        usd,
    )


def same_but_for_its_name(client: TestClient, method: str, path: str, name: str) -> bool:
    """Whether a request about this answers as one about what there is not, to the letter."""

    def answer(named: str) -> tuple[int, object]:
        body = {} if method == "POST" else None
        given = client.request(method, path.replace("NAME", named), json=body)
        headers = {
            key: value
            for key, value in given.headers.items()
            if key not in ("date", "content-length")
        }
        return given.status_code, (given.text.replace(named, "NAME"), headers)

    there, absent = answer(name), answer(UNKNOWN)
    return there == absent and there[0] == 404
