"""What a project's own ruff settings switch off, as they were before the change that is looked at.

They are read from git's objects, never executed, and only their rules count: `ignore` and `per-file-ignores` with their
`extend-` forms, also of a file that they extend. What leaves files out (`exclude`) or says how ruff writes does not:
the change is read whatever the project's own runs pass over. As with ruff, the nearest file counts alone.
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.settings.projects import Reviewed, committed_files
from shared.models.subject import PYTHON_SUFFIXES
from shared.text.toml_bounds import check_toml
from shared.tools.rules import Glob, ProjectRules, RuleName

RUFF_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")
MOST_FOLDERS = 200
MOST_NAMES = 1000
MOST_EXTENDED = 4
_NAMES = TypeAdapter(tuple[RuleName, ...])
_GLOB = TypeAdapter(Glob)

Table = Mapping[str, Any]


def project_rules(reviewed: Reviewed | None, paths: Sequence[str]) -> tuple[ProjectRules, ...]:
    """The settings for the folders of these files, the deepest first; nothing where nobody set anything."""
    if reviewed is None or reviewed.base is None:
        return ()
    folders = _folders(paths)
    names = [posixpath.normpath(f"{folder}/{name}") for folder in folders for name in RUFF_FILES]
    files = committed_files(reviewed, names)
    found = (_nearest(folder, files, reviewed) for folder in folders)
    return tuple(rules for rules in found if rules is not None)


def _folders(paths: Sequence[str]) -> list[str]:
    """The folders in which settings for these files may stand, the deepest first."""
    files = (PurePosixPath(path) for path in paths if path.endswith(PYTHON_SUFFIXES))
    folders = {str(parent) for file in files for parent in file.parents}
    return sorted(folders, key=lambda name: (-len(PurePosixPath(name).parts), name))[-MOST_FOLDERS:]


def _nearest(folder: str, files: Mapping[str, bytes], reviewed: Reviewed) -> ProjectRules | None:
    for name in RUFF_FILES:
        file = posixpath.normpath(f"{folder}/{name}")
        table = _table(file, files.get(file))
        if table is not None:
            return _rules("" if folder == "." else folder, list(_extended(file, table, reviewed)))
    return None


def _extended(file: str, table: Table, reviewed: Reviewed) -> Iterator[Table]:
    """The table, and those that it extends within the repository."""
    for _ in range(MOST_EXTENDED):
        yield table
        above = table.get("extend")
        if not isinstance(above, str) or above.startswith(("/", "~", "$")):
            return
        file = posixpath.normpath(posixpath.join(posixpath.dirname(file), above))
        if file.startswith("../"):
            return
        extended = _table(file, committed_files(reviewed, [file]).get(file))
        if extended is None:
            return
        table = extended


def _table(file: str, content: bytes | None) -> Table | None:
    """ruff's table of a file; None for a file that has none, or that cannot be read."""
    if content is None or (b"ruff" not in content and file.endswith("pyproject.toml")):
        return None
    try:
        text = content.decode()
        check_toml(text)
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError):
        return None
    if file.endswith("pyproject.toml"):
        table = _inside(_inside(table, "tool"), "ruff") or None
    return table if isinstance(table, dict) else None


def _inside(table: Any, key: str) -> dict[str, Any]:
    inner = table.get(key) if isinstance(table, dict) else None
    return inner if isinstance(inner, dict) else {}


def _rules(folder: str, tables: Sequence[Table]) -> ProjectRules:
    """The rules of the tables together; of the older form, in which they stand outside of `lint`, as well."""
    parts = [part for table in tables for part in (table, _inside(table, "lint"))]
    per_file: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for key in ("per-file-ignores", "extend-per-file-ignores"):
            for glob, names in list(_inside(part, key).items())[:MOST_NAMES]:
                if _is_glob(glob):
                    per_file[glob] = (*per_file.get(glob, ()), *_names(names))
    return ProjectRules(
        folder=folder,
        ignore=_all(parts, "ignore", "extend-ignore"),
        select=_all(parts, "select", "extend-select"),
        per_file=per_file,
    )


def _all(parts: Sequence[Table], *keys: str) -> tuple[str, ...]:
    return tuple(name for part in parts for key in keys for name in _names(part.get(key)))


def _names(value: Any) -> tuple[str, ...]:
    """Rules by name; what is no name means none."""
    if not isinstance(value, list):
        return ()
    names: list[str] = []
    for name in value[:MOST_NAMES]:
        try:
            names += _NAMES.validate_python([name])
        except ValidationError:
            continue
    return tuple(names)


def _is_glob(value: str) -> bool:
    try:
        _GLOB.validate_python(value)
    except ValidationError:
        return False
    return True
