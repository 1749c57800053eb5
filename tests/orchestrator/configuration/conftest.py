"""A project with a home and an environment of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.configuration.loading import Configuration, load_configuration
from shared.errors import ConfigurationError


class Place:
    """A project, a home, and an environment."""

    def __init__(self, root: Path) -> None:
        self.project, self.home = root / "project", root / "home"
        (self.project / ".git").mkdir(parents=True)
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
