"""The pages for operators say what the code says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from benchmarks.sizing import FIGURES, KEPT, PAGE, connections, read, with_figures
from shared.models.metrics import METRICS
from shared.providers.tables import table

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs/operations.md").read_text("utf-8")
RUNBOOK = (ROOT / "docs/runbook.md").read_text("utf-8")
BEGIN, END = "<!-- table of metrics -->\n", "\n<!-- end of the table -->"


def table_of_metrics() -> str:
    """What stands in operations.md."""
    rows = [
        (
            f"`{metric.name}`",
            metric.kind,
            ", ".join(f"`{label}`" for label in metric.labels),
            metric.help,
        )
        for metric in METRICS
    ]
    return table(("name", "kind", "labels", "what it counts"), rows)


def test_the_table_of_metrics_is_that_of_the_code() -> None:
    assert OPERATIONS.partition(BEGIN)[2].partition(END)[0] == table_of_metrics()


def test_the_figures_of_the_sizing_page_are_those_that_were_kept() -> None:
    page = PAGE.read_text("utf-8")

    assert with_figures(page, read(FIGURES), read(KEPT)) == page


def test_connections_are_counted_for_every_kind_of_process() -> None:
    counted = dict(connections())

    assert len(counted) == 4
    assert all(number > 1 for number in counted.values())


@pytest.mark.parametrize(
    "rule",
    [
        rule
        for group in yaml.safe_load((ROOT / "deploy/monitoring/alerts.yaml").read_text("utf-8"))[
            "groups"
        ]
        for rule in group["rules"]
    ],
    ids=lambda rule: rule["alert"],
)
def test_every_alert_has_its_section_in_the_runbook(rule: dict[str, dict[str, str]]) -> None:
    sections = set(re.findall(r"(?m)^## (\S+)$", RUNBOOK))

    assert rule["annotations"]["runbook"] in sections


def test_the_kept_figures_are_json_that_nobody_wrote_by_hand() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))

    assert kept.keys() == {"machine", "reviews", "kb_a_review", "look_ms", "memory_mb"}
