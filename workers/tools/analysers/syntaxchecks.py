"""Do the data files (JSON, TOML, YAML) of a change parse? Bounded first, then parsed in the sandbox.

A data file of 80 kB was made that takes 6 GB of a parser. So what no one writes by hand is refused before, and the
parsers run in a process with a limit of memory and of time, which they may lose without harm to anybody.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from shared.errors import ToolError
from shared.text.bounded_json import loads
from shared.text.toml_bounds import TomlTooLargeError, check_toml
from workers.tools.analysers.data_parsers import CHECKS
from workers.tools.sandbox.sandbox import Countdown, execute, scratch

PARSERS = Path(__file__).with_name("data_parsers.py")
# PyYAML takes some seconds for this much, and 500 bytes a byte; lock files in JSON are larger, and read fast.
MAX_TEXT = 256 * 1024
MAX_JSON = 2 * 1024 * 1024
MAX_DEPTH = 100
MOST_KILLED = 3
PER_FILE_S = 20.0
# Files that carry a suffix and another grammar: comments in JSON, templates in YAML.
LENIENT_JSON = ("tsconfig", "jsconfig", "devcontainer", ".eslintrc", "settings", "launch", "tasks")
TEMPLATE_MARKS = ("{{", "{%", "<%", "${{")


@dataclass(frozen=True)
class SyntaxProblem:
    """Where and why a file does not parse."""

    language: str
    line: int
    message: str


@dataclass(frozen=True)
class Unparsed:
    """Why nobody can say whether a file parses; `large`: by its size alone, as generated files are."""

    reason: str
    large: bool = False


Checked = SyntaxProblem | Unparsed | None


def is_data(path: str) -> bool:
    """True for a file that is looked at here."""
    file = PurePosixPath(path)
    suffix = file.suffix.lower()
    lenient = file.name.startswith(LENIENT_JSON) or ".vscode" in file.parts
    return suffix in CHECKS and not (suffix == ".json" and lenient)


def check_syntax(files: Mapping[str, str], countdown: Countdown) -> dict[str, Checked]:
    """The first error of each data file (path -> text), None for a sound one; other files are left out."""
    checked: dict[str, Checked] = {}
    sound: dict[str, str] = {}
    for path, text in files.items():
        if not is_data(path) or any(mark in text for mark in TEMPLATE_MARKS):
            continue
        most = MAX_JSON if path.lower().endswith(".json") else MAX_TEXT
        reason = _too_much(path, text)
        if reason is not None:
            checked[path] = Unparsed(reason)
        elif len(text) > most:
            checked[path] = Unparsed(f"it has more than {most} characters", large=True)
        else:
            sound[path] = text
    return checked | _parsed(sound, countdown)


def _too_much(path: str, text: str) -> str | None:
    """Why a parser should not see the text, whatever its size."""
    if path.lower().endswith(".toml"):
        try:
            check_toml(text)
        except TomlTooLargeError as error:
            return f"it has {error}"
    # PyYAML looks at every open bracket for every token.
    elif _depth(text) > MAX_DEPTH:
        return f"it has more than {MAX_DEPTH} open brackets"
    return None


def _depth(text: str) -> int:
    """How many brackets are open at most, those in strings included."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _parsed(files: Mapping[str, str], countdown: Countdown) -> dict[str, Checked]:
    """What the parsers say. A file that kills them is set aside; after the third the rest is not tried."""
    checked: dict[str, Checked] = {}
    left = list(files)
    for _ in range(MOST_KILLED):
        if not left:
            return checked
        problems = _run({path: files[path] for path in left}, countdown)
        checked.update(zip(left, problems, strict=False))
        left = left[len(problems) :]
        if left:
            checked[left.pop(0)] = Unparsed("its parser took too much memory or time")
    return checked | dict.fromkeys(left, Unparsed("parsers were stopped by the files before it"))


def _run(files: Mapping[str, str], countdown: Countdown) -> list[Checked]:
    """The answers of one process, in order, as far as it came."""
    lines = (json.dumps({"path": path, "text": text}) for path, text in files.items())
    with scratch() as root:
        program = root / PARSERS.name
        program.write_bytes(PARSERS.read_bytes())
        finished = execute(
            [sys.executable, "-I", str(program)],
            cwd=root,
            home=root,
            timeout_s=min(countdown.remaining_s(), PER_FILE_S + 2.0 * len(files)),
            stdin="\n".join(lines).encode(),
            confinement=countdown.confinement(output_mb=8),
        )
    try:
        whole = finished.stdout[: finished.stdout.rfind(b"\n") + 1]
        answered: list[Any] = [loads(line) for line in whole.splitlines()]
        answers = [line[1] for line in answered]
        return [None if answer is None else SyntaxProblem(*answer) for answer in answers]
    except (ValueError, TypeError, IndexError) as error:
        raise ToolError("The parsers answered in a form that is not understood.") from error
