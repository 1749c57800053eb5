"""What an installed program needs around it: the folders that belong to it, and the variables that name them.

A sandbox shows a program nothing of a home, and that is where pip, pipx, uv, npm, conda and version managers install.
What belongs to it is told by where it lies and by its first lines; nothing is run to find out.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from shared.errors import ToolError
from shared.patterns import regex
from workers.tools.sandbox.sandbox import find_program
from workers.tools.sandbox.walls import SYSTEM, SYSTEM_PATH, holds_home

FIRST_BYTES = 4000
# pip's and uv's form for an interpreter that `#!` cannot name: too long, or with a space in it.
_BEHIND_SHELL = regex(r"\A#!\s*/bin/sh\n'{3}exec' (\"[^\"\n]+\"|\S+) ")
_HOME_KEY = regex(r"^home\s*=\s*(\S.*?)\s*$", re.MULTILINE)
_OF_PNPM = "$basedir"  # what its stand-ins for a package's program are full of
_DIGITS = regex(r"\d+")
_SHOWN = tuple(f"{folder}/" for folder in (*SYSTEM, "/opt"))


@dataclass(frozen=True)
class Installation:
    """A program, the places that must be readable for it to run, and its variables."""

    program: Path
    places: tuple[Path, ...]
    environment: Mapping[str, str]

    @classmethod
    def of(cls, on_path: Path, more: Iterable[str] = ()) -> Installation:
        """That of the program found on PATH, which may be a version manager's stand-in; `more` is a person's word."""
        program = actual(on_path)
        starts = _with_targets((program, *_interpreters(program)))
        needed = dict.fromkeys(place for start in starts for place in _around(start))
        environment = {
            "PATH": os.pathsep.join(
                [*dict.fromkeys(str(start.parent) for start in starts), SYSTEM_PATH]
            )
        }
        sites = [start.parent.parent for start in starts if _user_sites(start.parent.parent)]
        if sites:
            environment["PYTHONUSERBASE"] = str(sites[0])
        places = [place for place in needed if not f"{place}/".startswith(_SHOWN)]
        return cls(program, tuple(filter(os.path.exists, (*places, *map(Path, more)))), environment)


def actual(on_path: Path) -> Path:
    """The program that a shim of pyenv, nodenv, asdf or mise stands for; anything else is itself."""
    if on_path.parent.name != "shims":
        return on_path
    root = on_path.parent.parent
    folders = [*root.glob("versions/*/bin"), *root.glob("installs/*/*/bin")]
    candidates = [folder / on_path.name for folder in folders]
    usable = [path for path in candidates if os.access(path, os.X_OK)]
    chosen = _text(root / "version").split()
    return max(
        usable,
        key=lambda path: (path.parts[-3] in chosen, *map(int, _DIGITS.findall(path.parts[-3]))),
        default=on_path,
    )


def _interpreters(program: Path) -> Iterator[Path]:
    """What the first line of a script names, directly, by `env`, or in pip's way around `#!`."""
    head = _text(program)
    if behind := _BEHIND_SHELL.match(head):
        yield Path(behind.group(1).strip('"'))
        return
    words = _first_words(head)
    if words and words[0].startswith("/"):
        yield Path(words[0])
    if words and words[0].endswith("/env"):
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        yield from _found(named[:1])
    if _OF_PNPM in head:
        yield from _found(["node"])


def _first_words(head: str) -> list[str]:
    """The interpreter that `#!` names and its arguments."""
    line = head.partition("\n")[0]
    if not line.startswith("#!"):
        return []
    try:
        return shlex.split(line[2:])
    except ValueError:
        return line[2:].split()


def _found(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        with contextlib.suppress(ToolError):
            yield actual(find_program(name))


def _with_targets(paths: Iterable[Path]) -> list[Path]:
    """The paths with what they point at, and for a virtual environment's the interpreter that it was made from."""
    seen: dict[Path, None] = {}
    waiting = [*paths]
    while waiting:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen[path] = None
        waiting.append(Path(os.path.realpath(path)))
        if home := _HOME_KEY.search(_text(path.parent.parent / "pyvenv.cfg")):
            waiting.append(Path(home.group(1)) / "python3")
    return [*seen]


def _around(program: Path) -> Iterator[Path]:
    """The program and the folders of its installation."""
    yield program
    prefix = program.parent.parent
    own = (prefix / "pyvenv.cfg").is_file() or (prefix / "conda-meta").is_dir()
    if own and not holds_home(str(prefix)):
        yield prefix
    elif own or next(prefix.glob("lib/python3*/os.py"), None):
        yield from (prefix / "bin", prefix / "lib", prefix / "pyvenv.cfg")
    yield from _user_sites(prefix)
    if _OF_PNPM in _text(program):
        yield from (top for top in (prefix, program.parent) if (top / "global").is_dir())
    parts = program.parts
    if "node_modules" in parts:
        yield Path(*parts[: parts.index("node_modules") + 1])


def _user_sites(prefix: Path) -> list[Path]:
    """The folders of packages that `pip install --user` puts below a prefix: without a Python of its own."""
    if f"{prefix}/".startswith(_SHOWN) or (prefix / "pyvenv.cfg").is_file():
        return []
    sites = prefix.glob("lib/python3*/site-packages")
    return [site.parent for site in sites if not (site.parent / "os.py").is_file()]


def _text(path: Path) -> str:
    """The beginning of a file, "" for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(FIRST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
