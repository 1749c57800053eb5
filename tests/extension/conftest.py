"""One installation with the additions, for all who look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.extension.installation import install
from tests.fixtures.instance import CommandLine, make_command_line


@pytest.fixture(scope="session")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """The command line of an installation with the additions."""
    scripts = install(tmp_path_factory.mktemp("installation"))
    home = tmp_path_factory.mktemp("home")
    command = replace(make_command_line(home), cold=True, scripts=scripts)
    yield command
    command.stop()
