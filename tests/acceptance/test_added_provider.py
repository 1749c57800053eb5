"""A copy of the product with one file and one row more: every command knows the new provider."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ANCHOR = '    ProviderType(\n        name="ollama",'
ROW = """\
    ProviderType(
        name="echo",
        module="workers.providers.echo",
        summary="a service that repeats what it is asked",
        options=SchemaOptions,
        address="https://echo.example/v1",
        key_variables=("ECHO_KEY",),
        key_header="x-echo-key",
        services=(Service("echo", "echo-large"),),
    ),
"""
RUN = "import sys; from orchestrator.cli.main import main; sys.argv = ['quorate', *sys.argv[1:]]; main()"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    for package in ("shared", "workers", "orchestrator"):
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=skipped)
    module = (ROOT / "tests" / "support" / "echo_provider.py").read_text(encoding="utf-8")
    (folder / "workers" / "providers" / "echo.py").write_text(module, encoding="utf-8")
    catalogue = folder / "shared" / "providers" / "catalogue.py"
    rows = catalogue.read_text(encoding="utf-8")
    assert rows.count(ANCHOR) == 1
    catalogue.write_text(rows.replace(ANCHOR, ROW + ANCHOR), encoding="utf-8")
    return folder


def quorate(house: Path, home: Path, *words: str, **variables: str) -> str:
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "CI": "true", **variables}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        env=environ | {"PYTHONPATH": str(house)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_who_has_its_key_has_it_on_the_panel(house: Path, tmp_path: Path) -> None:
    listed: dict[str, Any] = json.loads(
        quorate(house, tmp_path, "participants", "list", "--json", ECHO_KEY="k")
    )
    (critic,) = (one for one in listed["panel"]["critics"] if one["name"] == "echo")
    assert (critic["provider"], critic["model"]) == ("echo", "echo-large")


def test_its_default_model_is_listed_without_a_key(house: Path, tmp_path: Path) -> None:
    models = json.loads(quorate(house, tmp_path, "participants", "models", "--json"))["models"]
    assert ("echo", "echo-large", False) in {(m["name"], m["model"], m["here"]) for m in models}


def test_it_can_be_configured(house: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    entry = "{type: echo, model: echo-small, api_key_env: MINE, json_schema: false, rpm: 5}"
    file.write_text(f"participants: [loud]\nproviders: {{loud: {entry}}}\n")
    words = ("participants", "list", "--json", "--config", str(file))
    listed = quorate(house, tmp_path, *words, MINE="k")
    assert "echo-small" in listed
