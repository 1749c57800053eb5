"""Where programs lie that pip, pipx, uv, npm, pnpm, conda and version managers installed, and what they need to run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.workers.tools.analysers.test_command import by_lines, look
from workers.tools.analysers.installation import Installation, actual


def program(path: Path, text: str = "binary") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def link(path: Path, target: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter with a library of its own, as pyenv and uv install it."""
    base = tmp_path / "pythons" / "3.99"
    program(base / "lib" / "python3.99" / "os.py")
    return program(base / "bin" / "python3")


def environment_of(folder: Path, python: Path, first: str) -> Path:
    """A virtual environment with a linter in it; its Python is a copy, so that only `home` names the other one."""
    program(folder / "pyvenv.cfg", f"home = {python.parent}\nversion = 3.99\n")
    interpreter = program(folder / "bin" / "python")
    return program(folder / "bin" / "linter", first.format(interpreter))


def folders(found: Path) -> set[str]:
    return {str(place) for place in Installation.of(found).places}


@pytest.mark.parametrize(
    "first",
    ["#!{}\n", "#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n", "#!/usr/bin/env -S FOO=1 sh\n"],
)
def test_a_virtual_environment_brings_the_python_that_it_was_made_from(
    tmp_path: Path, python: Path, first: str
) -> None:
    tool = environment_of(tmp_path / "with space", python, first)
    reached = link(tmp_path / "local" / "bin" / "linter", tool)  # as pipx and uv put it on PATH
    base = python.parent.parent
    assert {str(tmp_path / "with space"), str(base / "lib"), str(base / "bin")} <= folders(reached)
    assert str(tool.parent) in Installation.of(reached).environment["PATH"].split(os.pathsep)


def test_packages_of_a_user_are_found_where_home_is_another(tmp_path: Path) -> None:
    packages = tmp_path / ".local" / "lib" / "python3.99" / "site-packages"
    packages.mkdir(parents=True)
    tool = program(tmp_path / ".local" / "bin" / "linter", "#!/usr/bin/python3\n")
    installed = Installation.of(tool)
    assert installed.environment["PYTHONUSERBASE"] == str(tmp_path / ".local")
    assert installed.places == (tool, packages.parent)


def test_a_package_of_npm_brings_those_beside_it(tmp_path: Path) -> None:
    modules = tmp_path / "lib" / "node_modules"
    script = program(modules / "linter" / "bin" / "linter.js", "#!/usr/bin/env node\n")
    assert str(modules) in folders(link(tmp_path / "bin" / "linter", script))


@pytest.mark.parametrize("below", ["", "bin"])
def test_a_program_of_pnpm_brings_its_store(tmp_path: Path, below: str) -> None:
    tool = program(tmp_path / below / "linter", '#!/bin/sh\nexec node "$basedir/global/x.js"\n')
    (tmp_path / "global").mkdir()
    assert str(tmp_path) in folders(tool)


def test_a_home_is_never_shown_whole(tmp_path: Path, python: Path) -> None:
    tool = environment_of(Path.home(), python, "#!{}\n")
    shown = folders(tool)
    assert str(Path.home()) not in shown
    assert str(Path.home() / "lib") not in shown  # there is none
    assert {str(Path.home() / "bin"), str(Path.home() / "pyvenv.cfg")} <= shown


def test_a_shim_is_the_program_of_the_version_that_is_set_else_of_the_newest(
    tmp_path: Path,
) -> None:
    shim = program(tmp_path / "shims" / "linter", "#!/usr/bin/env bash\n")
    assert actual(shim) == shim
    for version in ("3.9.18", "3.12.1", "3.11.7"):
        program(tmp_path / "versions" / version / "bin" / "linter")
    assert actual(shim) == tmp_path / "versions" / "3.12.1" / "bin" / "linter"
    (tmp_path / "version").write_text("3.11.7\n")
    assert actual(shim) == tmp_path / "versions" / "3.11.7" / "bin" / "linter"
    asdf = program(tmp_path / "asdf" / "shims" / "linter")
    there = program(tmp_path / "asdf" / "installs" / "linter" / "0.9.0" / "bin" / "linter")
    assert actual(asdf) == there


def test_a_linter_of_a_users_packages_runs(tmp_path: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    package = tmp_path / ".local" / "lib" / version / "site-packages" / "linting.py"
    program(package, 'import sys\nprint(f"{sys.argv[1]}:1: read by a package of a user")\n')
    base = Path(sys.base_prefix) / "bin" / version
    tool = program(tmp_path / ".local" / "bin" / "linter", f"#!{base}\nimport linting\n")
    (finding,) = look({"a.x": (None, "text\n")}, by_lines(str(tool), exit_codes=[0])).findings
    assert finding.title == "read by a package of a user"
