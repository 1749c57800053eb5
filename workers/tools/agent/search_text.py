"""Search in the text of a workspace: git finds lines, BM25 ranks the definitions and blocks that hold them.

S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.4, with its usual
k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shared.models.code_graph_index import GraphIndex
from workers.tools.agent.search_words import SearchWord
from workers.tools.agent.workspace import WorkspaceTree

K1, B = 1.2, 0.75
BLOCK_LINES = 40
MOST_OUTPUT = 16 * 1024 * 1024
MOST_LINES_A_FILE = 200
LONGEST_LINE = 500
_NOT_WRITTEN = (
    "*.lock",
    "*.min.js",
    "*.map",
    "*.svg",
    "package-lock.json",
    "pnpm-lock.yaml",
    "go.sum",
)


class TextLine(NamedTuple):
    """A line that has something of what was asked for."""

    path: str
    line: int
    text: str


@dataclass
class TextPassage:
    """A definition (its place in the graph), or a block of lines of a file, with the lines found in it by word."""

    path: str
    place: int | None
    first: int
    length: int
    lines: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def best_line(self) -> int:
        """The first line that has most of the words."""
        counts: dict[int, int] = defaultdict(int)
        for numbers in self.lines.values():
            for number in set(numbers):
                counts[number] += 1
        return min(counts, key=lambda number: (-counts[number], number))


def grep(
    tree: WorkspaceTree, texts: Iterable[str], *, whole_words: bool = False
) -> Iterator[TextLine]:
    """The lines of text files that hold one of the texts, in any case of letters."""
    asked = [argument for text in texts for argument in ("-e", text)]
    if not asked:
        return
    words = ("-w",) if whole_words else ()
    excluded = (f":(exclude,glob)**/{name}" for name in _NOT_WRITTEN)
    # What a pattern excludes is no pattern where pathspecs are taken literally, as our repositories do.
    git = tree.git.with_environment({"GIT_LITERAL_PATHSPECS": "0"})
    found = git.attempt(
        *("grep", "--cached", "-z", "-n", "-i", "-I", "-F", *words, f"-m{MOST_LINES_A_FILE}"),
        *(*asked, "--", ":/", *excluded),
        limit=MOST_OUTPUT,
    )
    for row in found.stdout.split(b"\n"):
        path, _, rest = row.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if number.isdigit():
            name = path.decode("utf-8", "surrogateescape")
            yield TextLine(
                name,
                int(number),
                text[: LONGEST_LINE * 4].decode("utf-8", "replace")[:LONGEST_LINE],
            )


def rank_text(
    tree: WorkspaceTree, index: GraphIndex, words: Sequence[SearchWord]
) -> list[tuple[float, TextPassage]]:
    """The passages that have something of the words, the best first."""
    patterns = [_pattern(word) for word in words]
    passages: dict[tuple[str, int], TextPassage] = {}
    for line in grep(tree, dict.fromkeys(variant for word in words for variant in word.variants)):
        matched = [number for number, pattern in enumerate(patterns) if pattern.search(line.text)]
        if matched:
            passage = _passage(passages, index, line)
            for number in matched:
                passage.lines[number].append(line.line)
    total = max(len(passages), len(index.graph.nodes) + len(tree.paths()))
    return _scored(passages, words, total)


def _passage(
    passages: dict[tuple[str, int], TextPassage], index: GraphIndex, line: TextLine
) -> TextPassage:
    place = index.around(line.path, line.line)
    node = None if place is None else index.node(place)
    if node is not None and node.line != 1 and node.end_line - node.line < BLOCK_LINES * 4:
        first, length = node.line, node.end_line - node.line + 1
    else:
        first, length = (line.line - 1) // BLOCK_LINES * BLOCK_LINES + 1, BLOCK_LINES
    known = passages.get((line.path, first))
    if known is None:
        known = passages[line.path, first] = TextPassage(line.path, place, first, length)
    return known


def _scored(
    passages: Mapping[tuple[str, int], TextPassage], words: Sequence[SearchWord], total: int
) -> list[tuple[float, TextPassage]]:
    if not passages:
        return []
    average = sum(passage.length for passage in passages.values()) / len(passages)
    weights = []
    for number, word in enumerate(words):
        having = sum(number in passage.lines for passage in passages.values())
        weights.append(word.weight * math.log(1 + (total - having + 0.5) / (having + 0.5)))
    ranked = []
    for passage in passages.values():
        norm = K1 * (1 - B + B * passage.length / average)
        score = 0.0
        for number, lines in passage.lines.items():
            score += weights[number] * len(lines) * (K1 + 1) / (len(lines) + norm)
        ranked.append((score, passage))
    return sorted(ranked, key=lambda each: (-each[0], each[1].path, each[1].first))


def _pattern(word: SearchWord) -> re.Pattern[str]:
    """A line has a word where one of its variants stands in it; a short one only as a part of its own."""
    parts = []
    for variant in word.variants:
        text = re.escape(variant)
        short = variant.isascii() and len(variant) < 4
        parts.append(rf"(?<![a-z]){text}(?![a-z])" if short else text)
    return re.compile("|".join(parts), re.IGNORECASE)
