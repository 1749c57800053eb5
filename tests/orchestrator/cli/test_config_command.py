"""`quorate config`: the settings that hold, where they come from, and the presets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cli.commands.config.showing import SettingsQuery, run_presets, run_show
from orchestrator.settings.preset_files import preset_names
from shared.errors import ConfigurationError


class Shelf:
    """A home with a configuration of its own, and what a command prints."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.environ = {"HOME": str(home), "CI": "true"}
        self.folder = home / ".config/quorate"
        self.capsys = capsys

    def own(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def show(self, *, as_json: bool = False, **typed: Any) -> str:
        assert run_show(SettingsQuery(**typed), self.environ, as_json=as_json) == 0
        return self.capsys.readouterr().out


@pytest.fixture
def shelf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shelf:
    return Shelf(tmp_path, capsys)


def test_what_is_no_default_is_shown_as_a_file_that_could_be_used(shelf: Shelf) -> None:
    assert shelf.show() == "# all settings are defaults\n"
    shelf.own("config.yaml", "forum: {max_rounds: 4}\nlanguage: ko\n")
    assert yaml.safe_load(shelf.show()) == {"forum": {"max_rounds": 4}, "language": "ko"}


def test_every_key_is_shown_with_the_line_that_set_it(shelf: Shelf) -> None:
    file = shelf.own("config.yaml", "language: ko\nforum:\n  max_rounds: 4\n")
    rows = shelf.show(sources=True).splitlines()
    assert f"forum.max_rounds: 4  # {file}:3" in rows[:2]
    assert 'debate.strategy: "sequential"  # default' in rows
    assert "review.max_rounds: 3  # default" in rows
    found = json.loads(shelf.show(as_json=True, preset="decision", workflow="panel"))
    keys = {one["key"]: one for one in found["keys"]}
    assert found["preset"] == "decision"
    assert keys["debate.consensus_threshold"]["value"] == 0.75
    assert keys["debate.consensus_threshold"]["source"].startswith("preset decision:")


def test_what_looks_like_a_key_is_not_shown(shelf: Shelf) -> None:
    key = "sk-proj-" + "Ab3dEf6hIj9kLm2n" * 3
    shelf.own(
        "config.yaml",
        "providers:\n  far: {type: openai, model: m, api_key_env: FAR_KEY}\n"
        f"participants:\n  - {{name: far, persona: You know {key} by heart.}}\n",
    )
    for shown in (shelf.show(), shelf.show(sources=True), shelf.show(as_json=True)):
        assert key not in shown
        assert "FAR_KEY" in shown


def test_a_file_cannot_steer_the_terminal_that_shows_it(shelf: Shelf) -> None:
    shelf.own("config.yaml", "participants: ['far \u202eevil']\n")
    for shown in (shelf.show(), shelf.show(sources=True)):
        assert "far evil" in shown


def test_presets_are_listed_with_their_workflow_and_owner(shelf: Shelf) -> None:
    shelf.own("presets/contract.yaml", "description: Two sides.\nworkflow: panel\n")
    assert run_presets(shelf.environ, as_json=True) == 0
    found = {one["name"]: one for one in json.loads(shelf.capsys.readouterr().out)["presets"]}
    assert set(found) == {*preset_names(), "contract"}
    assert found["contract"]["file"].endswith("presets/contract.yaml")
    assert (found["decision"]["workflow"], found["decision"]["file"]) == ("panel", None)
    assert run_presets(shelf.environ, as_json=False) == 0
    assert "Two sides." in shelf.capsys.readouterr().out


def test_a_preset_that_cannot_be_used_is_named_and_the_others_are_listed(shelf: Shelf) -> None:
    shelf.own("presets/broken.yaml", "workflow: pannel\n")
    assert run_presets(shelf.environ, as_json=True) == ConfigurationError.exit_code
    found = json.loads(shelf.capsys.readouterr().out)
    assert "broken.yaml:1" in found["problems"][0]
    assert {one["name"] for one in found["presets"]} == set(preset_names())
