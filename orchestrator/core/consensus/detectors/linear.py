"""A linear softmax classifier over named features: no library at run time, weights as a readable data file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

HUNDREDTHS = 100
TRAINED_ON = "# trained on:"


@dataclass(frozen=True, eq=False)  # one model is one object: it may be a key
class LinearModel:
    """Weights by feature, one a class. Features are present or absent; unknown ones count nothing."""

    classes: tuple[str, ...]
    weights: Mapping[str, tuple[float, ...]]
    trained_on: tuple[str, ...] = ()

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


def load_model(name: str) -> LinearModel:
    """A model that this package ships, by the name of its data file."""
    return read_table((files(__package__) / name).read_text(encoding="utf-8"))


def read_table(table: str) -> LinearModel:
    """The model of a table: comments, the classes, then features with their weights in hundredths.

    The comment `# trained on:` names the digests of the data that the weights were fitted to.
    """
    every = table.splitlines()
    sources = [line.removeprefix(TRAINED_ON) for line in every if line.startswith(TRAINED_ON)]
    first, *lines = [line for line in every if line and not line.startswith("#")]
    weights: dict[str, tuple[float, ...]] = {}
    for line in lines:
        for entry in line.split(" ; "):
            name, *numbers = entry.split(" ")
            weights[name] = tuple(int(number) / HUNDREDTHS for number in numbers)
    return LinearModel(tuple(first.split()), weights, tuple(" ".join(sources).split()))


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
