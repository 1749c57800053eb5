"""Do data files (JSON, TOML, YAML) parse? Run by path in the sandbox, on texts that somebody else wrote.

    python -I data_parsers.py < FILES

FILES is a JSON object a line, {"path": ..., "text": ...}. For each one a line is written as soon as it is parsed: its
number and the first error, or null. So what a text that kills this program leaves behind says which one it was.
Standard library and PyYAML only; nothing in a text is ever built or run.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable

import yaml

Problem = tuple[str, int, str]
"""Language, line, message."""


def _json(text: str) -> Problem | None:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return "JSON", error.lineno, error.msg
    return None


def _toml(text: str) -> Problem | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        digits = message.rpartition("at line ")[2].partition(",")[0]
        line = int(digits) if digits.isdecimal() else text.count("\n") + 1
        return "TOML", line, message.partition(" (at ")[0]
    return None


def _yaml(text: str) -> Problem | None:
    try:
        # Events only: aliases are not expanded and tags are not resolved.
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return "YAML", mark.line + 1 if mark else 1, error.problem or "not YAML"
    except yaml.YAMLError as error:
        return "YAML", 1, str(error).splitlines()[0]
    return None


CHECKS: dict[str, Callable[[str], Problem | None]] = {
    ".json": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
}


def first_error(path: str, text: str) -> Problem | None:
    """The first error of a data file by its suffix. What a parser cannot take (depth, digits) is no error."""
    try:
        return CHECKS[os.path.splitext(path)[1].lower()](text)
    except (RecursionError, ValueError):
        return None


def main() -> None:
    """Read, check and answer file by file."""
    for number, line in enumerate(sys.stdin.buffer):
        file = json.loads(line)
        problem = first_error(file["path"], file["text"])
        sys.stdout.write(json.dumps([number, problem]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
