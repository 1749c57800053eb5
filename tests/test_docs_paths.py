"""The files that the documentation names exist: a page that names one is wrong as soon as that is moved."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("orchestrator", "shared", "workers")
FOLDERS = (*PACKAGES, "tests", "benchmarks", "deploy", "docs", ".ci")
PAGES = (*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")

SPAN = re.compile(r"`([^`\n]+)`")
PART = r"[\w.*<>{},-]+"
PATH = re.compile(rf"{PART}(?:/{PART})*\.py|(?P<folder>{PART})/{PART}(?:/{PART})*/?")
BRACES = re.compile(r"\{([^{}]*)\}")


@cache
def files() -> tuple[str, ...]:
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
    return tuple(path.relative_to(ROOT).as_posix() for path in paths)


@cache
def folders() -> frozenset[str]:
    """What a short path may begin with: a folder at the top, or of a package."""
    below = (path for name in PACKAGES for path in (ROOT / name).iterdir() if path.is_dir())
    return frozenset(FOLDERS) | {path.name for path in below}


def named_in(text: str) -> set[str]:
    spans = (PATH.fullmatch(span) for span in SPAN.findall(text))
    return {
        match[0]
        for match in spans
        if match and (match["folder"] is None or match["folder"] in folders())
    }


def spelled_out(path: str) -> list[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`."""
    braces = BRACES.search(path)
    if braces is None:
        return [path]
    before, after = path[: braces.start()], path[braces.end() :]
    return [each for word in braces[1].split(",") for each in spelled_out(before + word + after)]


def exists(path: str) -> bool:
    """Whether a file, or a folder with one, is called so; `*` and `<name>` stand for anything, `.py` can be missing."""
    parts = re.split(r"(\*|<\w+>)", path.rstrip("/"))
    pattern = "".join("[^/]*" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    named = re.compile(rf"(?:.*/)?{pattern}(?:\.py)?(?:/.*)?")
    return any(named.fullmatch(file) for file in files())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = sorted(named_in(page.read_text(encoding="utf-8")))

    assert [path for name in named for path in spelled_out(name) if not exists(path)] == []
