"""Alerts and dashboard: their own tool accepts them, each alert is shown to fire and to be silent, and each asks for
metrics and labels that there are."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.models.metrics import METRICS, MetricKind, exposed_names

MONITORING = Path(__file__).resolve().parents[2] / "deploy/monitoring"
ALERTS = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((MONITORING / "grafana.json").read_text("utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
LABELS = {
    name: {*metric.labels, *({"le"} if metric.kind is MetricKind.HISTOGRAM else ())}
    for metric in METRICS
    for name in (metric.name, *(metric.name + end for end in ("_bucket", "_count", "_sum")))
}
OF_SCRAPES = {"job", "instance"}
SELECTED = re.compile(r"(quorate_[a-z_]+)(?:\{([^}]*)\})?")


def expressions() -> Iterator[tuple[str, str]]:
    """Everything that is asked of Prometheus, by who asks."""
    yield from ((rule["alert"], rule["expr"]) for rule in ALERTS)
    for panel in PANELS:
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])


ASKED = list(expressions())


@pytest.mark.parametrize(("who", "expression"), ASKED, ids=[who for who, _ in ASKED])
def test_what_is_asked_for_is_told(who: str, expression: str) -> None:
    selected = SELECTED.findall(expression)
    assert selected, who
    for name, selector in selected:
        assert name in exposed_names()
        labels = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector))
        assert labels <= LABELS[name] | OF_SCRAPES, (name, labels)
    known = set().union(*(LABELS[name] for name, _ in selected)) | OF_SCRAPES
    for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
        assert set(re.split(r",\s*", grouped)) <= known, expression


def test_the_dashboard_shows_every_metric() -> None:
    """What is declared and shown nowhere is either not worth its query, or missed."""
    asked = {name for _, expression in ASKED for name, _ in SELECTED.findall(expression)}
    shown = {re.sub("_(bucket|count|sum)$", "", name) for name in asked}
    assert {metric.name for metric in METRICS} - shown == set()


def test_legends_and_summaries_use_labels_that_there_are() -> None:
    for panel in PANELS:
        for target in panel["targets"]:
            names = [name for name, _ in SELECTED.findall(target["expr"])]
            known = set().union(*(LABELS[name] for name in names)) | OF_SCRAPES
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= known, panel[
                "title"
            ]
    for rule in ALERTS:
        names = [name for name, _ in SELECTED.findall(rule["expr"])]
        known = set().union(*(LABELS[name] for name in names)) | OF_SCRAPES
        used = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        assert used <= known, rule["alert"]


def test_no_two_panels_share_a_place_or_an_id() -> None:
    places: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (column, line)
            for column in range(at["x"], at["x"] + at["w"])
            for line in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & places, panel["title"]
        places |= cells
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))


def promtool(*words: str) -> None:
    done = subprocess.run(
        ["promtool", *words],
        cwd=MONITORING,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.needs_promtool
def test_promtool_accepts_the_alerts_and_its_tests_of_each_pass() -> None:
    promtool("check", "rules", "alerts.yaml")
    promtool("test", "rules", "alerts.test.yaml")


def test_each_alert_is_shown_to_fire_and_to_be_silent() -> None:
    tests: list[dict[str, Any]] = yaml.safe_load(
        (MONITORING / "alerts.test.yaml").read_text("utf-8")
    )["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"]]
    fired = {case["alertname"] for case in cases if case.get("exp_alerts")}
    silent = {case["alertname"] for case in cases if not case.get("exp_alerts")}

    assert {rule["alert"] for rule in ALERTS} == fired == silent


@pytest.mark.needs_promtool
def test_promtool_reads_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$job", "x")}
        for number, (_, expression) in enumerate(ASKED)
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))

    promtool("check", "rules", "--lint=none", str(file))


def known_by_grafana(dashboard: dict[str, Any]) -> list[str]:
    """What Grafana's own model of a dashboard does not know of this one, or would change."""
    words = [os.environ["QUORATE_TEST_GRAFANA"], str(MONITORING.parents[1] / ".ci/dashboard.py")]
    asked = json.dumps(dashboard)
    done = subprocess.run(
        words, input=asked, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.mark.needs_grafana_sdk
def test_grafanas_own_model_knows_everything_in_the_dashboard() -> None:
    assert known_by_grafana(DASHBOARD) == []

    wrong = json.loads(json.dumps(DASHBOARD))
    wrong["panels"][1]["fieldConfigg"] = wrong["panels"][1].pop("fieldConfig")
    wrong["tempalting"] = wrong.pop("templating")
    assert known_by_grafana(wrong) == [
        "/panels/1/fieldConfigg is not known",
        "/tempalting is not known",
    ]


def test_each_panel_asks_the_source_that_is_chosen_above() -> None:
    """The model checks names; these are the values without which a panel stays empty."""
    variables = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["datasource"]["query"] == "prometheus"
    source = {"type": "prometheus", "uid": "${datasource}"}
    assert variables["job"]["datasource"] == source
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,40}", DASHBOARD["uid"])
    for panel in PANELS:
        assert panel["datasource"] == source, panel["title"]
        letters = [target["refId"] for target in panel["targets"]]
        assert len(letters) == len(set(letters)) > 0, panel["title"]
        for target in panel["targets"]:
            assert target["datasource"] == source
            assert set(re.findall(r"\$\{?(\w+)", target["expr"])) <= variables.keys()
