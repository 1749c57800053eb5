"""Participants of any workflow that do anything that is valid, with failures among it; the same seed, the same run."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from orchestrator.core.replay.commands import Decide, Outcome, ToolRun
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind
from shared.models.steps import StepResult
from tests.support import debates, question_panel
from tests.support.review_panel import PATCH, Submission, submission
from tests.support.review_replies import critique_fields, failure, finding, reply
from tests.support.simulator import Simulation, Step

POSITIONS = ("agree", "partial", "disagree", "withdraw", "abstain")
TITLES = ("eval of input", "the name shadows a builtin", "no test for an empty text")
ANSWERS = ("Yes", "No", "Perhaps", "P1", "P2")
SPEECHES = (
    "A monolith first, because nothing else is small enough for three people.",
    "Modules inside one process, and a contract between them that a test holds.",
    "I agree with what was said about modules.",
)
DETECTORS = st.sampled_from(["stance", "lexical", "lexical-published"])
QUORUM = st.none() | st.integers(1, 3)

SUBMISSIONS: dict[str, st.SearchStrategy[Submission]] = {
    "review": st.builds(
        lambda critics, options: submission(critics=critics, options=options),
        st.integers(1, 3),
        st.builds(ReviewOptions, rounds=st.integers(1, 5), detector=DETECTORS, quorum=QUORUM),
    ),
    "plan": st.builds(
        PlanOptions,
        strategy=st.sampled_from(["debate", "perspectives"]),
        given=st.booleans(),
        rounds=st.integers(1, 5),
        detector=DETECTORS,
    ).map(debates.submitted),
    "panel": st.builds(
        PanelOptions,
        strategy=st.sampled_from(["sequential", "parallel", "quick", "delphi"]),
        max_rounds=st.integers(1, 4),
        opening_vote=st.booleans(),
        quorum=QUORUM,
    ).map(debates.submitted),
    "forum": st.builds(
        ForumOptions, max_rounds=st.integers(1, 6), timeout_s=st.none(), quorum=QUORUM
    ).map(lambda options: question_panel.submitted("forum", options)),
    "ask": st.builds(AskOptions, ranking=st.booleans(), synthesis=st.booleans(), quorum=QUORUM).map(
        lambda options: question_panel.submitted("ask", options)
    ),
}
ANY = st.one_of(*SUBMISSIONS.values())
SEEDS = st.integers(0, 2**32)
FAILING = st.sampled_from([0.0, 0.1, 0.4])


class Chance:
    """Whoever is asked; `failing` of all answers do not come."""

    def __init__(self, seed: int, failing: float) -> None:
        self._seed = seed
        self._failing = failing

    def act(self, step: Step) -> StepResult:
        draw = Random(f"{self._seed}/{step.key}")
        if draw.random() < self._failing:
            return failure(draw.choice((FailureKind.TIMEOUT, FailureKind.REFUSAL)))
        if isinstance(step, ToolRun):
            return _tool(step, draw)
        result = reply(step.reply_model, **_fields(step.reply_model, draw))
        cost = {"tokens": draw.randint(1, 99), "cost_usd": draw.choice((None, 0.25))}
        return result.model_copy(update=cost)

    def answer(self, ask: Decide) -> DecisionAnswer:
        draw = Random(f"{self._seed}/{ask.key}")
        return DecisionAnswer(
            choice=draw.choice(ask.question.options), actor="somebody", channel="cli"
        )


def held(run: Submission, seed: int, failing: float = 0.0) -> tuple[Outcome, Simulation]:
    """The run with these participants, to its end."""
    chance = Chance(seed, failing)
    start = start_workflow(run.spec, run.materials)
    simulation = Simulation(start, chance.act, chance.answer, Random(seed))
    return simulation.run(), simulation


def _tool(step: ToolRun, draw: Random) -> StepResult:
    if step.reply_model == "applied":
        return reply("applied", repository="/nowhere", branch="quorate/r1")
    proposals: Any = step.stored_inputs()["fixes"]
    fixes = [{**fix, "problem": draw.choice((None, None, "no"))} for fix in proposals]
    good = any(fix["problem"] is None for fix in fixes)
    return reply("fixes.checked", fixes=fixes, patch=PATCH if good else "")


def _fields(model: str, draw: Random) -> dict[str, Any]:
    said = _stances(draw)
    raised = [
        finding(draw.choice(TITLES), draw.randint(1, 4), severity=draw.choice(("MAJOR", "MINOR")))
        for _ in range(draw.choice((0, 0, 1, 2)))
    ]
    objections = [{"title": one["title"], "severity": one["severity"]} for one in raised]
    verdict = "REVISE" if objections or said else "ACCEPT"
    objecting = {"verdict": verdict, "findings": objections, "stances": said}
    fields: dict[str, dict[str, Any]] = {
        "critique.review": critique_fields(raised, said),
        "rebuttal.review": {"stances": said},
        "synthesis": {"summary": "the panel's text"},
        "fix": {"fixes": [{"findings": ["F1"], "patch": PATCH}]},
        "plan": {"plan": f"a plan, {draw.randint(1, 9)}"},
        "synthesis.plan": {"summary": "what was said"},
        "defense": {"stances": said, "conceded_points": ["something"]},
        **dict.fromkeys(
            ("challenge", "risk-analysis", "innovation-analysis", "cross-review"), objecting
        ),
        "opening": {"position": draw.choice(ANSWERS), "confidence": draw.random()},
        "argument": {"position": draw.choice(ANSWERS), "argument": "so", "stances": _points(draw)},
        "moderation": {"consensus_score": draw.choice((0.2, 0.95))},
        "ballot.choice": {"choice": draw.choice(("P1", "P2", "NONE")), "confidence": 0.5},
        "judgement": {"verdict": "Yes", "choice": "P1", "confidence": 0.5},
        "bid": {"action": draw.choice(("REQUEST", "REQUEST", "PASS")), "reason": "a point"},
        "selection": _selection(draw),
        "speech": {"speech": draw.choice(SPEECHES)},
        "opening.forum": {"position": draw.choice(SPEECHES), "confidence": 0.5},
        "conclusion": {"conclusion": "One process."},
        "ballot": {"position": draw.choice(("agree", "partial", "disagree")), "confidence": 0.5},
        "answer": {"answer": draw.choice(SPEECHES), "confidence": 0.5},
        "ranking": {"ranking": draw.sample(("A", "B"), 2)},
    }
    return fields[model]


def _selection(draw: Random) -> dict[str, Any]:
    if draw.random() < 0.2:
        return {"action": "END", "conclusion": "One process.", "reason": "enough"}
    return {"action": "SELECT", "speaker": draw.choice(("claude", "gemini", "codex"))}


def _stances(draw: Random) -> list[dict[str, Any]]:
    return [
        {"finding": f"F{n}", "position": draw.choice(POSITIONS), "reason": f"reason {n}"}
        for n in range(1, 5)
        if draw.random() < 0.6
    ]


def _points(draw: Random) -> list[dict[str, Any]]:
    return [{**one, "finding": one["finding"].replace("F", "P")} for one in _stances(draw)]
