"""What a command that a person entered needs besides the copy: its programs, and what was installed for the project.

A project's virtual environment and `node_modules` lie in the person's folder without being part of a commit, and
toolchains lie in a home. They may be read by the command and are never written; nothing else of either is there.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from shared.programs import find_program as find_on_path
from workers.tools.agent.workspace import WorkspaceTree
from workers.tools.analysers.installation import Installation
from workers.tools.fixes.suite import ENVIRONMENT

INSTALLED = (".venv", "venv", "node_modules")
"""Folders at a project's root in which package managers install; linked into the copy where git has none of them."""
_ENDS = re.compile(r"&&|\|\||[;|&()\n]")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_HOMES: Mapping[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "cargo": (
        ("CARGO_HOME", ".cargo", ("bin", "registry", "git")),
        ("RUSTUP_HOME", ".rustup", (".",)),
    ),
    "go": (("GOMODCACHE", "go/pkg/mod", (".",)),),
}
"""By program: the variable that names its folder in a home, that folder, and what of it may be read: no credentials."""
_OPTIONS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "mvn": (("MAVEN_OPTS", "-Dmaven.repo.local=", ".m2/repository"),),
}
"""By program: the variable and the option in it that name what lies in a home; `~/.m2` itself holds passwords."""
_JVM = "-Xmx512m -XX:+UseSerialGC -XX:ReservedCodeCacheSize=96m -XX:CompressedClassSpaceSize=128m"
"""A virtual machine reserves more addresses than a command has. What a project says for its tests comes after it."""
_SYSTEM: Mapping[str, tuple[str, ...]] = {"mvn": ("maven", "java*"), "gradle": ("java*",)}
"""By program that runs in a JVM: what of `/etc` it reads, where some systems' packages keep what belongs to a JDK."""


@dataclass(frozen=True)
class CommandPrograms:
    """What may be read besides the copy, the variables that name it, and links from the copy to the person's folder."""

    places: tuple[Path, ...] = ()
    environment: Mapping[str, str] | None = None
    links: tuple[tuple[str, Path], ...] = ()

    def linked_into(self, folder: Path) -> Mapping[str, str]:
        """Make the links in a copy; the environment of a command there."""
        for name, target in self.links:
            (folder / name).symlink_to(target)
        first = [str(folder / name / "bin") for name, _ in self.links if name != "node_modules"]
        named = dict(self.environment or {})
        named["PATH"] = os.pathsep.join([*first, named.get("PATH", ENVIRONMENT["PATH"])])
        if first:
            # What is installed in editable form lies in the person's folder: the copy is meant.
            sources = (folder, folder / "src")
            named["PYTHONPATH"] = os.pathsep.join(str(s) for s in sources if s.is_dir())
        return {**ENVIRONMENT, **named}


def programs_of(command: str, tree: WorkspaceTree) -> CommandPrograms:
    """The programs that a command begins with, where they are installed."""
    root = tree.target.root
    links = tuple(_untracked(root, tree)) if root is not None else ()
    places: dict[Path, None] = dict.fromkeys(
        place for _, target in links for place in _environment_places(target)
    )
    environment: dict[str, str] = {}
    folders: list[str] = []
    for name in _first_words(command):
        if (installation := _installation(name)) is None:
            continue
        places.update(dict.fromkeys(installation.places))
        folders += installation.environment["PATH"].split(os.pathsep)
        for variable, value, named in _in_homes(installation.program):
            environment[variable] = value
            places.update(dict.fromkeys(place for place in named if place.exists()))
        for pattern in _SYSTEM.get(installation.program.name, ()):
            environment["JAVA_TOOL_OPTIONS"] = _JVM
            places.update(dict.fromkeys(Path("/etc").glob(pattern)))
    folders += ENVIRONMENT["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(dict.fromkeys(folders))
    return CommandPrograms(tuple(places), environment, links)


def _in_homes(program: Path) -> Iterator[tuple[str, str, tuple[Path, ...]]]:
    """What a program keeps outside of its folder: the variable for it, its value, and the places that may be read."""
    for variable, home, parts in _HOMES.get(program.name, ()):
        own = Path(os.environ.get(variable) or _home_of(program) / home)
        yield variable, str(own), tuple(own / part for part in parts)
    for variable, option, home in _OPTIONS.get(program.name, ()):
        own = _home_of(program) / home
        if own.is_dir():
            yield variable, f"{option}{own}", (own,)


def _home_of(program: Path) -> Path:
    """The home that a program was installed in (`~/.cargo/bin/cargo`), else one's own."""
    around = program.parent.parent
    return around.parent if around.name.startswith(".") else Path.home()


def _untracked(root: Path, tree: WorkspaceTree) -> Iterator[tuple[str, Path]]:
    tracked = {path.partition("/")[0] for path in tree.entries}
    for name in INSTALLED:
        if name not in tracked and (root / name).is_dir():
            yield name, (root / name).resolve()


def _environment_places(target: Path) -> Iterator[Path]:
    """The folder itself, and for a virtual environment the Python that it was made from."""
    yield target
    python = target / "bin" / "python"
    if python.exists():
        yield from Installation.of(python).places


def _first_words(command: str) -> Iterator[str]:
    """The words that name programs: the first of each simple command, after variables that are set for it."""
    for part in _ENDS.split(command):
        try:
            words = shlex.split(part)
        except ValueError:
            words = part.split()
        yield from [word for word in words if not _ASSIGNED.match(word)][:1]


def _installation(name: str) -> Installation | None:
    """That of a program by its absolute path or by its name; None where there is none, as of what the shell does."""
    if "/" in name and not name.startswith("/"):
        return None
    found = name if name.startswith("/") else find_on_path(name)
    path = None if found is None else Path(found).absolute()
    # What lies beside Quorate comes last on PATH: a system's program of that name is meant before it.
    if path is None or not path.exists() or path.parent == Path(sys.executable).parent:
        return None
    return Installation.of(path)
