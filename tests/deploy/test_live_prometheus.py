"""A real Prometheus with our configuration scrapes a real service: what alerts and dashboard ask for is there."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from orchestrator.application.api_tokens import add
from shared.models.metrics import METRICS
from shared.models.roles import Role
from tests.deploy.test_monitoring import ASKED, MONITORING, SELECTED
from tests.fixtures.web import Listen
from tests.support.runs import new_run

pytestmark = [pytest.mark.component, pytest.mark.needs_prometheus]

LONGEST_S = 120.0
WITH_A_LIMIT = "quorate_day_limit_usd"
DECLARED = {metric.name: metric for metric in METRICS}


@dataclass(frozen=True)
class LivePrometheus:
    """A server that scrapes every second, and what it scrapes."""

    http: httpx.Client
    scraped: str

    def ask(self, path: str, **query: str) -> Any:
        """What it answers; its own errors have no `data`."""
        return self.http.get(f"/api/v1/{path}", params=query).json()

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait for something. Raises AssertionError with `what` where it does not come."""
        end = time.monotonic() + LONGEST_S
        while not self._now(is_so):
            assert time.monotonic() < end, what
            time.sleep(0.5)

    def _now(self, is_so: Callable[[], bool]) -> bool:
        try:
            return is_so()
        except (httpx.TransportError, ValueError):  # it is about to start
            return False


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def configured(folder: Path, token: str, target: str) -> Path:
    """Our own configuration, with another target and without its quarter of a minute."""
    document = yaml.safe_load((MONITORING / "prometheus.yaml").read_text("utf-8"))
    document["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    (folder / "quorate.token").write_text(f"{token}\n")
    (scraped,) = document["scrape_configs"]
    scraped["authorization"]["credentials_file"] = str(folder / "quorate.token")
    scraped["static_configs"] = [{"targets": [target]}]
    shutil.copy(MONITORING / "alerts.yaml", folder)
    file = folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


@pytest.fixture
def prometheus(listening: Listen, tmp_path: Path) -> Iterator[LivePrometheus]:
    """Prometheus with a folder and a port of its own, which scrapes a service with a run."""
    service = listening()
    backend = service.service.backend
    new_run(backend.database, "critique/1/ada")
    token = add(backend, "prometheus", Role.VIEWER, None)
    target, port = f"127.0.0.1:{service.port}", free_port()
    words = [
        "prometheus",
        f"--config.file={configured(tmp_path, token, target)}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    log = tmp_path / "log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=stderr) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http,
    ):
        headers = {"Authorization": f"Bearer {token}"}
        scraped = httpx.get(f"http://{target}/metrics", headers=headers, timeout=60)
        assert scraped.status_code == 200
        try:
            yield LivePrometheus(http, scraped.text)
        finally:
            process.terminate()


def test_what_dashboard_and_alerts_ask_is_answered_by_a_prometheus_that_scrapes_a_service(
    prometheus: LivePrometheus,
) -> None:
    def targets() -> list[dict[str, Any]]:
        return list(prometheus.ask("targets")["data"]["activeTargets"])

    def rules() -> list[dict[str, Any]]:
        groups = prometheus.ask("rules")["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    prometheus.until(
        lambda: [each["health"] for each in targets()] == ["up"], "the target is not up"
    )
    (up,) = prometheus.ask("query", query='up{job="quorate"}')["data"]["result"]
    assert up["value"][1] == "1"

    families = set(re.findall(r"(?m)^# TYPE (\S+) ", prometheus.scraped))
    told = {
        each["metric"]
        for each in prometheus.ask("targets/metadata", match_target='{job="quorate"}')["data"]
    }
    assert families <= told
    for who, expression in ASKED:
        for name, _ in SELECTED.findall(expression):
            metric = DECLARED[re.sub("_(bucket|count|sum)$", "", name)]
            until_it_happens = bool(metric.labels) and not metric.always
            may_wait = until_it_happens or metric.name == WITH_A_LIMIT
            assert metric.name in families or may_wait, (who, name)
        asked = prometheus.ask("query", query=expression.replace("$job", ".*"))
        assert asked["status"] == "success", (who, expression, asked)
    assert prometheus.ask("query", query="sum by (")["status"] == "error"

    (running,) = prometheus.ask("query", query='quorate_runs{status="running"}')["data"]["result"]
    assert running["value"][1] == "1"
    series = set(prometheus.ask("label/__name__/values")["data"])
    asked_for = {name for _, expression in ASKED for name, _ in SELECTED.findall(expression)}
    exposed = set(re.findall(r"(?m)^(\w+)[{ ]", prometheus.scraped))
    assert asked_for & exposed <= series
    assert len(asked_for & exposed) > 10

    prometheus.until(
        lambda: bool(rules()) and all(rule["health"] == "ok" for rule in rules()),
        "a rule cannot be evaluated",
    )
    assert {rule["name"] for rule in rules()} == {
        rule["alert"]
        for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text("utf-8"))["groups"]
        for rule in group["rules"]
    }


def test_a_wrong_token_leaves_the_target_down(prometheus: LivePrometheus, tmp_path: Path) -> None:
    (tmp_path / "quorate.token").write_text("qrt_wrong\n")

    def reasons() -> str:
        return "".join(
            each["lastError"] for each in prometheus.ask("targets")["data"]["activeTargets"]
        )

    prometheus.until(lambda: "401" in reasons(), "the target is up with a wrong token")
