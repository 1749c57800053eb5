"""A project with a home and an environment of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.configuration.casting import Cast, build_cast
from orchestrator.configuration.discovery import Discovery, discover
from orchestrator.configuration.loading import Configuration, load_configuration
from orchestrator.configuration.options import panel_options
from orchestrator.configuration.panels import PanelReport, build_panel
from shared.errors import ConfigurationError
from shared.models.panel import Panel
from shared.models.run import RunSpec


class Place:
    """A project, a home, and an environment."""

    def __init__(self, root: Path) -> None:
        self.project, self.home = root / "project", root / "home"
        self.project.mkdir(parents=True)
        self.environ = {"HOME": str(self.home)}

    def file(self, name: str, text: str) -> Path:
        file = self.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def user(self, text: str) -> Path:
        return self.file(str(self.home / ".config/quorate/config.yaml"), text)

    def load(self, directory: Path | None = None, **options: Any) -> Configuration:
        return load_configuration(directory or self.project, self.environ, **options)

    def refuse(self, text: str, **options: Any) -> str:
        """What the user's own file is told."""
        self.user(text)
        with pytest.raises(ConfigurationError) as raised:
            self.load(**options)
        return str(raised.value).replace(str(self.home / ".config/quorate/"), "").lstrip("/")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class BareDesk:
    """A directory with an environment of its own: no key, nothing on PATH, and no Ollama is asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bin = root / "bin"
        self.bin.mkdir()
        self.environ = {"HOME": str(root / "home"), "PATH": str(self.bin), "CI": "true"}

    def install(self, name: str) -> Path:
        """A program that leaves a trace when somebody starts it."""
        program = self.bin / name
        program.write_text(f"#!/bin/sh\ntouch {self.root}/started\n")
        program.chmod(0o755)
        return program

    def file(self, text: str) -> None:
        (self.root / ".quorate.yaml").write_text(text)

    def user(self, text: str) -> None:
        file = self.root / "home/.config/quorate/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def look(self) -> Discovery:
        return discover(self.environ)

    def build(self, *names: str, trust_project: bool = False) -> tuple[Panel, PanelReport]:
        configuration = load_configuration(self.root, self.environ, trust_project=trust_project)
        return build_panel(names or None, configuration, self.environ, self.root)


@pytest.fixture
def bare_desk(tmp_path: Path) -> BareDesk:
    return BareDesk(tmp_path)


class Stage:
    """Builds casts in a directory with keys and a configuration of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"HOME": str(root / "home"), "CI": "true", "PATH": ""}

    def user(self, text: str) -> None:
        file = self.root / "home/.config/quorate/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cast(
        self,
        workflow: str,
        *names: str,
        keys: dict[str, str] | None = None,
        settings: dict[str, Any] | None = None,
        **roles: Any,
    ) -> Cast:
        environ = self.environ | (keys or {})
        found = load_configuration(self.root, environ, overrides=settings, workflow=workflow)
        return build_cast(workflow, names or None, found, environ, self.root, **roles)

    def spec(self, cast: Cast) -> RunSpec:
        """What a run would capture: it refuses a judge that debates."""
        settings = load_configuration(self.root, self.environ, workflow="panel").settings
        return RunSpec(
            workflow="panel",
            workflow_version=1,
            subject="s",
            prompts="p",
            panel=cast.panel,
            panel_options=panel_options(settings, cast.moderator),
            seed="s",
        )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)
