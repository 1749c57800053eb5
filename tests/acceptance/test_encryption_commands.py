"""An instance under a key of its operator: nothing readable on its disk, and nothing lost without the key."""

import json
import os
from base64 import b64encode
from pathlib import Path

import pytest

from orchestrator.embedded.servers import ensure
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.resealing import COLUMNS
from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance
CANARY = "subprocess.call"
"""Stands in the reviewed code, in what analysers find in it, and in the question to a person."""


def new_key(folder: Path, *earlier: str) -> tuple[dict[str, str], str]:
    key = b64encode(os.urandom(32)).decode()
    path = folder / "keys"
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text("\n".join([key, *earlier]) + "\n")
    return {"QUORATE_ENCRYPTION_KEY_FILE": str(path)}, key


def stored(database: Database) -> str:
    tables = {**COLUMNS, "documents": ("content",)}
    parts = []
    for table, columns in tables.items():
        for row in database.run(
            lambda c, t=table, x=columns: c.execute(f"SELECT {', '.join(x)} FROM {t}").fetchall()
        ):
            parts += [
                bytes(value).decode("latin-1") if isinstance(value, bytes) else json.dumps(value)
                for value in row
            ]
    return "\n".join(parts)


def test_a_review_under_a_key(
    quiet_home: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    keyed, first = new_key(tmp_path)
    review = ("review", "--participants", "ruff,bandit", "--decide", "later", "--json")
    asked = quiet_home(*review, cwd=changed_repository, environ=keyed)
    assert "leak" not in asked.stderr
    run = json.loads(asked.stdout)["run"]["id"]
    found = quiet_home("show", run, "--json", environ=keyed).stdout
    assert CANARY in quiet_home("show", run, "--patch", environ=keyed).stdout + found

    endpoints = ensure(ServiceSettings.from_environment(quiet_home.environ).instance)
    plain = Database(endpoints.database_url, pool_size=1, patience_s=10)
    assert CANARY not in stored(plain)

    refused = quiet_home("show", run)
    assert (refused.returncode, "encrypted with the key" in refused.stderr) == (5, True)
    assert "this process has none" in refused.stderr
    answered = quiet_home("decide", run, "skip", environ=keyed)
    assert answered.returncode in (0, 1), answered.stderr

    both, _ = new_key(tmp_path, first)
    rotated = quiet_home("encryption", "rotate", environ=both)
    assert rotated.returncode == 0, rotated.stderr
    newest, oldest, nothing = json.loads(
        quiet_home("encryption", "status", "--json", environ=both).stdout
    )["encryption"]["sealed"]
    by_key = {each["key"]: each["documents"] for each in (newest, oldest, nothing)}
    assert sorted(by_key.values())[:2] == [0, 0]
    assert by_key[""] == 0
    assert quiet_home("replay", run, environ=both).returncode == 0
    plain.close()
