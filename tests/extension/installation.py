"""An installation of Quorate with things added to it: the files below `added`, and a row for each in `rows.toml`.

The product's packages are copied, nothing else in them is changed, and an environment of its own has the two console
scripts. So what the tests see is what somebody gets who adds these files and rows.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

from shared.store.migrate import HEAD

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PACKAGES = ("shared", "workers", "orchestrator")
SCRIPTS = {"quorate": "orchestrator.cli.main:main", "quorate-worker": "workers.main:main"}


@dataclass(frozen=True)
class Row:
    """One row: `text` goes into `file`, before the line `before`."""

    file: str
    before: str
    text: str


def rows() -> dict[str, Row]:
    """The rows by what they add."""
    table = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
    return {name: Row(**row) for name, row in table.items()}


def install(root: Path) -> Path:
    """Copy the packages, add the files and the rows, make the environment: the folder of its scripts.

    The added migration follows the newest one there is.
    """
    home = copy_packages(root)
    shutil.copytree(HERE / "added", home, dirs_exist_ok=True)
    migration = home / "shared/store/migrations/versions/9999_titles.py"
    migration.write_text(migration.read_text(encoding="utf-8").replace("NEWEST", HEAD))
    for row in rows().values():
        add_row(home / row.file, row)
    return make_environment(root / "env", home)


def copy_packages(root: Path) -> Path:
    """The packages as they are here, in a folder of their own."""
    home = root / "site"
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, home / package, ignore=ignored)
    return home


def add_row(file: Path, row: Row) -> None:
    """Insert the row's text; its place occurs once."""
    text = file.read_text(encoding="utf-8")
    place = f"\n{row.before}"
    assert text.count(place) == 1, f"{row.file}: {row.before!r} occurs {text.count(place)} times"
    file.write_text(text.replace(place, f"\n{row.text.rstrip()}{place}"), encoding="utf-8")


def make_environment(folder: Path, home: Path) -> Path:
    """An environment with the two console scripts, which run what is in `home`: the folder of its scripts."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    versioned = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / versioned / "site-packages"
    site.joinpath("home.pth").write_text(f"{home}\n{sysconfig.get_path('purelib')}\n")
    for name, target in SCRIPTS.items():
        module, function = target.split(":")
        program = folder / "bin" / name
        program.write_text(
            f"#!{python}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
        )
        program.chmod(0o755)
    return folder / "bin"
