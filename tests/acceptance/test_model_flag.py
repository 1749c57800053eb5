"""`-m MODEL`: the model that was typed is the one that a worker calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine
from tests.support.model_process import ModelServer

pytestmark = pytest.mark.acceptance


def test_the_model_that_was_typed_is_called_and_kept_with_the_run(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    environ = {"QUORATE_OPENAI_BASE_URL": f"{model_server.url}/v1", "QUORATE_DISCOVER": "off"}
    done = live("ask", "Why?", "-m", "typed-model", "--json", cwd=tmp_path, environ=environ)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [member["model"] for member in result["participants"]] == ["typed-model"]
    assert len(model_server.calls("typed-model")) == 1
    shown = live("show", result["run"]["id"], "--json", cwd=tmp_path)
    assert json.loads(shown.stdout)["participants"] == result["participants"]
