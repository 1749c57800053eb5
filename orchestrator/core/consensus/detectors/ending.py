"""What can be said at the end of a discussion that no round confirms any more: how likely it ended in agreement.

A logistic score over ten figures of the whole discussion, fitted to recorded groups
(`python -m benchmarks.consensus_ending --data DIR` fits it again). It decides nothing before the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from orchestrator.core.consensus.detectors.answers import FollowedAnswer, likeness_of
from orchestrator.core.consensus.detectors.floor import AnswerFloor, AnswerTurn, HeldAnswer

# From this score on what is merely unconfirmed counts as agreed at the end.
ENDS_AGREED = 0.75
INTERCEPT = -0.39
WEIGHTS = {
    "agreement": 1.37,
    "people": -0.23,
    "holding": -1.45,
    "stayed": 0.55,
    "stayed_mean": -0.74,
    "says_yes": 4.51,
    "leading": 1.27,
    "agreed_for": 0.29,
    "spoke_since": 0.58,
    "yes_since": 0.71,
}


@dataclass(frozen=True)
class EndScore:
    """The constants of the score, and from where on it counts."""

    weights: Mapping[str, float]
    intercept: float
    agreed_from: float = ENDS_AGREED

    def of(self, figures: Mapping[str, float]) -> float:
        """How likely a discussion with these figures ended in agreement, 0 to 1."""
        total = sum(weight * figures[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-(self.intercept + total)))


SHIPPED_END = EndScore(WEIGHTS, INTERCEPT)


def end_figures(
    turns: Mapping[str, Sequence[AnswerTurn]], floor: AnswerFloor, agreement: float
) -> dict[str, float]:
    """The ten figures; `turns` are everybody's, `agreement` is the detector's own."""
    answers = [floor.answers[name] for name in turns if name in floor.answers]
    silent = len(turns) - len(answers)
    stayed = [math.log1p(kept.stayed) for kept in answers] + [0.0] * silent
    yes = [turn.act.agree for own in turns.values() for turn in own]
    return {
        "agreement": agreement,
        "people": float(len(turns)),
        "holding": _mean([1.0] * len(answers) + [0.0] * silent),
        "stayed": min(stayed, default=0.0),
        "stayed_mean": _mean(stayed),
        "says_yes": _mean(yes),
        "leading": _leading(floor, answers, len(turns)),
        "agreed_for": math.log1p(_agreed_for(floor)),
        **_since_the_last_change(floor, len(turns)),
    }


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _since_the_last_change(floor: AnswerFloor, people: int) -> dict[str, float]:
    """Who has spoken since anybody last changed what they hold, and how clearly somebody said yes."""
    changed = max((at for at, step in enumerate(floor.trail) if step.changed), default=0)
    since = floor.trail[changed:]
    return {
        "spoke_since": len({step.speaker for step in since}) / max(1, people),
        "yes_since": max((step.agree for step in since), default=0.0),
    }


def _leading(floor: AnswerFloor, answers: Sequence[HeldAnswer], people: int) -> float:
    """The share of people who at some time stated the answer that most hold now."""
    if not answers:
        return 0.0

    def holders(answer: FollowedAnswer) -> int:
        return sum(likeness_of(answer, other.answer) == 1.0 for other in answers)

    leading = max((each.answer for each in answers), key=holders)
    stated = {speaker for answer, speaker in floor.spoken if likeness_of(answer, leading) == 1.0}
    return len(stated) / people


def _agreed_for(floor: AnswerFloor) -> int:
    """How many turns all answers have been the same until now."""
    apart = (at for at, step in enumerate(reversed(floor.trail)) if not step.alike)
    return next(apart, len(floor.trail))
