"""The fenced blocks of README.md and docs/, with what a comment right above a block says of it.

`<!-- not run: REASON -->`            nothing of the block is run here
`<!-- not run: FIRST WORDS: REASON -->`  the lines that begin so are not (the words in backquotes)
`<!-- not compared: REASON -->`       a shown output that is not compared

How they are run, and what may stand for what changes from run to run, is in docs/design/documents.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/guide.md"
"""Typed as a whole, in its order: tests/acceptance/test_guide.py."""
OVERVIEW = ROOT / "docs" / "using.md"
"""Read next, as the README says: other pages show what these two have left."""
PAGES = (
    ROOT / "README.md",
    OVERVIEW,
    *sorted({*(ROOT / "docs").rglob("*.md")} - {GUIDE, OVERVIEW}),
)

_BLOCK = re.compile(
    r"(?m)(?P<comments>(?:^ *<!-- .*? -->\n)*)^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^ *```$",
    re.DOTALL,
)
_COMMENT = re.compile(r"<!-- (not run|not compared): (?:`([^`]+)`: )?(.+?) -->")


@dataclass(frozen=True)
class DocBlock:
    """A fenced block: its page, its first line there, its language, and what is marked about it."""

    page: str
    line: int
    language: str
    body: str
    marks: tuple[tuple[str, str, str], ...]

    @property
    def where(self) -> str:
        """`README.md:34`"""
        return f"{self.page}:{self.line}"

    def reason(self, kind: str, command: str = "") -> str | None:
        """Why the whole block, or this command of it, is not run or compared; None when it is."""
        return next(
            (
                why
                for mark, words, why in self.marks
                if mark == kind and (not words or command.startswith(words))
            ),
            None,
        )


def blocks_of(page: Path) -> Iterator[DocBlock]:
    """The blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield DocBlock(
            page=page.relative_to(ROOT).as_posix(),
            line=text.count("\n", 0, match.start("indent")) + 1,
            language=match["language"],
            body=match["body"],
            marks=tuple(_COMMENT.findall(match["comments"])),
        )


@dataclass(frozen=True)
class Example:
    """A command of a block, and the output that is shown under it (None: none is)."""

    block: DocBlock
    command: str
    shown: str | None = None

    @property
    def reason(self) -> str | None:
        """Why it is not run; None when it is."""
        return self.block.reason("not run", self.command)


def examples_of(block: DocBlock) -> Iterator[Example]:
    """The commands of a block: each line of `sh`, or what stands after `$ ` in `console`, with what follows it."""
    if block.language == "sh":
        lines = re.sub(r"\\\n\s*", "", block.body).splitlines()
        yield from (Example(block, line) for line in lines if line.strip())
    elif block.language == "console":
        for part in re.split(r"(?m)^\$ ", block.body)[1:]:
            command, _, shown = part.partition("\n")
            yield Example(block, command, shown)


def is_script(block: DocBlock) -> bool:
    """Whether a block is one file rather than commands that are typed."""
    return block.body.startswith("#!")
