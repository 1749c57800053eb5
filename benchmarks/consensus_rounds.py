"""Recorded discussions as rounds, and the rules that judge them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.consensus_data import ROLE, Debate, Group
from benchmarks.consensus_measures import Judged
from orchestrator.core.consensus.detectors.lexical import Utterance, compute_convergence
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import ConvergenceMetrics, Recommendation

Assess = Callable[[Sequence[RoundTaken]], ConvergenceMetrics]


def one_each(group: Group) -> list[RoundTaken]:
    """Every message is a round of one."""
    return [
        RoundTaken(number, ROLE, (Contribution(said.speaker, ROLE, said.text),))
        for number, said in enumerate(group.messages, 1)
    ]


def in_halves(group: Group) -> list[RoundTaken]:
    """Two rounds: what everybody said in the first and in the second half of their messages."""
    rounds: tuple[list[Contribution], list[Contribution]] = ([], [])
    for who in group.positions:
        texts = [said.text for said in group.messages if said.speaker == who]
        for part, half in zip(
            rounds, (texts[: len(texts) // 2], texts[len(texts) // 2 :]), strict=True
        ):
            if half:
                part.append(Contribution(who, ROLE, "\n".join(half)))
    return [RoundTaken(number, ROLE, tuple(part)) for number, part in enumerate(rounds, 1) if part]


def of_debate(debate: Debate) -> list[RoundTaken]:
    """The debate's own rounds."""
    return [
        RoundTaken(
            number,
            ROLE,
            (Contribution("affirmative", ROLE, one), Contribution("negative", ROLE, other)),
        )
        for number, (one, other) in enumerate(debate.rounds, 1)
    ]


def published(rounds: Sequence[RoundTaken]) -> ConvergenceMetrics:
    """The published rule on the same rounds."""
    return compute_convergence(
        [
            Utterance(taken.number, one.role, one.text, one.participant)
            for taken in rounds
            for one in taken.contributions
        ]
    )


def judged(metrics: ConvergenceMetrics, consensus: bool) -> Judged:
    """What a rule said, beside what was so."""
    fired = metrics.recommendation is Recommendation.CONVERGED
    return Judged(metrics.overall_score, fired, consensus)
