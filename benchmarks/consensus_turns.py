"""Single turns and sentence pairs: F1 of agreement, disagreement and neither; what reading them costs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean

from benchmarks.consensus_data import Group, Pair
from benchmarks.consensus_fitting import CrossFit, fit_pairs, turns_of
from benchmarks.consensus_measures import Row, f1_by_class
from benchmarks.consensus_rounds import one_each
from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, OTHER, act_of
from orchestrator.core.consensus.detectors.lexical import detect_agreement_ratio
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.consensus.detectors.pairs import (
    CONTRADICTS,
    FOLLOWS,
    NEUTRAL,
    RELATIONS,
    pair_features,
)
from orchestrator.core.consensus.detectors.pairs import shipped_model as shipped_pairs
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.findings.cues import count_cues

STANCES = (AGREE, DISAGREE, OTHER)
PARTS = 5


def measure_turns(
    groups: Sequence[Group], fits: Sequence[CrossFit], trained_on: bool
) -> Iterator[Row]:
    """Agree, disagree or neither: every message against its annotation."""
    truth = [act if act in STANCES else OTHER for group in groups for _, _, act in turns_of(group)]
    texts = [text for group in groups for text, _, _ in turns_of(group)]
    yield _f1("published cues", truth, [_by_ratio(detect_agreement_ratio(text)) for text in texts])
    yield _f1("lexical cues", truth, [_by_ratio(_honest_ratio(text)) for text in texts])
    seen = "trained on these data" if trained_on else "never seen these data"
    yield _f1(f"text, shipped, {seen}", truth, [one for group in groups for one in _stances(group)])
    held_out = [
        _f1(
            "text, held out",
            truth,
            [one for at, group in enumerate(groups) for one in _stances(group, fit.model_for(at))],
        ).figures
        for fit in fits
    ]
    means = {name: fmean(one[name] for one in held_out) for name in held_out[0]}
    yield Row(
        "text, held out (mean of the repetitions)", {**means, "examples": held_out[0]["examples"]}
    )


def _stances(group: Group, model: LinearModel | None = None) -> list[str]:
    names = tuple(group.positions)
    return [act_of(text, before, names, model).stance for text, before, _ in turns_of(group)]


def _honest_ratio(text: str) -> float:
    ratio = count_cues(text).ratio
    return 0.5 if ratio is None else ratio


def _by_ratio(ratio: float) -> str:
    if ratio == 0.5:
        return OTHER
    return AGREE if ratio > 0.5 else DISAGREE


def _f1(title: str, truth: Sequence[str], found: Sequence[str]) -> Row:
    by_class = f1_by_class(truth, found, sorted(set(truth)))
    return Row(title, {"examples": len(truth), "macro_f1": fmean(by_class.values()), **by_class})


# ---- Korean pairs -------------------------------------------------------------------------------


def measure_pairs(pairs: Sequence[Pair], trained_on: bool) -> Iterator[Row]:
    """Entailment (agreement), contradiction (disagreement) or neither; pairs of one premise stay in one part."""
    truth = [one.relation for one in pairs]
    words = {AGREE: FOLLOWS, DISAGREE: CONTRADICTS, OTHER: NEUTRAL}
    yield _f1(
        "published cues",
        truth,
        [words[_by_ratio(detect_agreement_ratio(one.claim))] for one in pairs],
    )
    yield _f1("lexical cues", truth, [words[_by_ratio(_honest_ratio(one.claim))] for one in pairs])
    yield _f1("negation came or went", truth, [_by_negation(one) for one in pairs])
    seen = "trained on these data" if trained_on else "never seen these data"
    relate = partial(_relation, shipped_pairs())
    yield _f1(f"text, shipped, {seen}", truth, [relate(one) for one in pairs])
    part = {
        premise: at % PARTS for at, premise in enumerate(sorted({one.premise for one in pairs}))
    }
    models = [
        fit_pairs([one for one in pairs if part[one.premise] != number]) for number in range(PARTS)
    ]
    found = [_relation(models[part[one.premise]], one) for one in pairs]
    yield _f1("text, held out (five parts, by premise)", truth, found)


def _relation(model: LinearModel, pair: Pair) -> str:
    found = model.probabilities(pair_features(pair.premise, pair.claim))
    return max(RELATIONS, key=lambda one: found[one])


def _by_negation(pair: Pair) -> str:
    features = pair_features(pair.premise, pair.claim)
    return CONTRADICTS if any(one.startswith("odd1") for one in features) else FOLLOWS


# ---- speed --------------------------------------------------------------------------------------


def measure_speed(groups: Sequence[Group]) -> Iterator[Row]:
    """Milliseconds to read one turn, nothing remembered."""
    turns = [
        (text, before, tuple(one.positions)) for one in groups for text, before, _ in turns_of(one)
    ]
    act_of("Let us begin.")  # reads the table
    started = time.process_time()
    for text, before, names in turns:
        act_of.__wrapped__(text, before, names)
    each = (time.process_time() - started) * 1000 / len(turns)
    started = time.process_time()
    for one in groups:
        assess_text(one_each(one))
    whole = (time.process_time() - started) * 1000 / len(groups)
    yield Row("milliseconds", {"a turn": round(each, 3), "a group of many turns": round(whole, 1)})
