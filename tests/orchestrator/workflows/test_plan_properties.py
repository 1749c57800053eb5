"""The plan workflow under everything that participants can do: it always ends, and never better than it went."""

from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Decide, Turn
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.run import DecisionPolicy
from shared.models.steps import StepResult
from tests.support.debates import fail, give, hold, submitted

# The diagram of seed 000's plan mode, with what it leaves out: no plan at all, no further revision, and one that
# changes nothing, which is put to the person again.
DIAGRAM = {
    "": {"Planning"},
    "Planning": {"Debating", "WaitingForDebateDecision", "Executing"},
    "Debating": {"Synthesizing"},
    "Synthesizing": {"WaitingForDebateDecision", "Executing"},
    "WaitingForDebateDecision": {"Planning", "Executing"},
    "Executing": set[str](),
}
TITLES = ("No way back is described", "Nobody is told beforehand", "The copy is not encrypted")
POSITIONS = ("agree", "partial", "disagree", "withdraw", "abstain")
OPTIONS = st.builds(
    PlanOptions,
    strategy=st.sampled_from(["debate", "perspectives"]),
    given=st.booleans(),
    rounds=st.integers(1, 6),
    detector=st.sampled_from(["stance", "text", "lexical", "lexical-published"]),
    quorum=st.none() | st.integers(1, 4),
    max_revisions=st.integers(0, 3),
)
POLICIES = st.builds(DecisionPolicy, mode=st.sampled_from(["ask", "ask", "revise", "accept"]))
SEEDS = st.integers(0, 2**32)


class Chance:
    """Participants and people that do anything that is valid, with failures among it."""

    def __init__(self, seed: int, failing: float) -> None:
        self._seed = seed
        self._failing = failing

    def __call__(self, step: Turn) -> StepResult:
        draw = Random(f"{self._seed}/{step.key}")
        if draw.random() < self._failing:
            return fail(draw.choice(list(FailureKind)))
        match step.role:
            case "plan":
                return give(step, plan=f"a plan, {draw.randint(1, 3)}")
            case "synthesis":
                return give(step, summary="what was said", convergence_score=draw.random() * 2)
            case "defense":
                said = _stances(draw)
                return give(step, stances=said, conceded_points=["something"])
        found = [
            {"title": draw.choice(TITLES), "severity": draw.choice(("CRITICAL", "MINOR", "INFO"))}
            for _ in range(draw.choice((0, 0, 1, 2)))
        ]
        said = _stances(draw)
        verdict = draw.choice(("ACCEPT", "REVISE")) if found or said else "ACCEPT"
        return give(step, verdict=verdict, findings=found, stances=said)

    def person(self, ask: Decide) -> DecisionAnswer:
        draw = Random(f"{self._seed}/{ask.key}")
        return DecisionAnswer(
            choice=draw.choice(ask.question.options), actor="somebody", channel="cli"
        )


def _stances(draw: Random) -> list[dict[str, Any]]:
    findings = draw.sample(("F1", "F2", "F3", "F9"), draw.randint(0, 3))
    return [
        {"finding": one, "position": draw.choice(POSITIONS), "reason": f"since {draw.random()}"}
        for one in findings
    ]


@settings(max_examples=60, deadline=None)
@given(OPTIONS, POLICIES, SEEDS, st.sampled_from([0.0, 0.2, 0.7]), st.integers(1, 4))
def test_it_always_ends_along_the_designs_diagram(options, policy, seed, failing, critics):
    chance = Chance(seed, failing)
    names = [f"c{number}" for number in range(critics)]
    run = submitted(options, names=names, decision=policy)
    outcome, simulation = hold(run, chance, chance.person, order=seed)
    assert all(after in DIAGRAM[before] for before, after in pairwise(["", *simulation.phases]))
    assert len(outcome.detail["revisions"]) <= options.max_revisions + 1
    assert outcome.ending is not None
    if outcome.verdict is Verdict.APPROVED:
        assert outcome.ending is Ending.CONVERGED


@settings(max_examples=30, deadline=None)
@given(OPTIONS, SEEDS)
def test_when_everybody_is_silent_nothing_converges(options, seed):
    run = submitted(options)
    outcome, _ = hold(run, lambda _: fail(), Chance(seed, 1.0).person)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.ending is Ending.DEGRADED
