"""Code by its meaning, through the command line: an embedding model on loopback, vectors in Postgres."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine, git
from tests.support.model_process import ModelServer

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]
MODEL = "stand-in-vectors"
CODE = {
    "kitchen.py": 'def season(dish):\n    """Salt and brine."""\n    return dish\n',
    "doors.py": 'def unlock(key):\n    """Opens what is shut."""\n    return key\n',
}


def search(live: CommandLine, folder: Path, *more: str) -> dict[str, Any]:
    """What is found for a word that the stand-in takes for the same as salt."""
    done = live("graph", "search", "hypertension", "--json", *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def symbols(answer: dict[str, Any]) -> list[str]:
    return [hit["symbol"] for hit in answer["hits"]]


def test_code_is_found_by_its_meaning_embedded_once_and_without_the_model_as_before(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    for name, text in CODE.items():
        (folder / name).write_text(text)
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "code")
    config = tmp_path / "quorate.yaml"
    near = {"type": "embeddings", "model": MODEL, "base_url": f"{model_server.url}/v1"}
    dead = {**near, "base_url": "http://127.0.0.1:9/v1", "model": "dead"}
    elsewhere = {**near, "base_url": "https://vectors.example/v1"}
    providers = {"near": near, "dead": dead, "elsewhere": elsewhere}
    config.write_text(yaml.safe_dump({"providers": providers, "panel": {"embedder": "near"}}))

    assert symbols(search(live, folder)) == []
    found = search(live, folder, "--config", str(config))
    assert symbols(found)[0] == "kitchen.season"
    assert found["hits"][0]["ways"][0] == "vector"
    asked = len(model_server.calls(MODEL))
    assert asked == 2  # the query, and the definitions
    assert search(live, folder, "--config", str(config))["hits"] == found["hits"]
    assert len(model_server.calls(MODEL)) == asked + 1  # the definitions are known by now

    nobody = search(live, folder, "--config", str(config), "--embedder", "none")
    assert (symbols(nobody), nobody["problems"]) == ([], [])
    for name, code in (("dead", "code_vectors_missing"), ("elsewhere", "code_embedder_elsewhere")):
        told = search(live, folder, "--config", str(config), "--embedder", name)
        assert symbols(told) == []
        assert [problem["code"] for problem in told["problems"]] == [code]
    assert len(model_server.calls(MODEL)) == asked + 1

    wrong = live("graph", "search", "x", "--config", str(config), "--embedder", "rules", cwd=folder)
    assert wrong.returncode == 2
    assert "type: embeddings" in wrong.stderr
