"""The page that says who may do what: every line of its table names tests, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design" / "trust.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
ACCESSES = (
    *("Redis, read", "Redis, write", "Postgres, read", "Postgres, write", "the project's file"),
    *("the change under review", "a participant's reply", "code in a tool", "a page"),
    *("another account", "the API without", "the API with", "Flower"),
)


def lines() -> list[list[str]]:
    table = PAGE.read_text("utf-8").split("| --- | --- | --- | --- |\n")[1].split("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()]


def test_every_way_in_has_its_line() -> None:
    said = [line[0] for line in lines()]
    assert [
        access for access in ACCESSES if not any(name.startswith(access) for name in said)
    ] == []


@pytest.mark.parametrize("line", lines(), ids=lambda line: line[0])
def test_every_line_names_tests_that_exist(line: list[str]) -> None:
    assert len(line) == 4
    named = NAMED.findall(line[3])
    assert named
    assert len(named) == line[3].count("`") // 2
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        known = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert test in known, f"{file}::{test}"
