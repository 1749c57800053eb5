"""Recorded code reviews: what each tool said of each pull request, and what the judges made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """True positives, false positives, false negatives."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def f1(self) -> float:
        """0 when nothing is there to find and nothing was shown."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn) if self.tp else 0.0


@dataclass(frozen=True)
class Said:
    """A tool's comment, and the golden comments that the judge matched it with."""

    tool: str
    text: str
    matched: frozenset[str]


@dataclass(frozen=True)
class Review:
    """A pull request: what all tools said, how many golden comments it has, each tool's own figures."""

    url: str
    repository: str
    golden: int
    said: tuple[Said, ...]
    singles: Mapping[str, Counts]


Judged = Mapping[str, tuple[Review, ...]]
"""The reviews by judge."""


def read(folder: Path) -> Judged:
    """All judges' files of a folder; a pull request without golden comments is left out, as the benchmark does."""
    repository_of = {
        one["url"]: path.stem.removeprefix("golden_")
        for path in sorted(folder.glob("golden_*.json"))
        for one in json.loads(path.read_text())
    }
    judges = {}
    for path in sorted(folder.glob("candidates_*.json")):
        judge = path.stem.removeprefix("candidates_")
        candidates = json.loads(path.read_text())
        evaluations = json.loads((folder / f"evaluations_{judge}.json").read_text())
        judges[judge] = tuple(
            _review(url, repository_of[url], tools, evaluations[url])
            for url, tools in candidates.items()
            if url in repository_of and url in evaluations
        )
    return judges


def _review(
    url: str,
    repository: str,
    tools: Mapping[str, list[dict[str, str]]],
    evaluated: Mapping[str, dict[str, list[dict[str, str]]]],
) -> Review:
    said = []
    for tool in sorted(tools):
        matched: dict[str, set[str]] = {}
        for one in evaluated.get(tool, {}).get("true_positives", ()):
            matched.setdefault(one["matched_candidate"], set()).add(one["golden_comment"])
        said += [
            Said(tool, one["text"], frozenset(matched.get(one["text"], ())))
            for one in tools[tool]
            if one["text"].strip()
        ]
    counted = {tool: one for tool, one in evaluated.items() if not one.get("skipped")}
    singles = {
        tool: Counts(
            len(one["true_positives"]), len(one["false_positives"]), len(one["false_negatives"])
        )
        for tool, one in counted.items()
    }
    golden = max((one.tp + one.fn for one in singles.values()), default=0)
    return Review(url, repository, golden, tuple(said), singles)
