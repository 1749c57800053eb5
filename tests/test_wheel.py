"""The wheel that a person installs: what is in it, and that it works from an environment and a folder of its own.

It is built with the locked hatchling and installed without its dependencies. This environment lends it those that it
names, and what these name, and nothing else: nothing is fetched, and what is not named is not there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import distribution, distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.fixtures.instance import CommandLine, make_command_line, make_repository

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("orchestrator", "shared", "workers")
DOCUMENTS = "orchestrator/documents/"
DATA = (".sql", ".yaml", ".md", ".json", ".jsonl", ".po", ".conf", ".html", ".css", ".js")

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(
        not all(map(find_spec, ("hatchling", "pip", "ensurepip"))),
        reason="a wheel is built by hatchling and installed by pip, and one of them is not here",
    ),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what is checked in, or would be: built from a copy, so that nothing lies around in it."""
    source = tmp_path_factory.mktemp("source") / "quorate"
    for name in (*PACKAGES, "docs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = built.glob("quorate-*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """The console scripts of an environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    target = folder / "lib" / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix).parts[1]
    site = target / "site-packages"
    python = str(folder / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"]
    done = subprocess.run([*pip, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lend_dependencies(site)
    home = Path(tempfile.mkdtemp(prefix="qw-", dir="/tmp"))
    command = replace(make_command_line(home), cold=True, scripts=folder / "bin")
    yield command
    command("down", timeout_s=60)
    command.stop()
    shutil.rmtree(home, ignore_errors=True)


def lend_dependencies(site: Path) -> None:
    """Link what the wheel in that folder names as its dependencies, and what these name, from this environment."""
    (own,) = distributions(name="quorate", path=[str(site)])
    wanted = [(requirement, "") for requirement in map(Requirement, own.requires or ())]
    seen: set[tuple[str, str]] = set()
    while wanted:
        requirement, extra = wanted.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        lent = distribution(requirement.name)
        for asked in ("", *requirement.extras):
            if (lent.name, asked) not in seen:
                seen.add((lent.name, asked))
                wanted += [(further, asked) for further in map(Requirement, lent.requires or ())]
        for file in lent.files or ():
            place = site / file
            place.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # a cache that was never written
                _lend(str(lent.locate_file(file)), place)


def _lend(file: str, place: Path) -> None:
    if not place.exists():  # else it is of two distributions
        try:
            place.hardlink_to(file)
        except OSError:
            shutil.copy2(file, place)


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_it_holds_every_module_and_all_data_of_the_packages(wheel: Path) -> None:
    held = names(wheel)
    files = (path for name in PACKAGES for path in (ROOT / name).rglob("*"))
    wanted = {path.relative_to(ROOT).as_posix() for path in files if path.suffix in (".py", *DATA)}
    assert wanted - held == set()


def test_it_holds_the_documentation_and_nothing_else(wheel: Path) -> None:
    held = names(wheel)
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*") if path.is_file()}
    pages -= {name for name in pages if name.startswith("site/")}  # what only builds the site
    assert {name.removeprefix(DOCUMENTS) for name in held if name.startswith(DOCUMENTS)} == pages
    assert {name.partition("/")[0] for name in held} == {*PACKAGES}


def test_its_code_is_that_of_the_wheel(installed: CommandLine) -> None:
    done = installed("docs", "--path")
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert folder.is_relative_to(installed.scripts.parent)
    assert not folder.is_relative_to(ROOT)


def test_every_page_can_be_read_and_the_examples_be_used(installed: CommandLine) -> None:
    folder = Path(installed("docs", "--path").stdout.strip())
    shown = installed("docs", "exit-codes")
    assert shown.stdout == (ROOT / "docs/exit-codes.md").read_text(encoding="utf-8")
    done = installed("config", "check", str(folder / "examples/config.yaml"))
    assert done.returncode == 0, done.stdout


def test_it_reviews_in_any_folder_with_servers_of_its_own(
    installed: CommandLine, tmp_path: Path
) -> None:
    repository = make_repository(tmp_path / "shop")
    (repository / "shared").mkdir()
    (repository / "shared/__init__.py").write_text("raise SystemExit('the wrong package')\n")

    done = installed("review", "--decide", "skip", "--json", cwd=repository, timeout_s=200)

    assert done.returncode == 0, done.stderr
    assert '"rule": "B602"' in done.stdout or "shell" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_help_names_no_file_that_only_a_checkout_has(installed: CommandLine) -> None:
    text = installed("--help").stdout
    assert "`quorate docs`" in text
    assert "docs/" not in text
