"""A turn whose key is in the keyring: the provider gets it, and nothing that is stored holds it."""

from __future__ import annotations

from collections.abc import Callable

import keyring
import pytest

from shared.models.outcomes import FailureKind
from shared.store.database import Database
from tests.support.file_keyring import FileKeyring
from tests.support.model_process import ModelServer
from tests.support.runs import step_row
from tests.support.turns import openai, turn, work
from workers.turns.steps import StepWorker

pytestmark = pytest.mark.component

KEY = "sk-" + "canary9876543210fedcbaFEDCBA"


def everything_stored(database: Database) -> str:
    """Every row of every table, as text; documents decoded."""
    with database.connection() as connection:
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        ).fetchall()
        rows = [
            str(row)
            for name in names
            for row in connection.execute(f'SELECT t::text FROM "{name.table_name}" t').fetchall()
        ]
        contents = connection.execute("SELECT content FROM documents").fetchall()
    return "\n".join((*rows, *(bytes(one.content).decode("utf-8", "replace") for one in contents)))


@pytest.mark.parametrize("fault", ["", "401", "malformed"])
def test_a_key_of_the_keyring_reaches_its_provider_and_no_table(
    worker: StepWorker,
    database: Database,
    model_server: ModelServer,
    use_keyring: Callable[[type], None],
    fault: str,
) -> None:
    use_keyring(FileKeyring)
    entry, model = f"turn{fault}", f"keyring{fault}--fault={fault}"
    keyring.set_password("quorate", entry, KEY)
    who = openai(model_server, model)
    who = who.model_copy(update={"options": {**who.options, "api_key_keyring": entry}})
    run = turn(database, who)

    work(worker, run)

    (call,) = model_server.calls(model)
    assert call["key"]
    stored = everything_stored(database)
    assert entry in stored
    assert KEY not in stored


def test_a_key_that_nobody_stored_is_a_refused_key_and_no_call(
    worker: StepWorker,
    database: Database,
    model_server: ModelServer,
    use_keyring: Callable[[type], None],
) -> None:
    use_keyring(FileKeyring)
    who = openai(model_server, "keyless")
    who = who.model_copy(update={"options": {**who.options, "api_key_keyring": "nobody/me"}})
    run = turn(database, who)

    work(worker, run)

    row = step_row(database, run, "a")
    assert row.failure_kind == FailureKind.CREDENTIALS
    assert "the keyring has none at 'nobody/me'" in row.failure_message
    assert model_server.calls("keyless") == []
