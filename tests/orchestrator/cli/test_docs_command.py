"""`quorate docs`, and that every sentence that sends its reader to a page leads to one."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from orchestrator.cli.commands.docs import find_page, manual, pages, title_of
from orchestrator.presentation.locale.catalogue import LANGUAGES, catalogue, help_texts
from shared.errors import UserError
from tests.fixtures.instance import CommandLine

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("orchestrator", "shared", "workers")
REFERENCE = re.compile(r"`quorate docs ([\w/.-]+)`")
BARE = re.compile(r"(?<!quorate )\bdocs/[\w/-]+\.md")


@cache
def sentences() -> tuple[tuple[str, str], ...]:
    """Every text that may be shown, with its place."""
    return tuple(_sentences())


def _sentences() -> Iterator[tuple[str, str]]:
    """Every text of the code that may be shown: no comment, and docstrings of commands only."""
    for file in sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        is_command = "cli/commands" in file.as_posix()
        helps = {
            id(node.body[0])
            for node in ast.walk(tree)
            if is_command and isinstance(node, ast.FunctionDef)
        }
        comments = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and id(node) not in helps
        }
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and id(node) not in comments:
                yield f"{file.relative_to(ROOT)}:{node.lineno}", text
    for language in LANGUAGES:
        for name, texts in catalogue(language).entries.items():
            yield from ((f"{language}: {name}", text) for text in texts)
        yield from ((f"{language}: help", text) for text in help_texts(language).values())


def test_every_page_that_a_sentence_names_is_there() -> None:
    named = {(place, page) for place, text in sentences() for page in REFERENCE.findall(text)}
    assert {"configuration", "eval", "exit-codes", "prompts"} <= {page for _, page in named}
    for place, page in sorted(named):
        assert find_page(page, manual()).is_file(), place


def test_no_sentence_names_a_file_that_an_installation_does_not_have() -> None:
    excused = ("(docs/json.md)", "docs/shop.md", "documents")
    lost = [
        (place, text)
        for place, text in sentences()
        if BARE.search(text) and not any(word in text for word in excused)
    ]
    shown = [place for place, _ in lost]
    assert shown == [], "an installed Quorate has no docs/: write `quorate docs PAGE`"


@pytest.mark.parametrize(
    ("wanted", "page"),
    [
        ("configuration", "configuration"),
        ("docs/exit-codes.md", "exit-codes"),
        ("trust", "design/trust"),
        ("design/trust.md#what-is-not-bound", "design/trust"),
        ("Exit-Codes", "exit-codes"),
    ],
)
def test_a_page_is_found_by_what_it_is_called(wanted: str, page: str) -> None:
    folder = manual()
    assert find_page(wanted, folder) == pages(folder)[page]


def test_an_unknown_page_names_the_nearest_one() -> None:
    with pytest.raises(UserError, match=r"`quorate docs configuration`"):
        find_page("configuratoin", manual())


def test_every_page_is_listed_with_its_heading(quiet_home: CommandLine) -> None:
    done = quiet_home("docs")
    assert done.returncode == 0
    for name, file in pages(manual()).items():
        assert title_of(file), name
        assert f"{name} " in done.stdout
    listed = json.loads(quiet_home("docs", "--json").stdout)
    assert {each["page"] for each in listed["pages"]} == {*pages(manual())}


def test_a_page_is_printed_or_located(quiet_home: CommandLine) -> None:
    file = ROOT / "docs/exit-codes.md"
    assert quiet_home("docs", "exit-codes").stdout == file.read_text(encoding="utf-8")
    assert quiet_home("docs", "exit-codes", "--path").stdout == f"{file}\n"
    done = quiet_home("docs", "nothing-like-it")
    assert done.returncode == 2
    assert "`quorate docs` lists them" in done.stderr
