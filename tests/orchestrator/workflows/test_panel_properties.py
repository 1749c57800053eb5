"""The panel workflow under everything that debaters, moderator and judge can do."""

from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.panel.options import PanelOptions
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.debates import fail, give, hold, member, submitted

# Seed 003's graph (initialize, debate, moderate, judge) with the ballots before the judge.
GRAPH = {
    "": {"Initializing"},
    "Initializing": {"Debating"},
    "Debating": {"Debating", "Moderating", "Voting", "Judging", "Complete"},
    "Moderating": {"Debating", "Voting", "Judging", "Complete"},
    "Voting": {"Judging", "Complete"},
    "Judging": {"Complete"},
    "Complete": set[str](),
}
ANSWERS = ("Yes", "No", "Perhaps", "P1", "P2", "???")
POSITIONS = ("agree", "partial", "disagree", "withdraw", "abstain")
SEEDS = st.integers(0, 2**32)
OPTIONS = st.builds(
    PanelOptions,
    strategy=st.sampled_from(["sequential", "parallel", "quick", "delphi"]),
    max_rounds=st.integers(1, 5),
    consensus_threshold=st.sampled_from([0.6, 0.8, 1.0]),
    moderator=st.sampled_from([None, member("mod")]),
    opening_vote=st.booleans(),
    ballot=st.booleans(),
    quorum=st.none() | st.integers(1, 4),
)


class Chance:
    """Everybody does anything that is valid, with failures among it."""

    def __init__(self, seed: int, failing: float) -> None:
        self._seed = seed
        self._failing = failing

    def __call__(self, step: Turn) -> StepResult:
        draw = Random(f"{self._seed}/{step.key}")
        if draw.random() < self._failing:
            return fail(draw.choice(list(FailureKind)))
        match step.reply_model:
            case "opening":
                return give(step, position=draw.choice(ANSWERS), confidence=draw.random())
            case "moderation":
                score = draw.choice((None, 0.2, 0.95, 3))
                return give(step, consensus_score=score, should_continue=draw.random() < 0.5)
            case "ballot.choice":
                choice = draw.choice(("P1", "P2", "p3", "NONE", "P99"))
                return give(step, choice=choice, same=draw.sample(("P1", "P2", "P9"), 1))
            case "judgement":
                choice = draw.choice((None, "P1", "P99"))
                return give(step, verdict="so be it", choice=choice, confidence=draw.random())
        points = [{"claim": draw.choice(("it is old", "it is dear"))}] * draw.randint(0, 2)
        return give(
            step,
            position=draw.choice(ANSWERS),
            argument=f"since {draw.random()}",
            points=points,
            stances=_stances(draw),
        )


def _stances(draw: Random) -> list[dict[str, Any]]:
    points = draw.sample(("P1", "P2", "P3", "P42"), draw.randint(0, 3))
    return [{"finding": one, "position": draw.choice(POSITIONS), "reason": "so"} for one in points]


@settings(max_examples=80, deadline=None)
@given(OPTIONS, SEEDS, st.sampled_from([0.0, 0.1, 0.5]), st.integers(1, 5))
def test_it_always_ends_along_the_graph_and_converges_only_when_the_votes_do(
    options, seed, failing, debaters
):
    names = [f"d{number}" for number in range(debaters)]
    run = submitted(options, names=names)
    outcome, simulation = hold(run, Chance(seed, failing), order=seed)
    assert all(after in GRAPH[before] for before, after in pairwise(["", *simulation.phases]))
    assert outcome.ending is not None
    if outcome.ending is Ending.CONVERGED:
        assert outcome.detail["agreement"]["converged"]
    if outcome.ending in (Ending.DEGRADED, Ending.OVER_BUDGET):
        assert outcome.verdict is Verdict.INCONCLUSIVE


@settings(max_examples=40, deadline=None)
@given(OPTIONS, SEEDS)
def test_who_is_silent_never_brings_agreement_about(options, seed):
    """Two of four never answer: whatever the others say, that is no consensus of four."""

    def act(step: Turn) -> StepResult:
        if step.participant.name in ("d2", "d3"):
            return fail()
        return Chance(seed, 0.0)(step)

    run = submitted(options, names=("d0", "d1", "d2", "d3"))
    assert hold(run, act)[0].ending is not Ending.CONVERGED
