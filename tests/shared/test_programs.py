"""Programs are found in folders of their own, never in the one that a process stands in."""

import os
from pathlib import Path

import pytest

from shared.programs import find_program, forget_relative, how_to_add, without_relative


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        (".:/usr/bin", "/usr/bin"),
        (":/usr/bin", "/usr/bin"),
        ("/usr/bin:", "/usr/bin"),
        ("/bin::/usr/bin", "/bin:/usr/bin"),
        ("bin:./bin:../bin:~/bin:/bin", "/bin"),
        (".", ""),
        ("", ""),
    ],
)
def test_only_absolute_folders_count(path: str, kept: str):
    assert without_relative(path) == kept
    environ = {"PATH": path}
    forget_relative(environ)
    assert environ == {"PATH": kept}


def test_a_missing_path_stays_missing():
    environ: dict[str, str] = {}
    forget_relative(environ)
    assert environ == {}


def test_the_program_of_the_working_directory_is_not_found(tmp_path: Path):
    (tmp_path / "bin").mkdir()
    for folder in (tmp_path, tmp_path / "bin"):
        (folder / "frobnicate").write_text("#!/bin/sh\n")
        (folder / "frobnicate").chmod(0o755)
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for path in (".", "", ":", "bin", "./bin", f".:{os.defpath}"):
            assert find_program("frobnicate", path) is None
        assert find_program("frobnicate", f".:{tmp_path}/bin") == f"{tmp_path}/bin/frobnicate"
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "`pipx inject quorate 'keyring"),
        ("uv-receipt.toml", "`uv pip install --python {}/bin/python 'keyring"),
        ("pyvenv.cfg", "`{}/bin/python -m pip install 'keyring"),
    ],
)
def test_what_an_extra_needs_is_added_by_the_program_that_installed_us(
    tmp_path: Path, mark: str, command: str
) -> None:
    (tmp_path / mark).touch()
    assert how_to_add("keyring", tmp_path).startswith(command.format(tmp_path))
    assert "playwright" not in how_to_add("keyring", tmp_path)
