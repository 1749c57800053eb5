"""What deploy/ and docker-compose.yml promise, read from the files and, for Flower, by Flower."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from orchestrator.application.health import ServiceRole

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("migrate", "orchestrator", "turns", "tools", "flower", "cli", "serve", "scheduler")
FLOWERCONFIG = ROOT / "deploy" / "flowerconfig.py"
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
SECRET = re.compile(r"API_KEY|_TOKEN|SECRET")


@pytest.mark.parametrize(
    ("service", "command"),
    [
        ("migrate", ["quorate", "db", "upgrade"]),
        ("orchestrator", ["quorate", "orchestrator"]),
        ("turns", ["quorate-worker", "turns"]),
        ("tools", ["quorate-worker", "tools"]),
        ("flower", ["quorate", "flower", "--address", "0.0.0.0"]),
        ("scheduler", ["quorate", "scheduler"]),
        ("serve", ["quorate", "serve", "--host", "0.0.0.0", "--allow-host", "serve"]),
    ],
)
def test_only_our_two_scripts_start_processes(service: str, command: list[str]):
    assert SERVICES[service]["command"] == command


def test_provider_keys_reach_who_asks_providers_and_nobody_else():
    with_keys = [name for name, service in SERVICES.items() if "env_file" in service]
    assert with_keys == ["turns", "scheduler"]
    for service in SERVICES.values():
        assert not SECRET.search(json.dumps(service.get("environment", {})))


def test_no_password_is_written_down():
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert re.findall(r"[A-Z]+_PASSWORD: (?!\$\{\w+:\?)", text) == []
    for example in (ROOT / "deploy").glob("example*.env"):
        values = re.findall(r"(?m)^\w*(?:PASSWORD|AUTH|KEY)=(.*)$", example.read_text("utf-8"))
        assert not any(values)


def test_only_the_turns_worker_and_what_is_looked_at_leave_the_inside_network():
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    outside = {name for name, service in SERVICES.items() if "outside" in service["networks"]}
    assert outside == {"turns", "flower", "serve", "prometheus", "grafana"}


def test_nothing_is_published_but_on_loopback():
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert set(published) == {"flower", "serve", "prometheus", "grafana"}
    assert all(
        re.fullmatch(r"127\.0\.0\.1:(\d+):\1", port)
        for ports in published.values()
        for port in ports
    )


@pytest.mark.parametrize("role", list(ServiceRole))
def test_a_container_is_asked_about_its_own_kind_of_process(role: ServiceRole):
    assert SERVICES[role]["healthcheck"]["test"] == ["CMD", "quorate", "health", "--role", role]


def test_what_compose_mounts_is_there():
    mounted = [
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
        if volume.startswith("./")
    ]
    assert mounted
    written = {"./deploy/metrics.token"}  # by whoever deploys it
    assert [name for name in mounted if name not in written and not (ROOT / name).exists()] == []


def test_a_stop_waits_for_calls_under_way():
    for name in ("turns", "tools"):
        assert SERVICES[name]["stop_grace_period"] == "660s"
    worker = (ROOT / "deploy/systemd/quorate-worker@.service").read_text("utf-8")
    assert "TimeoutStopSec=660" in worker.splitlines()


HARDENED = {
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectKernelLogs=yes",
    "ProtectClock=yes",
    "RestrictRealtime=yes",
    "SystemCallArchitectures=native",
    "UMask=0077",
    "KillMode=mixed",
}


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_is_hardened_and_its_program_is_one_of_ours(unit: Path):
    lines = unit.read_text(encoding="utf-8").splitlines()
    assert HARDENED - set(lines) == set()
    (start,) = [line for line in lines if line.startswith("ExecStart=")]
    assert re.fullmatch(r"ExecStart=/opt/quorate/bin/quorate(-worker)? \S.*", start)


def test_no_password_stands_in_a_command_line():
    assert not [
        name for name, service in SERVICES.items() if "PASSWORD" in str(service.get("command"))
    ]
    assert "requirepass ${QUORATE_REDIS_PASSWORD" in COMPOSE["configs"]["redis"]["content"]
    assert SERVICES["redis"]["configs"] == [{"source": "redis", "target": "/run/valkey.conf"}]
    assert "valkey-server /run/valkey.conf " in SERVICES["redis"]["command"]


def test_redis_keeps_what_it_was_given():
    command = SERVICES["redis"]["command"]
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command


def test_work_starts_when_the_servers_are_healthy_and_the_schema_is_current():
    assert all("healthcheck" in SERVICES[name] for name in ("redis", "postgres"))
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("orchestrator", "turns", "tools", "flower"):
        assert SERVICES[name]["depends_on"] == {
            "redis": {"condition": "service_healthy"},
            "migrate": {"condition": "service_completed_successfully"},
        }
        assert SERVICES[name]["restart"] == "always"


def test_every_process_of_ours_gets_the_addresses_and_no_privilege():
    for name in OURS:
        assert {"QUORATE_REDIS_URL", "QUORATE_DATABASE_URL"} <= SERVICES[name]["environment"].keys()
        assert SERVICES[name]["cap_drop"] == ["ALL"]


def test_the_image_is_locked_unprivileged_and_safe_from_generic_package_names():
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes" in dockerfile
    assert "PYTHONSAFEPATH=1" in dockerfile
    assert re.search(r"(?m)^USER quorate$", dockerfile)
    allowed = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    copied = [
        source
        for line in re.findall(r"(?m)^COPY (?!--)(.+)$", dockerfile)
        for source in line.split()[:-1]
    ]
    assert {f"!{source}" for source in copied} <= set(allowed)
    assert all((ROOT / source).exists() for source in copied)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_restarts_what_dies_and_is_safe_from_generic_package_names(unit: Path):
    lines = unit.read_text(encoding="utf-8").splitlines()
    assert {"Restart=always", "Environment=PYTHONSAFEPATH=1", "User=quorate"} <= set(lines)


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on PATH"
)
def test_systemd_accepts_the_units_and_calls_none_of_them_exposed(tmp_path: Path):
    names = []
    for unit in UNITS:
        text = re.sub(r"/opt/quorate/bin/quorate(-worker)?", "/bin/true", unit.read_text("utf-8"))
        names.append(unit.name.replace("@", "@turns"))
        (tmp_path / names[-1]).write_text(re.sub(r"(?m)^(User|Group)=.*", r"\1=root", text))
    for words in (["verify"], ["security", "--offline=true", "--threshold=50"]):
        done = subprocess.run(
            ["systemd-analyze", *words, *names],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert not [line for line in done.stderr.splitlines() if line.startswith(str(tmp_path))]


# ---- Flower --------------------------------------------------------------------------------------

READ_OPTIONS = """
import json, sys
from flower import options as _defined
from tornado.options import options, parse_config_file
parse_config_file(sys.argv[1])
names = ("tasks_columns", "read_only", "natural_time", "max_tasks", "task_runtime_metric_buckets")
print(json.dumps({name: getattr(options, name) for name in names} | {
    "formats": callable(options.format_task)}))
"""


def test_flower_accepts_its_configuration():
    outcome = subprocess.run(
        [sys.executable, "-c", READ_OPTIONS, str(FLOWERCONFIG)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    options = json.loads(outcome.stdout)
    assert options["read_only"] is True
    assert options["formats"] is True
    assert options["tasks_columns"].split(",")[:3] == ["name", "kwargs", "state"]
    assert max(options["task_runtime_metric_buckets"]) == 600.0


def test_flower_shows_ids_and_hides_what_is_too_long_to_be_ids():
    format_task = runpy.run_path(str(FLOWERCONFIG))["format_task"]
    kwargs = "{'run': 'run_01', 'participant': 'claude', 'round': 2, 'role': 'critique'}"
    task = SimpleNamespace(args="()", kwargs=kwargs, result="x" * 1024, traceback="Traceback: ...")
    shown = format_task(task)
    assert (shown.args, shown.kwargs) == ("()", kwargs)
    assert shown.result == "(1024 characters, not shown)"
    assert shown.traceback == "(in the worker's log)"
