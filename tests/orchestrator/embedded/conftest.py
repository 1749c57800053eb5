"""Instances in folders of their own, whose servers never outlive their test."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.embedded.servers import stop
from orchestrator.embedded.supervisor import stop_supervisor
from shared.instance import Instance


def _close(instance: Instance) -> None:
    stop_supervisor(instance)
    stop(instance, immediate=True)
    if instance.run_dir.parent != instance.state_dir:
        shutil.rmtree(instance.run_dir.parent, ignore_errors=True)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """A new instance for one test."""
    new = Instance.at(tmp_path)
    yield new
    _close(new)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """One instance for the tests of a module that bring its servers up themselves."""
    new = Instance.at(tmp_path_factory.mktemp("kept"))
    yield new
    _close(new)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A new folder that every account may enter, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="quorate-open-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
