"""Which file of the repository a path in some program's output means, whatever folder that program ran in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from shared.models.findings import Place

# What a language or a package manager installed is not the repository's, though a file there may have the same name.
INSTALLED = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|\.cargo/registry|pkg/mod|gems|vendor/bundle|rustc|\.m2)/"
    r"|^<|^node:|^(?:/usr|/opt|/nix|/root/\.pyenv|[A-Za-z]:/Program Files)/.*(?:/lib|/src|go)/|^/rustc/"
    r"|/lib/python\d|/lib64/python\d|[/.]pyenv/versions/"
)
PREFIX = re.compile(r"^(?:file://|webpack(?:-internal)?:/{2,3})(?:[^/]*/\./)?")


class RepositoryPaths:
    """The files of a repository, found by what other programs call them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._paths = frozenset(paths)
        for path in self._paths:
            parts = tuple(path.split("/"))
            self._by_name[parts[-1]].append(parts)

    def find(self, path: str) -> str | None:
        """The file that shares the longest end with the path; None for another's, and where two share as much."""
        plain = unquote(PREFIX.sub("", path.strip())).replace("\\", "/").removeprefix("./")
        if plain in self._paths:
            return plain
        given = tuple(filter(_is_name, plain.split("/")))
        if not given or INSTALLED.search(plain):
            return None
        shared = {parts: _shared_end(given, parts) for parts in self._by_name.get(given[-1], ())}
        longest = max(shared.values(), default=0)
        found = [parts for parts, length in shared.items() if length == longest]
        # One name alone is too little to go by, unless there is no more of one of both.
        if len(found) != 1 or longest < min(2, len(given), len(found[0])):
            return None
        return "/".join(found[0])

    def place(self, path: str, line: int) -> Place | None:
        """The line of the file that the path means."""
        found = self.find(path) if line > 0 else None
        return None if found is None else Place(path=found, line=line)


def _is_name(part: str) -> bool:
    return part not in ("", ".", "..")


def _shared_end(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    pairs = zip(reversed(left), reversed(right), strict=False)
    length = 0
    for part, other_part in pairs:
        if part != other_part:
            break
        length += 1
    return length
