"""Does a data file (JSON, TOML, YAML) parse? Bounded, and nothing in it is ever built or run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

import yaml

# PyYAML takes about a second for a megabyte.
MAX_TEXT = 256 * 1024
MAX_DEPTH = 100
# Files that carry a suffix and another grammar: comments in JSON, templates in YAML.
LENIENT_JSON = ("tsconfig", "jsconfig", "devcontainer", ".eslintrc", "settings", "launch", "tasks")
TEMPLATE_MARKS = ("{{", "{%", "<%", "${{")


@dataclass(frozen=True)
class SyntaxProblem:
    """Where and why a file does not parse."""

    language: str
    line: int
    message: str


def syntax_error(path: str, text: str) -> SyntaxProblem | None:
    """The first error of a data file by its suffix; None for sound files and for all other kinds."""
    file = PurePosixPath(path)
    check = CHECKS.get(file.suffix.lower())
    if check is None or len(text) > MAX_TEXT or any(mark in text for mark in TEMPLATE_MARKS):
        return None
    if check is _json and (file.name.startswith(LENIENT_JSON) or ".vscode" in file.parts):
        return None
    try:
        return check(text)
    except RecursionError:
        return None


def _json(text: str) -> SyntaxProblem | None:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return SyntaxProblem("JSON", error.lineno, error.msg)
    except ValueError:  # a number with more digits than Python converts
        return None
    return None


def _toml(text: str) -> SyntaxProblem | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        digits = message.rpartition("at line ")[2].partition(",")[0]
        line = int(digits) if digits.isdecimal() else text.count("\n") + 1
        return SyntaxProblem("TOML", line, message.partition(" (at ")[0])
    return None


def _depth(text: str) -> int:
    """How many brackets are open at most, those in strings included."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _yaml(text: str) -> SyntaxProblem | None:
    # PyYAML looks at every open bracket for every token.
    if _depth(text) > MAX_DEPTH:
        return None
    try:
        # Events only: aliases are not expanded and tags are not resolved.
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return SyntaxProblem("YAML", mark.line + 1 if mark else 1, error.problem or "not YAML")
    except yaml.YAMLError as error:
        return SyntaxProblem("YAML", 1, str(error).splitlines()[0])
    return None


CHECKS: dict[str, Callable[[str], SyntaxProblem | None]] = {
    ".json": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
}
