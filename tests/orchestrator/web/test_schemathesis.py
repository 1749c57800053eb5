"""The API does what its description says, whatever is sent: tried by schemathesis on a real socket."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.web import OWN_TOKEN, Listen
from tests.support.runs import new_run

pytestmark = [pytest.mark.component, pytest.mark.needs_schemathesis]

CONFIGURATION = Path(__file__).parents[2] / "data/schemathesis.toml"
LEFT_OUT = r"/batches$|/batches/validate$|/webhooks$|/webhooks/.*/test$|/readyz$"
"""What takes lines of JSON, which it cannot make, looks a name up, or waits for an orchestrator."""


def test_schemathesis_finds_nothing(listening: Listen, tmp_path: Path):
    service = listening()
    new_run(service.service.backend.database, "critique/1/ada")
    done = subprocess.run(
        [
            os.environ["QUORATE_TEST_SCHEMATHESIS"],
            *("--config-file", str(CONFIGURATION), "run"),
            f"http://127.0.0.1:{service.port}/api/v1/openapi.json",
            *("--header", f"Authorization: Bearer {OWN_TOKEN}"),
            *("--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--seed", "1"),
            *("--exclude-path-regex", LEFT_OUT, "--max-time", "12", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert service.service.bugs == []
