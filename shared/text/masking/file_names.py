"""Files that are never shown to anybody outside: by their names."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def names_file(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs means the file: its name or, of a glob with a slash, the end of its path."""
    lowered = path.lower()
    last = lowered.rpartition("/")[2]
    return any(_means(glob.lower(), lowered, last) for glob in globs)


def _means(glob: str, path: str, last: str) -> bool:
    if "/" not in glob:
        return fnmatchcase(last, glob)
    glob = glob.removeprefix("**/").removeprefix("/")
    return fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}")


def is_withheld(path: str, never_sent: Iterable[str], may_be_sent: Iterable[str]) -> bool:
    """Whether a file of that name is never sent."""
    return names_file(never_sent, path) and not names_file(may_be_sent, path)
