"""One sentence when somebody else owns our generic package names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.guard import HOME, PACKAGES, intruder
from tests.fixtures.instance import SCRIPTS


def test_our_own_packages_are_accepted():
    assert intruder() is None


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_from_elsewhere_is_named_with_its_place(name: str, tmp_path: Path):
    said = intruder((name,), home=tmp_path)
    assert said is not None
    assert str(HOME / name) in said
    assert f"`{name}`" in said


@pytest.mark.parametrize("name", ["shared", "workers"])
def test_a_foreign_package_on_the_path_ends_the_command_before_it_is_imported(
    name: str, tmp_path: Path
):
    canary = tmp_path / "canary"
    package = tmp_path / "path" / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"open({str(canary)!r}, 'w')\n")
    done = subprocess.run(
        [str(SCRIPTS / "quorate"), "list"],
        env={**os.environ, "PYTHONPATH": str(package.parent), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert f"the package `{name}` comes from {package}" in done.stderr
    assert not canary.exists()


def test_a_distribution_that_installed_over_ours_is_named_when_an_import_fails(tmp_path: Path):
    """Two distributions in one folder look alike to the import system; only their RECORDs tell."""
    information = tmp_path / "intruding-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: intruding\nVersion: 1\n")
    (information / "RECORD").write_text("shared/__init__.py,,\nintruding-1.0.dist-info/RECORD,,\n")
    code = "from shared.guard import diagnosis; print(diagnosis())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HOME), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the distribution intruding has installed its own package `shared`" in done.stdout
