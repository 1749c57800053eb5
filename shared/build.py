"""Which code a process runs: its release, and a digest of its sources.

A release number alone does not tell: between releases a checkout changes with each `git pull`. The digest is over what
the three packages hold, so an installation on another machine has the same, and a file that was edited has another.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shared.patterns import regex

CONTRACT = 1
"""The version of what processes say to each other through the broker (shared/delivery/contracts.py).

Raise it with a change that an earlier process would refuse or misread: processes of two contracts never work together.
"""
BUILD_HEADER = "Quorate-Build"
"""The header by which a service says to whoever it knows which code it runs."""
PACKAGES = ("orchestrator", "shared", "workers")
_ROOT = Path(__file__).resolve().parents[1]
_FORM = regex(r"(?P<release>[^+]*)\+(?P<contract>\d+)\.(?P<digest>[0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class Build:
    """What a process runs; its text is a version of PEP 440 with a local part: `0.1.0+1.3f2a9c1d2e`."""

    release: str
    contract: int
    digest: str

    def __str__(self) -> str:
        """As it stands in the table of processes."""
        return f"{self.release}+{self.contract}.{self.digest}"

    @property
    def shown(self) -> str:
        """For people."""
        return f"{self.release} ({self.digest[:10] or 'an earlier build'})"


def read_build(text: str) -> Build:
    """What a process wrote of itself; those before builds wrote their release alone, and spoke contract 1."""
    if (found := _FORM.fullmatch(text)) is None:
        return Build(text, 1, "")
    return Build(found["release"], int(found["contract"]), found["digest"])


@cache
def this_build() -> Build:
    """What this process runs."""
    from importlib.metadata import version  # slow to load, and most commands need the digest only

    return Build(version("quorate"), CONTRACT, this_digest())


@cache
def this_digest() -> str:
    """What this process runs, as its files are when it first asks: 25 ms."""
    return digest_of(_ROOT)


@cache
def this_mark() -> str:
    """The mark of the files that this process runs, when it first asks: 8 ms."""
    return mark_of(_ROOT)


def digest_of(root: Path) -> str:
    """A digest of the packages in a folder: of their files' names and contents.

    What an editor or git removes meanwhile is passed over.
    """
    digest = hashlib.sha256()
    inside = len(f"{root}{os.sep}")
    for name in _all_files(root):
        try:
            with open(name, "rb", buffering=0) as file:
                content = file.read()
        except FileNotFoundError:
            continue
        digest.update(f"{name[inside:]}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def mark_of(root: Path) -> str:
    """Tells on one machine, without reading the files, that none was written: equal marks have equal digests."""
    mark = hashlib.sha256(f"{root}\0".encode())
    for name in _all_files(root):
        try:
            state = os.stat(name)
        except FileNotFoundError:
            continue
        # A copy may keep the time of its original (`cp -p`, an image's layer); when it was written nobody sets.
        times = f"{state.st_mtime_ns}\0{state.st_ctime_ns}"
        mark.update(f"{name}\0{state.st_size}\0{times}\0".encode())
    return mark.hexdigest()[:16]


def _all_files(root: Path) -> Iterator[str]:
    for package in PACKAGES:
        yield from sorted(_files(root / package))


def _files(folder: Path | str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif entry.is_file():
                yield entry.path
