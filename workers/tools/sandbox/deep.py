"""Runs a Python program with room for deep recursion (stdlib only, run by path): `deep.py MODULE FUNCTION ARGUMENT...`

A valid file may nest or chain expressions by the thousand, and analysers walk its tree recursively. With Python's
default limit they skip such a file.
"""

from __future__ import annotations

import importlib
import sys
import threading

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
        try:
            codes[0] = getattr(importlib.import_module(module), function)()
        except SystemExit as end:
            codes[0] = end.code

    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    sys.exit(codes[0] if isinstance(codes[0], int | str | None) else 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
