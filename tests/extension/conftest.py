"""One installation with the additions, for all who look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.extension.installation import install
from tests.fixtures.instance import CommandLine, git, make_command_line, make_repository


@pytest.fixture(scope="session")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """The command line of an installation with the additions."""
    scripts = install(tmp_path_factory.mktemp("installation"))
    home = tmp_path_factory.mktemp("home")
    command = replace(make_command_line(home), cold=True, scripts=scripts)
    yield command
    command.stop()


@pytest.fixture
def change(tmp_path: Path) -> Path:
    """A repository in whose working tree something is left to do."""
    repository = make_repository(tmp_path / "repository")
    (repository / "notes.txt").write_text("FIXME: all of it\n")
    git(repository, "add", "notes.txt")
    return repository


POLL = """
- when: {role: tell}
  reply: {answer: "Most say four weeks."}
- when: {role: answer}
  reply: {answer: "Asked alone, I say five weeks."}
  latency_s: 1.5
- reply: {answer: "Four weeks.", confidence: 0.7}
  latency_s: 1.5
"""


@pytest.fixture
def poll(tmp_path: Path) -> tuple[str, ...]:
    """The command of a poll among two scripted participants."""
    (tmp_path / "poll.yaml").write_text(POLL)
    config = tmp_path / "config.yaml"
    config.write_text(
        "participants: [ann, bob]\npoll: {least: 2}\nproviders:\n"
        + "".join(f"  {name}: {{type: scripted, script: poll.yaml}}\n" for name in ("ann", "bob"))
    )
    return ("poll", "How long?", "--config", str(config))
