"""Debates of two models: does a rule ever say converged, and when did the moderator?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.consensus_data import Debate
from benchmarks.consensus_measures import Row
from benchmarks.consensus_rounds import Assess, of_debate, published
from orchestrator.core.consensus.detectors.acts import act_of
from orchestrator.core.consensus.detectors.lexical import assess_wording
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import RoundTaken
from shared.models.assessment import Recommendation


def measure_debates(debates: Sequence[Debate]) -> Iterator[Row]:
    """After every round of every debate: does a rule ever say converged?"""
    for name, assess in (
        ("published", published),
        ("lexical", assess_wording),
        ("text", assess_text),
        ("text at the end, unconfirmed counts", partial(assess_text, ended=True)),
    ):
        rule: Assess = assess
        fired = [_ever_fires(of_debate(one), rule) for one in debates]
        yield Row(
            name,
            {
                "debates": len(debates),
                "never settled": sum(not one.settled for one in debates),
                "fires on never settled": sum(
                    hit and not one.settled for hit, one in zip(fired, debates, strict=True)
                ),
                "settled": sum(one.settled for one in debates),
                "fires on settled": sum(
                    hit and one.settled for hit, one in zip(fired, debates, strict=True)
                ),
            },
        )
    for title, holds in (
        ("both last turns agree in words", _ends_in_assent),
        ("somebody gives way in so many words", _gives_way),
        ("ended after one round", lambda debate: len(debate.rounds) == 1),
    ):
        kind = [(one.settled, holds(one)) for one in debates]
        figures = {"never settled": kind.count((False, True)), "settled": kind.count((True, True))}
        yield Row(title, figures)


_GIVES_WAY = re.compile(
    r"(?i)\bI (?:can )?concede\b|\bagree (?:with your perspective )?that [^.!?]{3,160}"
    r"\bis (?:indeed )?(?:an? |the )?(?:more|most|better|correct)\b|\bI stand corrected\b"
)


def _gives_way(debate: Debate) -> bool:
    """Concedes the other's wording, and does not hold out in the same turn."""
    return any(
        _GIVES_WAY.search(text) and act_of(text).disagree < act_of(text).agree
        for turns in debate.rounds[1:]
        for text in turns
    )


def _ends_in_assent(debate: Debate) -> bool:
    return all(act.agree > act.disagree for act in map(act_of, debate.rounds[-1]))


def _ever_fires(rounds: Sequence[RoundTaken], assess: Assess) -> bool:
    return any(
        assess(rounds[:count]).recommendation is Recommendation.CONVERGED
        for count in range(1, len(rounds) + 1)
    )
