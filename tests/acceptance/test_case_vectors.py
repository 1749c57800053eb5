"""Evidence of a case by meaning, through the command line: an embedding model on loopback, vectors in Postgres."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine
from tests.support.model_process import ModelServer

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

CHART = """SUBJECTIVE
A 70-year-old woman with hypertension.

ASSESSMENT AND PLAN
Hypertension. Continue lisinopril 10 mg daily.
"""
GUIDE = """Salt and brine: as little as can be.

Feet are looked at once a year.

Handwashing keeps infections from spreading on the ward.

Visitors leave before nine in the evening.

The kitchen is open from seven.
"""


def evidence(live: CommandLine, folder: Path, *more: str) -> list[dict[str, Any]]:
    done = live(
        "case", "chart.txt", "-p", "lenses", "--documents", "guide.md", "--json", *more, cwd=folder
    )  # fmt: skip
    passages: list[dict[str, Any]] = json.loads(done.stdout)["detail"]["evidence"]["passages"]
    return [each for each in passages if each["span"]["source"] == "documents/guide.md"]


def test_a_passage_that_shares_no_word_is_found_by_its_meaning(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "chart.txt").write_text(CHART)
    (tmp_path / "guide.md").write_text(GUIDE)
    config = tmp_path / "quorate.yaml"
    near = {"type": "embeddings", "model": "stand-in-vectors", "base_url": f"{model_server.url}/v1"}
    config.write_text(yaml.safe_dump({"providers": {"near": near}}))

    by_words = evidence(live, tmp_path)
    by_meaning = evidence(live, tmp_path, "--embedder", "near", "--config", str(config))

    assert not any("Salt" in each["span"]["text"] for each in by_words)
    found = next(each for each in by_meaning if "Salt" in each["span"]["text"])
    assert found["relevance"] >= 0.3
    assert found["nearness"] > 0.3
    assert not any("kitchen" in each["span"]["text"] for each in by_meaning)

    asked = len(model_server.calls("stand-in-vectors"))
    assert asked == 2  # the passages, and the queries
    again = evidence(live, tmp_path, "--embedder", "near", "--config", str(config))
    assert [each["span"]["text"] for each in again] == [each["span"]["text"] for each in by_meaning]
    assert len(model_server.calls("stand-in-vectors")) == asked + 1  # passages are known by now
