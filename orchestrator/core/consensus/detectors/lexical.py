"""The lexical rule of the review design: exactly as published, and in its honest form.

Published (seed 000, phase 1): agreement ratio from substring cues, Jaccard similarity of words of three letters
or more, overall = 0.6 ratio + 0.4 stability; `converged` at ratio >= 0.7 and stability >= 0.8, `stalled` when the
overall score does not rise and stability < 0.3. It detects repetition rather than agreement; the measurements
and every known trap are in docs/design/convergence.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from orchestrator.core.findings.cues import count_cues
from orchestrator.core.findings.likeness import similarity
from orchestrator.core.rounds import RoundTaken, TurnTaken, turns_by_voice
from shared.models.assessment import ConvergenceMetrics, Recommendation
from shared.models.run import Thresholds
from shared.patterns import regex

PUBLISHED = "lexical-published"
HONEST = "lexical"
NEUTRAL = 0.5

_AGREEMENT = regex(r"agree|concede|valid point|correct|accept|fair|acknowledged", re.I)
_DISAGREEMENT = regex(r"disagree|however|incorrect|but|challenge|oppose|flaw", re.I)
_LONG_WORD = regex(r"\w{3,}")


@dataclass(frozen=True)
class Utterance:
    """A discussion round of the review design; without a participant all texts are one speaker's."""

    round: int
    role: str
    content: str
    participant: str = ""


@dataclass(frozen=True)
class _Figures:
    agreement: float
    stability: float | None


# ---- as published -------------------------------------------------------------------------------


def detect_agreement_ratio(text: str) -> float:
    """Agreement cues / all cues, counted as substrings in any place; 0.5 when there are none."""
    agree = len(_AGREEMENT.findall(text))
    disagree = len(_DISAGREEMENT.findall(text))
    return agree / (agree + disagree) if agree + disagree else NEUTRAL


def jaccard_similarity(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of the words of three letters or more; 0 when neither text has one."""
    words_a, words_b = set(_LONG_WORD.findall(a.lower())), set(_LONG_WORD.findall(b.lower()))
    union = words_a | words_b
    return len(words_a & words_b) / len(union) if union else 0.0


def compute_convergence(
    rounds: Sequence[Utterance], thresholds: Thresholds | None = None
) -> ConvergenceMetrics:
    """The published rule on the latest round: its texts' mean ratio, each text against its speaker's last one.

    Without an earlier text stability is 0. The recommendation is `continue`, `converged` or `stalled`.
    """
    rule = thresholds or Thresholds()
    numbers = sorted({utterance.round for utterance in rounds})
    if not numbers:
        return _metrics(PUBLISHED, _Figures(NEUTRAL, 0.0), None, rule)
    current = _published_figures(rounds, numbers[-1])
    previous = _published_figures(rounds, numbers[-2]) if len(numbers) > 1 else None
    return _metrics(PUBLISHED, current, previous, rule)


def _published_figures(rounds: Sequence[Utterance], number: int) -> _Figures:
    latest = [utterance for utterance in rounds if utterance.round == number]
    similarities = []
    for utterance in latest:
        earlier = [
            other
            for other in rounds
            if other.round < number and other.participant == utterance.participant
        ]
        if earlier:
            before = max(earlier, key=lambda other: other.round)
            similarities.append(jaccard_similarity(before.content, utterance.content))
    ratio = fmean(detect_agreement_ratio(utterance.content) for utterance in latest)
    return _Figures(ratio, fmean(similarities) if similarities else 0.0)


# ---- made honest --------------------------------------------------------------------------------


def assess_wording(
    rounds: Sequence[RoundTaken], thresholds: Thresholds | None = None
) -> ConvergenceMetrics:
    """The same rule on honest figures: whole words and negation, same participant and role, nothing invented.

    Agreement is the mean over everybody's latest turn, stability the mean over everybody who spoke twice in one
    role. A missing turn counts 0 in both, so absence can never raise a figure. With no pair, stability is None
    and nothing converges.
    """
    rule = thresholds or Thresholds()
    ordered = sorted(rounds, key=lambda taken: taken.number)
    previous = _honest_figures(ordered[:-1]) if len(ordered) > 1 else None
    return _metrics(HONEST, _honest_figures(ordered), previous, rule)


def _honest_figures(rounds: Sequence[RoundTaken]) -> _Figures:
    voices = turns_by_voice(rounds).values()
    if not voices:
        return _Figures(0.0, None)
    pairs = [_pair_similarity(turns[-2], turns[-1]) for turns in voices if len(turns) > 1]
    return _Figures(fmean(_ratio(turns[-1]) for turns in voices), fmean(pairs) if pairs else None)


def _ratio(turn: TurnTaken) -> float:
    if not turn.contribution.answered or not turn.contribution.text.strip():
        return 0.0
    ratio = count_cues(turn.contribution.text).ratio
    return NEUTRAL if ratio is None else ratio


def _pair_similarity(before: TurnTaken, now: TurnTaken) -> float:
    if not (before.contribution.answered and now.contribution.answered):
        return 0.0
    return similarity(before.contribution.text, now.contribution.text) or 0.0


# ---- the rule itself ----------------------------------------------------------------------------


def overall_score(agreement: float, stability: float | None, rule: Thresholds) -> float:
    """0.6 agreement + 0.4 stability by default; unknown stability adds nothing."""
    return min(1.0, rule.agreement_weight * agreement + rule.stability_weight * (stability or 0.0))


def _metrics(
    detector: str, current: _Figures, previous: _Figures | None, rule: Thresholds
) -> ConvergenceMetrics:
    score = overall_score(current.agreement, current.stability, rule)
    recommendation = Recommendation.CONTINUE
    if current.stability is not None:
        if current.agreement >= rule.agreement and current.stability >= rule.stability:
            recommendation = Recommendation.CONVERGED
        elif (
            previous is not None
            and overall_score(previous.agreement, previous.stability, rule) >= score
            and current.stability < rule.stalled_stability
        ):
            recommendation = Recommendation.STALLED
    return ConvergenceMetrics(
        detector=detector,
        agreement_ratio=current.agreement,
        avg_stability=current.stability,
        overall_score=score,
        recommendation=recommendation,
    )
