"""A case through the real command line and workers: what can be done at once is done at once."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

THOUGHT_S = 2.0
SCRIPT: list[dict[str, Any]] = [
    {
        "when": {"role": role},
        "reply": reply,
        "latency_s": THOUGHT_S,
    }
    for role, reply in (
        ("diagnosis", {"analysis": "pneumonia"}),
        ("treatment", {"analysis": "an antibiotic"}),
        ("critique", {"analysis": "nothing to add"}),
    )
]
SCRIPT += [{"when": {"role": "feedback"}, "reply": {"ok": True}}, {"reply": {"analysis": "-"}}]
NOTE = """Subjective
Mrs. Kim, a 72 year old woman, has had a cough for {day} days. She takes warfarin 5 mg daily.
Objective
BP 118/76 mmHg, HR 8{digit} bpm, temperature 37.{digit} C, potassium 4.{digit} mmol/L.
Assessment and plan
Pneumonia. Start amoxicillin 500 mg three times a day, check the INR in 3 days.

"""


def overlaps(steps: list[dict[str, Any]]) -> list[bool]:
    """Of each pair, whether one was worked on while the other was."""
    return [
        max(a["started_at_s"], b["started_at_s"]) < min(a["finished_at_s"], b["finished_at_s"])
        for a, b in combinations(steps, 2)
    ]


def test_both_analyses_and_all_critics_and_the_critics_tools_run_side_by_side(
    live: CommandLine, tmp_path: Path
) -> None:
    chart = "".join(NOTE.format(day=number + 2, digit=number % 10) for number in range(400))
    (tmp_path / "chart.txt").write_text(chart)
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(SCRIPT))
    speaker = {"type": "scripted", "script": str(tmp_path / "s.yaml")}
    config = tmp_path / "quorate.yaml"
    config.write_text(yaml.safe_dump({"providers": {"ada": speaker, "bob": speaker}}))
    done = live(
        "case", "chart.txt", "-p", "ada,bob", "--decide", "accept", "--max-iterations", "1",
        "--config", str(config), "--json", cwd=tmp_path, timeout_s=180,
    )  # fmt: skip
    report = json.loads(done.stdout)
    steps = [step for stage in report["rounds"] for step in stage["steps"]]
    by_role: dict[str, list[dict[str, Any]]] = {}
    for step in steps:
        by_role.setdefault(step["role"], []).append(step)
    analyses = [
        s for role in ("diagnosis", "treatment") for s in by_role[role] if s["kind"] == "turn"
    ]
    assert len(analyses) == 2
    assert all(overlaps(analyses))
    assert all(overlaps([step for step in by_role["critique"] if step["kind"] == "turn"]))
    assert len(by_role["lens"]) > 1
    assert any(overlaps(by_role["lens"]))  # as many at once as there are processors
    busy_s = sum(step["finished_at_s"] - step["started_at_s"] for step in steps)
    assert report["run"]["elapsed_s"] < busy_s - 1.5 * THOUGHT_S
