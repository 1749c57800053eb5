"""docker-compose.yml as Compose reads it: each profile by itself, held against the specification and the product."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from orchestrator.cli.main import cli
from orchestrator.settings.layers import ENVIRONMENT
from shared.settings import ServiceSettings
from workers.main import make_parser

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
PROFILES = ("", *sorted({each for one in SERVICES.values() for each in one.get("profiles", ())}))
UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
EXAMPLES = (*(ROOT / "deploy").glob("*.env"), *(ROOT / "deploy/systemd").glob("*.example"))
INTERPOLATED = re.compile(r"\$\{(\w+)(?:(:[-?])([^{}]*))?\}")
WRONG = {
    "an unknown key": ("healthcheck:", "healthchek:"),
    "a condition that there is not": ("service_healthy", "service_happy"),
    "a number of replicas that is none": ('"${QUORATE_TURNS_REPLICAS:-1}"', "[1]"),
    "ports that are no list": ('["127.0.0.1:8765:8765"]', "8765"),
}


class ReadNames(dict[str, str]):
    """An environment that remembers what it was asked for."""

    def __init__(self, *given: Mapping[str, str]) -> None:
        super().__init__(*given)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.names.add(str(name))
        return super().__contains__(name)


def known_variables() -> set[str]:
    """What a service reads of its environment, and what a run's configuration does."""
    servers = {
        "QUORATE_REDIS_URL": "redis://127.0.0.1/0",
        "QUORATE_DATABASE_URL": "postgresql+psycopg://127.0.0.1/x",
    }
    alone, together = ReadNames({"HOME": "/nowhere"}), ReadNames({"HOME": "/nowhere", **servers})
    for environ in (alone, together):
        ServiceSettings.from_environment(environ)
    return alone.names | together.names | {variable for variable, _ in ENVIRONMENT}


def filled_in(text: str, environ: Mapping[str, str]) -> str:
    """With the values of an environment, as Compose does it."""

    def value(found: re.Match[str]) -> str:
        name, sign, default = found.groups()
        given = environ.get(name, "")
        assert given or sign == ":-", f"{name}: {default or 'is not set'}"
        return given or default or ""

    return INTERPOLATED.sub(value, text)


def of_profile(profile: str) -> dict[str, Any]:
    """What Compose would start with this profile, every value filled in."""
    environ = {
        "QUORATE_POSTGRES_PASSWORD": "a",
        "QUORATE_REDIS_PASSWORD": "b",
        "FLOWER_BASIC_AUTH": "c:d",
    }
    document: dict[str, Any] = yaml.safe_load(filled_in(TEXT, environ))
    document["services"] = {
        name: service
        for name, service in document["services"].items()
        if not service.get("profiles") or profile in service["profiles"]
    }
    return document


def dclint(file: Path) -> subprocess.CompletedProcess[str]:
    # Compose builds an image and gives it the name that `image` says; the linter would have one of the two.
    words = [
        *(os.environ["QUORATE_TEST_DCLINT"], str(file), "--quiet", "--formatter", "json"),
        *("--disable-rule", "no-build-and-image"),
    ]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.needs_dclint
@pytest.mark.parametrize("profile", PROFILES)
def test_each_profile_is_what_the_specification_of_compose_allows(
    profile: str, tmp_path: Path
) -> None:
    file = tmp_path / "docker-compose.yml"
    file.write_text(yaml.safe_dump(of_profile(profile), sort_keys=False))

    for checked in (ROOT / "docker-compose.yml", file):
        done = dclint(checked)
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout) == []  # files with faults


@pytest.mark.needs_dclint
@pytest.mark.parametrize("wrong", WRONG)
def test_what_the_specification_does_not_allow_is_noticed(wrong: str, tmp_path: Path) -> None:
    before, after = WRONG[wrong]
    assert before in TEXT
    file = tmp_path / "docker-compose.yml"
    file.write_text(TEXT.replace(before, after))

    done = dclint(file)

    assert done.returncode != 0
    assert "invalid-schema" in done.stdout


@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_services_of_a_profile_need_is_in_it(profile: str) -> None:
    document = of_profile(profile)
    for name, service in document["services"].items():
        assert set(service.get("depends_on", ())) <= set(document["services"]), name
        assert set(service["networks"]) <= set(document["networks"]), name
        sources = {each["source"] for each in service.get("configs", ())}
        assert sources <= set(document["configs"]), name
        volumes = {each.partition(":")[0] for each in service.get("volumes", ())}
        assert {each for each in volumes if each.isidentifier()} <= set(document["volumes"]), name


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every call of ours in compose and in units, by where it stands."""
    for name, service in SERVICES.items():
        words = [*service.get("entrypoint", ())[2:], *_words(service.get("command", ()))]
        test = service.get("healthcheck", {}).get("test", ())
        for call in (words, [*test][1:]):
            if call and call[0] in ("quorate", "quorate-worker"):
                yield f"{name}: {' '.join(call)}", call
    for unit in UNITS:
        for line in re.findall(r"(?m)^ExecStart=/opt/quorate/bin/(.+)$", unit.read_text("utf-8")):
            text = line.replace("%i", "turns").replace("${QUORATE_HOST}", "localhost")
            yield f"{unit.name}: {text}", text.split()


def _words(command: str | list[str]) -> list[str]:
    return command.split() if isinstance(command, str) else [*command]


CALLS = dict(commands())


@pytest.mark.parametrize("where", CALLS)
def test_what_is_started_is_a_command_that_there_is(where: str) -> None:
    program, *words = CALLS[where]
    if program == "quorate-worker":
        assert make_parser().parse_args(words).kind in ("turns", "tools")
        return
    group: click.Command = cli
    with click.Context(cli, info_name="quorate") as context:
        while isinstance(group, click.Group):
            name, found, words = group.resolve_command(context, words)
            assert found is not None, name
            group = found
        with group.make_context(where, words, parent=context):
            pass


def test_compose_units_and_examples_name_variables_that_the_product_reads() -> None:
    known = known_variables()
    named = {key for service in SERVICES.values() for key in service.get("environment", ())}
    for unit in UNITS:
        text = unit.read_text("utf-8")
        set_there = set(re.findall(r"(?m)^Environment=(\w+)=", text))
        named |= {name for name in set_there if f"${{{name}}}" not in text}
    for example in EXAMPLES:
        written = set(re.findall(r"(?m)^(?:# )?(QUORATE_\w+)=", example.read_text("utf-8")))
        named |= written - {found[0] for found in INTERPOLATED.findall(TEXT)}

    ours = {name for name in named if name.startswith("QUORATE_")}
    assert ours - known == set()
    assert {"QUORATE_REDIS_URL", "QUORATE_DATABASE_URL", "QUORATE_BROKER_URL"} <= ours


def test_what_compose_asks_of_its_own_environment_stands_in_the_example() -> None:
    example = (ROOT / "deploy/example.env").read_text("utf-8")
    required = {name for name, sign, _ in INTERPOLATED.findall(TEXT) if sign == ":?"}

    assert required <= set(re.findall(r"(?m)^(\w+)=", example))
    with pytest.raises(AssertionError, match="QUORATE_"):
        filled_in(TEXT, {})


def test_a_variable_that_nothing_reads_would_be_noticed() -> None:
    assert "QUORATE_REDIS_ADDRESS" not in known_variables()
    assert "QUORATE_LOG" in known_variables()
