"""Runs a Python program with room for deep recursion (stdlib only, run by path): `deep.py MODULE FUNCTION ARGUMENT...`

A valid file may nest or chain expressions by the thousand, and analysers walk its tree recursively. With Python's
default limit they skip such a file.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from pathlib import Path

RECURSION = 150_000
STACK_BYTES = 1024 * 1024 * 1024


def deep(module: str, function: str = "main") -> list[str]:
    """The call of a program of our own environment."""
    return [sys.executable, "-I", __file__, module, function]


def main(module: str, function: str, arguments: list[str]) -> None:
    """Run the function as the program would, and end with its exit code."""
    sys.argv = [function, *arguments]
    codes: list[object] = [1]

    def run() -> None:
        sys.setrecursionlimit(RECURSION)
        if module.startswith("workers."):
            _find_ours()
        try:
            codes[0] = getattr(importlib.import_module(module), function)()
        except SystemExit as end:
            codes[0] = end.code

    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    sys.exit(codes[0] if isinstance(codes[0], int | str | None) else 1)


def _find_ours() -> None:
    """Our own packages by where they are: behind walls, the folder that they stand in cannot be listed."""
    workers = Path(__file__).parents[2]
    for package in (workers, workers.parent / "shared"):
        spec = importlib.util.spec_from_file_location(
            package.name, package / "__init__.py", submodule_search_locations=[str(package)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[package.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[package.name])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
