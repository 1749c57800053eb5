"""`quorate init`: what it finds, what it writes, and that it replaces nothing by itself."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from orchestrator.application.initial_configuration import (
    discover_surroundings,
    initial_configuration,
)
from orchestrator.settings.checking import check_file
from tests.fixtures.instance import CommandLine, git, make_repository

KEYS = {"ANTHROPIC_API_KEY": "k", "XAI_API_KEY": "k", "CI": "true", "QUORATE_DISCOVER": ""}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = make_repository(tmp_path / "repo")
    (folder / "main.go").write_text("package main\n")
    git(folder, "add", "-A")
    return folder


def init(
    command: CommandLine, cwd: Path, *words: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    return command("init", *words, cwd=cwd, environ=KEYS | environ)


def uncommented(text: str) -> str:
    """The file with every key that is only suggested."""
    return re.sub(r"(?m)^#(?=[a-z]|  \w+: \{)", "", text)


def test_a_repositorys_file_says_what_was_found(quiet_home: CommandLine, repository: Path) -> None:
    done = init(quiet_home, repository)
    assert (done.returncode, done.stderr) == (0, "")
    for told in ("claude (key in ANTHROPIC_API_KEY)", "python (1 file)", "go (1 file)", "bandit"):
        assert told in done.stdout
    assert "git add .quorate.yaml" in done.stdout
    text = (repository / ".quorate.yaml").read_text()
    assert yaml.safe_load(text) == {"version": 1}


def test_your_own_file_names_those_who_were_found(
    quiet_home: CommandLine, repository: Path
) -> None:
    assert init(quiet_home, repository, "--user").returncode == 0
    file = quiet_home.home / ".config/quorate/config.yaml"
    written = yaml.safe_load(file.read_text())
    assert written == {"version": 1, "participants": ["claude", "grok", "analysers"]}
    shown = quiet_home("participants", "list", "--json", cwd=repository, environ=KEYS)
    panel = json.loads(shown.stdout)["participants"]
    assert {"claude", "grok", "ruff"} <= {each["name"] for each in panel if each["in_panel"]}
    assert quiet_home("config", "check", cwd=repository, environ=KEYS).returncode == 0


def test_outside_of_a_repository_it_is_your_own_file(
    quiet_home: CommandLine, tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert init(quiet_home, folder).returncode == 0
    assert (quiet_home.home / ".config/quorate/config.yaml").is_file()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("user", [False, True])
@pytest.mark.parametrize("keys", [{}, KEYS])
def test_every_key_that_it_suggests_is_valid(
    repository: Path, tmp_path: Path, user: bool, keys: dict[str, str]
) -> None:
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "CI": "true"} | keys
    initial = initial_configuration(discover_surroundings(repository, environ), environ, user=user)
    for text in (initial.text, uncommented(initial.text)):
        file = tmp_path / ("config.yaml" if user else ".quorate.yaml")
        file.write_text(text)
        checked = check_file(file, environ)
        assert (checked.problems, checked.notices) == ((), ()) or "project_limits" in str(checked)
    assert {"gate", "budget", "privacy", "participants"} <= yaml.safe_load(text).keys()


def test_it_changes_nothing_the_second_time(quiet_home: CommandLine, repository: Path) -> None:
    init(quiet_home, repository)
    before = (repository / ".quorate.yaml").stat().st_ino
    done = init(quiet_home, repository, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["written"] is False
    assert (repository / ".quorate.yaml").stat().st_ino == before


def test_a_file_that_is_there_stays_until_it_is_forced(
    quiet_home: CommandLine, repository: Path
) -> None:
    file = repository / ".quorate.yaml"
    file.write_text("language: ko\n")
    done = init(quiet_home, repository)
    assert done.returncode == 2
    assert f"{file} exists and was left as it is" in done.stderr
    assert file.read_text() == "language: ko\n"
    assert init(quiet_home, repository, "--force").returncode == 0
    assert "language: ko" not in file.read_text()


@pytest.mark.parametrize("name", [".quorate/config.yaml", "pyproject.toml"])
def test_another_file_of_the_repository_is_named(
    quiet_home: CommandLine, repository: Path, name: str
) -> None:
    other = repository / name
    other.parent.mkdir(exist_ok=True)
    other.write_text(
        '[tool.quorate]\nlanguage = "ko"\n' if name.endswith(".toml") else "language: ko\n"
    )
    done = init(quiet_home, repository)
    assert done.returncode == 2
    assert f"{other} configures this repository already" in done.stderr
    assert not (repository / ".quorate.yaml").exists()


def test_a_link_is_replaced_and_not_followed(quiet_home: CommandLine, repository: Path) -> None:
    outside = quiet_home.home / "precious.txt"
    outside.write_text("mine\n")
    (repository / ".quorate.yaml").symlink_to(outside)
    assert init(quiet_home, repository).returncode == 2
    assert init(quiet_home, repository, "--force").returncode == 0
    assert outside.read_text() == "mine\n"
    assert not (repository / ".quorate.yaml").is_symlink()


def test_it_can_be_printed_only(quiet_home: CommandLine, repository: Path) -> None:
    done = init(quiet_home, repository, "--print")
    assert done.returncode == 0
    assert yaml.safe_load(done.stdout) == {"version": 1}
    assert "Found here" in done.stderr
    assert not (repository / ".quorate.yaml").exists()


def test_a_folder_that_cannot_be_written_is_told(quiet_home: CommandLine, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = init(quiet_home, tmp_path, "--user", XDG_CONFIG_HOME=str(blocked))
    assert done.returncode == 5
    assert str(blocked) in done.stderr
