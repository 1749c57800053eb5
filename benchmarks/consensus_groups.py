"""Groups of people: every rule against whether they ended in consensus.

"Held out" is nested cross-validation by group, repeated with other parts: the model that hears a group and the
constants that judge it are chosen on the other parts. Intervals resample groups, not their repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, product
from statistics import fmean
from typing import Any

from benchmarks.consensus_data import Group
from benchmarks.consensus_ending import cross_fit_ends
from benchmarks.consensus_fitting import CrossFit
from benchmarks.consensus_measures import Judged, Row, auc, interval, precision, recall, resampled
from benchmarks.consensus_rounds import Assess, in_halves, judged, one_each, published
from orchestrator.core.consensus.detectors.lexical import assess_wording
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.consensus.detectors.text import (
    FollowedDiscussion,
    Weighing,
    assess_text,
    figures_at_end,
    follow_discussion,
    judge,
    judge_end,
)
from shared.models.run import Thresholds

RULE = Thresholds()
ASKED = 0.8  # of the firings are consensus
ENOUGH = 0.9  # precision that constants must have where they are chosen: what is new goes less well
CHOICES = [
    Weighing(holds, said_yes, 1 - holds - said_yes)
    for holds, said_yes in product((0.7, 0.74, 0.78, 0.82), (0.12, 0.16, 0.2))
]
Outcome = tuple[Judged, ...]  # a group, once a repetition


def measure_groups(
    groups: Sequence[Group], fits: Sequence[CrossFit], trained_on: bool
) -> Iterator[Row]:
    """Every rule on every group."""
    for name, assess in (("published", published), ("lexical", assess_wording)):
        rule: Assess = assess
        for form, rounds in (("a message a round", one_each), ("halves", in_halves)):
            found = [(judged(rule(rounds(one)), one.consensus),) for one in groups]
            yield Row(f"{name}, {form}", _figures(found))
    seen = "trained on these data" if trained_on else "never seen these data"
    shipped = [(judged(assess_text(one_each(one)), one.consensus),) for one in groups]
    yield from _readings(f"text, shipped, {seen}", groups, shipped)
    ended = [(judged(assess_text(one_each(one), ended=True), one.consensus),) for one in groups]
    yield Row("  the same at their end, unconfirmed counts", _figures(ended))
    at_once = _turned([[_ends_at_first(one) for one in groups]])
    yield Row("  the same, ending a group as soon as it fires", _figures(at_once))
    heard = [_heard(groups, fit) for fit in fits]
    chosen = _turned([_with_choices(groups, *one) for one in zip(heard, fits, strict=True)])
    yield Row("text, held out (model and constants)", _figures(chosen))
    fixed = _turned([_judge(groups, one, Weighing()) for one in heard])
    yield from _readings("text, held out (model; constants as shipped)", groups, fixed)
    ends = [_judge_ends(groups, *one) for one in zip(heard, fits, strict=True)]
    yield from _readings("text, held out, at their end (model, score)", groups, _turned(ends))
    at_once = _turned([_firsts(groups, fit) for fit in fits])
    yield Row("  the same, ending a group as soon as it fires", _figures(at_once))


def _readings(title: str, groups: Sequence[Group], found: Sequence[Outcome]) -> Iterator[Row]:
    """Outcomes by both readings of consensus."""
    yield Row(title, _figures(found))
    narrow = [
        tuple(Judged(one.score, one.fired, group.submitted_the_same) for one in outcome)
        for outcome, group in zip(found, groups, strict=True)
    ]
    yield Row("  the same, consensus = all submitted the same", _figures(narrow))


def _ends_at_first(group: Group, model: LinearModel | None = None) -> Judged:
    """The ruling of the first message after which the detector says converged, or the last."""
    rounds = one_each(group)
    found = [
        judged(
            judge(follow_discussion(rounds[:count], model, group.positions), RULE), group.consensus
        )
        for count in range(1, len(rounds) + 1)
    ]
    return next((one for one in found if one.fired), found[-1])


# ---- held out -----------------------------------------------------------------------------------


def _heard(groups: Sequence[Group], fit: CrossFit) -> list[FollowedDiscussion]:
    return [follow_discussion(one_each(one), fit.model_for(at)) for at, one in enumerate(groups)]


def _firsts(groups: Sequence[Group], fit: CrossFit) -> list[Judged]:
    return [_ends_at_first(one, fit.model_for(at)) for at, one in enumerate(groups)]


def _judge(
    groups: Sequence[Group], heard: Sequence[FollowedDiscussion], weighing: Weighing
) -> list[Judged]:
    return [
        judged(judge(one, RULE, weighing), group.consensus)
        for one, group in zip(heard, groups, strict=True)
    ]


def _judge_ends(
    groups: Sequence[Group], heard: Sequence[FollowedDiscussion], fit: CrossFit
) -> list[Judged]:
    """Every group at its end, by a score that was fitted to the other parts."""
    figures = [figures_at_end(one) or {} for one in heard]
    scores = cross_fit_ends(figures, [group.consensus for group in groups], fit)
    return [
        judged(judge_end(one, RULE, score=scores[fit.part_of[at]]), group.consensus)
        for at, (one, group) in enumerate(zip(heard, groups, strict=True))
    ]


def _with_choices(
    groups: Sequence[Group], heard: Sequence[FollowedDiscussion], fit: CrossFit
) -> list[Judged]:
    """Every group under the constants that do best on the other parts."""
    by_choice = [_judge(groups, heard, weighing) for weighing in CHOICES]

    def worth(part: int, found: Sequence[Judged]) -> tuple[bool, float, float]:
        return _worth([one for at, one in enumerate(found) if fit.part_of[at] != part])

    best = [max(by_choice, key=partial(worth, part)) for part in range(len(fit.models))]
    return [best[fit.part_of[at]][at] for at in range(len(groups))]


def _worth(found: Sequence[Judged]) -> tuple[bool, float, float]:
    """Precise enough, then recall, then the area under the curve."""
    right = precision(found)
    return right >= ENOUGH, recall(found) if right >= ENOUGH else 0.0, auc(found)


# ---- figures ------------------------------------------------------------------------------------


def _turned(repetitions: Sequence[Sequence[Judged]]) -> list[Outcome]:
    return list(zip(*repetitions, strict=True))


def _figures(found: Sequence[Outcome]) -> dict[str, Any]:
    """Counts are means over the repetitions."""
    times = len(found[0])
    every = list(chain.from_iterable(found))
    fired = sum(one.fired for one in every)
    figures: dict[str, Any] = {
        "groups": len(found),
        "consensus": sum(one[0].consensus for one in found),
        "fires": round(fired / times),
        "right": round(sum(one.fired and one.consensus for one in every) / times),
        "precision": precision(every),
        "recall": recall(every),
        "auc": fmean(auc([one[time] for one in found]) for time in range(times)),
        "auc_95": interval(found, lambda drawn: auc(list(chain.from_iterable(drawn)))),
    }
    if not fired:
        return figures
    drawn = resampled(found, lambda some: precision(list(chain.from_iterable(some))))
    return {
        **figures,
        "precision_95": interval(found, lambda some: precision(list(chain.from_iterable(some)))),
        f"samples from {ASKED}": fmean(one >= ASKED for one in drawn),
    }
