"""Fitting the small models of `orchestrator/core/consensus/detectors`: softmax regression in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.consensus_data import Group, Pair
from benchmarks.consensus_examples import written_arguments, written_examples
from orchestrator.core.consensus.detectors.acts import AGREE, CLASSES, DISAGREE, features
from orchestrator.core.consensus.detectors.arguments import (
    NEITHER,
    SIDES,
    argument_features,
    is_argument,
)
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.consensus.detectors.pairs import RELATIONS, pair_features

# Words of the card task that the recorded groups solved: a model of agreement has no use for them.
TASK_WORDS = frozenset(
    "vowel vowels consonant consonants even odd card cards number numbers letter letters rule rules side sides"
    " flip flipped flipping flips turn turned turning over test testing tests verify hit turking".split()
)


@dataclass(frozen=True)
class Fit:
    """How a model is fitted: passes over the data, weight decay, how often a feature must occur."""

    passes: int
    rate: float
    decay: float
    at_least: int
    cue_at_least: int  # for features made by hand, which no single text owns


ACT_FIT = Fit(passes=8, rate=0.07, decay=0.01, at_least=7, cue_at_least=3)
PAIR_FIT = Fit(passes=8, rate=0.02, decay=0.08, at_least=8, cue_at_least=8)
ARGUMENT_FIT = Fit(passes=8, rate=0.02, decay=0.03, at_least=1, cue_at_least=90)
OWN_WEIGHT = 4
ARGUMENT_WEIGHT = 30
TRANSLATED_WEIGHT = 2


@dataclass(frozen=True)
class Example:
    """The features of an example and its class."""

    features: tuple[str, ...]
    label: str


def turns_of(group: Group) -> Iterable[tuple[str, str, str]]:
    """Text, the last text of somebody else, and the annotated act of every message."""
    for at, message in enumerate(group.messages):
        before = next(
            (one.text for one in reversed(group.messages[:at]) if one.speaker != message.speaker),
            "",
        )
        yield message.text, before, message.act


def act_examples(groups: Sequence[Group]) -> list[Example]:
    """An example for every message."""
    return [
        Example(tuple(filter(_general, features(text, before, tuple(group.positions)))), act)
        for group in groups
        for text, before, act in turns_of(group)
    ]


def _general(feature: str) -> bool:
    return TASK_WORDS.isdisjoint(feature.rpartition("=")[2].split("_"))


def pair_examples(pairs: Sequence[Pair]) -> list[Example]:
    """An example for every sentence pair."""
    return [Example(tuple(pair_features(one.premise, one.claim)), one.relation) for one in pairs]


def fit_acts(groups: Sequence[Group]) -> LinearModel:
    """A model of turns, from annotated groups and the project's own examples."""
    return fit([*act_examples(groups), *own_examples()], CLASSES, ACT_FIT)


def own_examples() -> list[Example]:
    """The project's own examples, each as often as `OWN_WEIGHT` says."""
    return OWN_WEIGHT * [
        Example(tuple(features(text, before)), act) for text, before, act in written_examples()
    ]


def fit_arguments(groups: Sequence[Group]) -> LinearModel:
    """A model of arguments, from the project's own; long turns of groups at work show what no argument is."""
    written = [
        Example(tuple(argument_features(reply, said)), side)
        for reply, said, side in written_arguments()
    ]
    worked = [
        Example(
            tuple(argument_features(text, before)), act if act in (AGREE, DISAGREE) else NEITHER
        )
        for group in groups
        for text, before, act in turns_of(group)
        if is_argument(text, before)
    ]
    return fit([*(ARGUMENT_WEIGHT * written), *worked], SIDES, ARGUMENT_FIT)


@dataclass(frozen=True)
class CrossFit:
    """Models of groups in parts: `models[part]` has seen all groups but those of that part."""

    part_of: tuple[int, ...]
    models: tuple[LinearModel, ...]
    arguments: tuple[LinearModel, ...]

    def model_for(self, group: int) -> LinearModel:
        """The model of turns that has not seen this group."""
        return self.models[self.part_of[group]]

    def arguments_for(self, group: int) -> LinearModel:
        """The model of arguments that has not seen this group."""
        return self.arguments[self.part_of[group]]


def cross_fit(groups: Sequence[Group], repetitions: int = 3, parts: int = 5) -> list[CrossFit]:
    """Models that have not seen the groups they will hear, each repetition with other parts."""
    found = []
    for repetition in range(repetitions):
        order = list(range(len(groups)))
        random.Random(repetition).shuffle(order)
        part_of = [0] * len(groups)
        for place, group in enumerate(order):
            part_of[group] = place % parts
        seen = [
            [one for one, own in zip(groups, part_of, strict=True) if own != part]
            for part in range(parts)
        ]
        found.append(
            CrossFit(tuple(part_of), tuple(map(fit_acts, seen)), tuple(map(fit_arguments, seen)))
        )
    return found


def fit_pairs(pairs: Sequence[Pair], translated: Sequence[Pair]) -> LinearModel:
    """A model of sentence pairs; translated ones, which are longer and freer, count more."""
    examples = [*pair_examples(pairs), *(TRANSLATED_WEIGHT * pair_examples(translated))]
    return fit(examples, RELATIONS, PAIR_FIT)


def fit(examples: Sequence[Example], classes: tuple[str, ...], how: Fit) -> LinearModel:
    """Softmax regression by AdaGrad, averaged over the last half of the passes; deterministic."""
    counted = Counter(feature for one in examples for feature in one.features)
    kept = sorted(
        name
        for name, count in counted.items()
        if count >= (how.at_least if "=" in name else how.cue_at_least)
    )
    index = {name: at for at, name in enumerate(kept)}
    size = len(classes)
    weights = [[0.0] * size for _ in kept]
    squares = [[1e-2] * size for _ in kept]
    sums = [[0.0] * size for _ in kept]
    rows = [
        ([index[name] for name in one.features if name in index], classes.index(one.label))
        for one in examples
    ]
    order = list(range(len(rows)))
    chance = random.Random(20261121)
    averaged = 0
    for number in range(how.passes):
        chance.shuffle(order)
        for at in order:
            _step(rows[at], weights, squares, how)
        if number >= how.passes // 2:
            averaged += 1
            for total, current in zip(sums, weights, strict=True):
                for at in range(size):
                    total[at] += current[at]
    return LinearModel(
        classes,
        {
            name: tuple(total / averaged for total in row)
            for name, row in zip(kept, sums, strict=True)
        },
    )


def _step(
    row: tuple[list[int], int],
    weights: list[list[float]],
    squares: list[list[float]],
    how: Fit,
) -> None:
    """One example's gradient."""
    present, label = row
    if not present:
        return
    size = len(weights[present[0]])
    scores = [0.0] * size
    for at in present:
        own = weights[at]
        for one in range(size):
            scores[one] += own[one]
    highest = max(scores)
    shares = [math.exp(score - highest) for score in scores]
    total = sum(shares)
    errors = [share / total - (one == label) for one, share in enumerate(shares)]
    for at in present:
        own, seen = weights[at], squares[at]
        for one in range(size):
            slope = errors[one] + how.decay * own[one]
            seen[one] += slope * slope
            own[one] -= how.rate * slope / math.sqrt(seen[one])
