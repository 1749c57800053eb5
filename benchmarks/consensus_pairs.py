"""Korean sentence pairs: does the second follow, contradict, or neither?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from benchmarks.consensus_data import Pair
from benchmarks.consensus_fitting import fit_pairs
from benchmarks.consensus_measures import Row, interval
from benchmarks.consensus_turns import by_ratio, f1_row, honest_ratio
from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, OTHER
from orchestrator.core.consensus.detectors.lexical import detect_agreement_ratio
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.consensus.detectors.pairs import (
    CONTRADICTS,
    FOLLOWS,
    NEUTRAL,
    RELATIONS,
    pair_features,
    shipped_model,
)

PARTS = 5
_AS_RELATION = {AGREE: FOLLOWS, DISAGREE: CONTRADICTS, OTHER: NEUTRAL}
Judged = tuple[Pair, str]


def measure_pairs(
    pairs: Sequence[Pair], translated: Sequence[Pair], trained_on: bool
) -> dict[str, list[Row]]:
    """A section for each collection; "held out" is fitted to both without the part that is judged."""
    parts_of = [_part_of(pairs), _part_of(translated)]
    models = [
        fit_pairs(
            [pair for pair in pairs if parts_of[0][pair.premise] != part],
            [pair for pair in translated if parts_of[1][pair.premise] != part],
        )
        for part in range(PARTS)
    ]
    seen = "trained on these data" if trained_on else "never seen these data"
    sections = {}
    for name, own, part_of in zip(
        ("klue-nli", "xnli-ko-dev"), (pairs, translated), parts_of, strict=True
    ):
        if own:
            shipped = [(pair, _relation(shipped_model(), pair)) for pair in own]
            held_out = [(pair, _relation(models[part_of[pair.premise]], pair)) for pair in own]
            sections[f"Korean pairs ({name})"] = [
                *_by_words(own),
                _judged(f"text, shipped, {seen}", shipped),
                _judged("text, held out (five parts, by premise)", held_out),
            ]
    return sections


def _part_of(pairs: Sequence[Pair]) -> dict[str, int]:
    """Pairs of one premise stay in one part."""
    return {
        premise: at % PARTS for at, premise in enumerate(sorted({one.premise for one in pairs}))
    }


def _by_words(pairs: Sequence[Pair]) -> Iterator[Row]:
    truth = [pair.relation for pair in pairs]
    published = [_AS_RELATION[by_ratio(detect_agreement_ratio(pair.claim))] for pair in pairs]
    yield f1_row("published cues", truth, published)
    lexical = [_AS_RELATION[by_ratio(honest_ratio(pair.claim))] for pair in pairs]
    yield f1_row("lexical cues", truth, lexical)
    yield f1_row("negation came or went", truth, [_by_negation(pair) for pair in pairs])


def _judged(title: str, judged: Sequence[Judged]) -> Row:
    row = f1_row(title, [pair.relation for pair, _ in judged], [found for _, found in judged])
    accuracy = {"accuracy": _accuracy(judged), "accuracy_95": interval(judged, _accuracy)}
    return Row(title, {**row.figures, **accuracy})


def _accuracy(judged: Sequence[Judged]) -> float:
    return fmean(pair.relation == found for pair, found in judged)


def _relation(model: LinearModel, pair: Pair) -> str:
    likely = model.probabilities(pair_features(pair.premise, pair.claim))
    return max(RELATIONS, key=lambda relation: likely[relation])


def _by_negation(pair: Pair) -> str:
    features = pair_features(pair.premise, pair.claim)
    return CONTRADICTS if any(one.startswith("odd1") for one in features) else FOLLOWS
