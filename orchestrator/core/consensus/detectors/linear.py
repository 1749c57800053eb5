"""A linear softmax classifier over named features: no library at run time, weights as a readable table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HUNDREDTHS = 100


@dataclass(frozen=True, eq=False)  # one model is one object: it may be a key
class LinearModel:
    """Weights by feature, one a class. Features are present or absent; unknown ones count nothing."""

    classes: tuple[str, ...]
    weights: Mapping[str, tuple[float, ...]]

    def probabilities(self, features: Iterable[str]) -> dict[str, float]:
        """How likely each class is, adding up to 1."""
        scores = [0.0] * len(self.classes)
        for feature in features:
            for at, weight in enumerate(self.weights.get(feature, ())):
                scores[at] += weight
        highest = max(scores)
        shares = [math.exp(score - highest) for score in scores]
        total = sum(shares)
        return {name: share / total for name, share in zip(self.classes, shares, strict=True)}


def read_table(table: str) -> LinearModel:
    """The model of a table: the classes in the first line, then a feature and its weights in hundredths a line."""
    first, *lines = table.strip().splitlines()
    weights: dict[str, tuple[float, ...]] = {}
    for line in lines:
        for entry in line.split(" ; "):
            name, *numbers = entry.split(" ")
            weights[name] = tuple(int(number) / HUNDREDTHS for number in numbers)
    return LinearModel(tuple(first.split()), weights)


def write_table(
    classes: Sequence[str], weights: Mapping[str, Sequence[float]], width: int = 110
) -> str:
    """The table of a model; features whose weights all round to 0 are left out."""
    lines = [" ".join(classes)]
    current = ""
    for name in sorted(weights):
        numbers = [round(weight * HUNDREDTHS) for weight in weights[name]]
        if not any(numbers):
            continue
        entry = " ".join([name, *map(str, numbers)])
        if current and len(current) + len(entry) + 3 > width:
            lines.append(current)
            current = ""
        current = f"{current} ; {entry}" if current else entry
    return "\n".join([*lines, current] if current else lines)
