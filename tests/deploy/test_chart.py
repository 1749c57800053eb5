"""The Helm chart, linted and rendered by Helm's engine and held against the schemas of Kubernetes and KEDA."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared import settings
from shared.store.database import Database
from tests.support.json_schema import misfits
from tests.support.runs import new_run, take

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm/quorate"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
EVERYTHING = {
    "turns": {"autoscaling": {"enabled": False}, "replicas": 3},
    "serve": {
        "hosts": ["q.example"],
        "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls"},
    },
    "metrics": {"serviceMonitor": {"enabled": True}},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "maxUsdPerDay": 50,
    "traces": {"endpoint": "http://collector:4318"},
    "extraEnv": [{"name": "TZ", "value": "Asia/Seoul"}],
    "networkPolicy": {"servers": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
    "imagePullSecrets": [{"name": "registry"}],
}
WRONG: Mapping[str, dict[str, Any]] = {
    "an unknown value": {"orchestrator": {"replica": 3}},
    "no slots": {"turns": {"slots": 0}},
    "a policy that there is not": {"image": {"pullPolicy": "Sometimes"}},
    "an ingress without a host": {"serve": {"ingress": {"enabled": True}}},
}

Rendered = dict[tuple[str, str], dict[str, Any]]


def look(*values: dict[str, Any]) -> list[dict[str, Any]]:
    """What Helm makes of each of these values."""
    words = [os.environ["QUORATE_TEST_HELM"], str(ROOT / ".ci/chart.py"), str(CHART)]
    asked = json.dumps(values)
    done = subprocess.run(
        words, input=asked, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def looked() -> list[dict[str, Any]]:
    """The chart as it is, with everything, and with what is wrong: one start of Helm for all."""
    return look({}, EVERYTHING, *WRONG.values())


def objects(looked: dict[str, Any]) -> Rendered:
    assert looked["errors"] == []
    return {(each["kind"], each["metadata"]["name"]): each for each in looked["objects"]}


def container(rendered: Rendered, component: str, kind: str = "Deployment") -> dict[str, Any]:
    spec = rendered[kind, f"quorate-{component}"]["spec"]["template"]["spec"]
    (only,) = spec["containers"]
    return {**only, "pod": spec}


def test_values_fit_their_schema() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    schema.pop("$schema")

    assert misfits(VALUES, schema) == []
    assert misfits({**VALUES, "typo": 1}, schema) != []


def test_the_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert f'version = "{chart["appVersion"]}"' in (ROOT / "pyproject.toml").read_text("utf-8")


@pytest.mark.needs_helm
@pytest.mark.parametrize("which", [0, 1], ids=["as it is", "with everything"])
def test_helm_and_kubernetes_accept_it(looked: list[dict[str, Any]], which: int) -> None:
    rendered = objects(looked[which])

    for component in ("orchestrator", "turns", "tools", "scheduler", "serve"):
        assert container(rendered, component)["securityContext"]["readOnlyRootFilesystem"] is True
        assert container(rendered, component)["pod"]["automountServiceAccountToken"] is False


@pytest.mark.needs_helm
@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_are_refused(looked: list[dict[str, Any]], name: str) -> None:
    assert looked[2 + list(WRONG).index(name)]["errors"] != []


@pytest.mark.needs_helm
def test_only_our_two_scripts_start_processes(looked: list[dict[str, Any]]) -> None:
    rendered = objects(looked[0])

    assert container(rendered, "orchestrator")["args"] == ["quorate", "orchestrator"]
    assert container(rendered, "turns")["args"] == ["quorate-worker", "turns"]
    assert container(rendered, "tools")["args"][:2] == ["quorate-worker", "tools"]
    assert container(rendered, "migrate", "Job")["args"] == ["quorate", "db", "upgrade"]
    assert container(rendered, "serve")["args"][:4] == ["quorate", "serve", "--host", "0.0.0.0"]


@pytest.mark.needs_helm
def test_provider_keys_reach_who_asks_providers_and_nobody_else(
    looked: list[dict[str, Any]],
) -> None:
    rendered = objects(looked[0])

    components = ("orchestrator", "turns", "tools", "scheduler", "serve")
    with_keys = [name for name in components if "envFrom" in container(rendered, name)]
    assert with_keys == ["turns", "scheduler"]


@pytest.mark.needs_helm
def test_a_probe_restarts_only_what_hangs_and_a_stop_waits_for_calls(
    looked: list[dict[str, Any]],
) -> None:
    rendered = objects(looked[0])

    for role in ("orchestrator", "turns", "tools"):
        probed = container(rendered, role)
        command = ["quorate", "health", "--role", role]
        assert probed["livenessProbe"]["exec"]["command"] == [*command, "--live"]
        assert probed["readinessProbe"]["exec"]["command"] == command
    assert container(rendered, "turns")["pod"]["terminationGracePeriodSeconds"] >= 600


@pytest.mark.needs_helm
@pytest.mark.component
def test_workers_are_scaled_by_what_waits_and_what_is_in_flight(
    looked: list[dict[str, Any]], database: Database
) -> None:
    rendered = objects(looked[0])
    (turns,) = rendered["ScaledObject", "quorate-turns"]["spec"]["triggers"]
    (tools,) = rendered["ScaledObject", "quorate-tools"]["spec"]["triggers"]
    take(database, new_run(database, "held", "due"), "held")

    def asked(trigger: dict[str, Any]) -> int:
        row = database.run(lambda c: c.execute(trigger["metadata"]["query"]).fetchone())
        assert row is not None
        return int(row[0])

    assert (asked(turns), asked(tools)) == (2, 0)
    assert turns["metadata"]["targetQueryValue"] == "800"
    assert ("ScaledObject", "quorate-turns") not in objects(looked[1])


@pytest.mark.needs_helm
def test_every_variable_that_the_chart_sets_is_one_that_processes_read(
    looked: list[dict[str, Any]],
) -> None:
    rendered = objects(looked[1])
    names = {
        entry["name"]
        for component in ("orchestrator", "turns", "tools", "serve", "scheduler")
        for entry in container(rendered, component)["env"]
    }

    ours = {name for name in names if name.startswith("QUORATE_")}
    assert {name for name in ours if name not in str(settings.__doc__)} == set()
