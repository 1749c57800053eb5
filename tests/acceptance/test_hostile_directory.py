"""Started inside a repository whose folders have our names, no process imports a line of it.

`shared`, `workers` and `orchestrator` are common folder names, and Celery and Flower look for `celeryconfig` and
`flowerconfig` by chance. Each of the traps here leaves a canary when it is imported or executed.
"""

import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git, make_command_line, make_repository

pytestmark = pytest.mark.acceptance

PACKAGES = ("shared", "workers", "orchestrator", "celery", "redis", "flower", "click", "kombu")
MODULES = ("celeryconfig", "flowerconfig", "sitecustomize", "usercustomize", "tasks", "json")
PROGRAMS = (
    "git",
    "ruff",
    "python",
    "python3",
    "sh",
    "env",
    "node",
    "claude",
    "postgres",
    "unshare",
    "prlimit",
)
TRAP = "open({canary!r}, 'a').write(__name__)\n"


@dataclass(frozen=True)
class Trapped:
    """The hostile repository, a command line with an instance of its own, and where canaries appear."""

    directory: Path
    command_line: CommandLine
    canaries: Path

    def caught(self) -> list[str]:
        """The traps that were imported."""
        return sorted(path.name for path in self.canaries.iterdir())


@pytest.fixture(scope="module")
def trapped() -> Iterator[Trapped]:
    home = Path(tempfile.mkdtemp(prefix="qh-", dir="/tmp"))
    canaries = home / "canaries"
    canaries.mkdir(mode=0o777)
    canaries.chmod(0o777)
    directory = make_repository(home / "repository")
    set_traps(directory, canaries)
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", "traps")
    with (directory / "app.py").open("a") as module:
        module.write("\n\ndef more(code):\n    exec(code)\n")
    with (directory / "shared" / "main.py").open("a") as module:
        module.write("import os\n")
    command_line = replace(make_command_line(home), cold=True)
    try:
        yield Trapped(directory, command_line, canaries)
    finally:
        command_line.stop()
        shutil.rmtree(home, ignore_errors=True)


def set_traps(directory: Path, canaries: Path) -> None:
    for name in PACKAGES:
        package = directory / name
        package.mkdir()
        for module in ("__init__", "__main__", "main", "tasks", "celery", "settings", "broker"):
            write_trap(package / f"{module}.py", canaries)
    for name in MODULES:
        write_trap(directory / f"{name}.py", canaries)
    for name in PROGRAMS:
        program = directory / name
        program.write_text(f"#!/bin/sh\necho >> {canaries}/program.{name}\nexit 1\n")
        program.chmod(0o755)


def write_trap(file: Path, canaries: Path) -> None:
    name = f"{file.parent.name}.{file.stem}"
    file.write_text(TRAP.format(canary=str(canaries / name)))


def test_the_traps_work(trapped: Trapped):
    """Python itself, started there the way that we never do, falls into them."""
    done = subprocess.run(
        [sys.executable, "-c", "import shared, celeryconfig"],
        cwd=trapped.directory,
        env=dict(trapped.command_line.environ),
        check=False,
    )
    assert done.returncode == 0
    assert "repository.celeryconfig" in trapped.caught()
    for canary in trapped.canaries.iterdir():
        canary.unlink()


def test_a_review_and_every_process_behind_it_import_nothing_from_there(trapped: Trapped):
    path = f".::{trapped.command_line.environ['PATH']}:"
    done = trapped.command_line(
        "review", "--decide", "skip", cwd=trapped.directory, environ={"PATH": path}, timeout_s=110
    )
    assert done.returncode == 0, done.stderr
    assert "NEEDS_FIX" in done.stdout
    assert trapped.caught() == []


@pytest.mark.parametrize(
    ("program", "arguments", "kind"),
    [
        ("quorate", ("orchestrator",), "orchestrator"),
        ("quorate-worker", ("turns",), "turns"),
        ("quorate-worker", ("tools", "--concurrency", "1"), "tools"),
    ],
)
def test_a_service_that_is_started_there_imports_nothing_from_there(
    trapped: Trapped, program: str, arguments: tuple[str, ...], kind: str
):
    assert trapped.command_line("up", cwd=trapped.directory, timeout_s=110).returncode == 0
    known = processes(trapped, kind)
    process = trapped.command_line.start(*arguments, cwd=trapped.directory, program=program)
    try:
        deadline = time.monotonic() + 40
        while not processes(trapped, kind) - known:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the service did not announce itself"
            time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=40)
    assert trapped.caught() == []


def processes(trapped: Trapped, kind: str) -> set[str]:
    status = json.loads(trapped.command_line("status", "--json", cwd=trapped.directory).stdout)
    return {one["id"] for one in status["processes"] if one["kind"] == kind}


def test_the_supervisor_that_is_started_there_imports_nothing_from_there(trapped: Trapped):
    assert trapped.command_line("down", cwd=trapped.directory).returncode == 0
    process = trapped.command_line.start("supervise", cwd=trapped.directory)
    try:
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            status = trapped.command_line("status", "--json", cwd=trapped.directory)
            children = json.loads(status.stdout)["supervisor"]["children"]
            if len(children) == 3 and all(child["pid"] for child in children):
                break
            time.sleep(0.2)
        else:
            pytest.fail("the supervisor did not start its children")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=40)
    assert trapped.caught() == []


def test_flower_that_is_started_there_imports_nothing_from_there(trapped: Trapped):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = trapped.command_line.start("flower", "--port", str(port), cwd=trapped.directory)
    try:
        assert answers(f"http://127.0.0.1:{port}/"), process.poll()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=40)
    assert trapped.caught() == []


def answers(url: str) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                return reply.status == 200
        except OSError:
            time.sleep(0.2)
    return False
