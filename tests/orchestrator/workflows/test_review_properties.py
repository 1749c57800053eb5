"""The review workflow under everything that participants can do: it always ends, and never better than it went."""

import hashlib
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Decide, Outcome, ToolRun
from orchestrator.core.replay.replay import replay
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.findings import Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.panel import Panel
from shared.models.run import DecisionPolicy
from shared.models.steps import StepResult
from tests.support.review_panel import PATCH, Submission, participant, submission
from tests.support.review_replies import Step, failure, finding, reply
from tests.support.simulator import Simulation

# The diagram of the review design, with what it leaves out: nothing to fix, and the fix reviewed again.
DIAGRAM = {
    "": {"Reviewing"},
    "Reviewing": {"Synthesizing"},
    "Synthesizing": {"WaitingForReviewDecision", "Executing"},
    "WaitingForReviewDecision": {"Fixing", "Executing"},
    "Fixing": {"Reviewing", "Executing"},
    "Executing": set(),
}
TITLES = ("eval of input", "the name shadows a builtin", "no test for an empty text")
POSITIONS = ("agree", "partial", "disagree", "withdraw", "abstain")
WORDS = (
    "the text is checked before it comes here and nobody else calls this function so far".split()
)

PANELS = st.builds(
    lambda critics, ruled: Panel(
        critics=tuple(
            participant(f"c{n}", "analyser", tool="ruff") if n in ruled else participant(f"c{n}")
            for n in range(critics)
        ),
        author=participant("author", "rules" if 9 in ruled else "scripted"),
        chair=participant("chair"),
    ),
    st.integers(1, 5),
    st.sets(st.sampled_from([0, 2, 9]), max_size=2),
)
OPTIONS = st.builds(
    ReviewOptions,
    strategy=st.sampled_from(["review", "red-team"]),
    rounds=st.integers(1, 6),
    detector=st.sampled_from(["stance", "text", "lexical", "lexical-published"]),
    quorum=st.none() | st.integers(1, 5),
    max_reviews=st.integers(1, 3),
    fail_on=st.none() | st.sampled_from(Severity),
)
POLICIES = st.builds(DecisionPolicy, mode=st.sampled_from(["ask", "ask", "apply_fix", "skip"]))
SUBMISSIONS = st.builds(submission, panel=PANELS, options=OPTIONS, decision=POLICIES)
SEEDS = st.integers(0, 2**32)


class Chance:
    """Participants, tools and people that do anything that is valid, with failures among it."""

    def __init__(self, submitted: Submission, seed: int, failing: float) -> None:
        self._submitted = submitted
        self._seed = seed
        self._failing = failing

    def act(self, step: Step) -> StepResult:
        draw = Random(f"{self._seed}/{step.key}")
        if draw.random() < self._failing:
            return failure(draw.choice(list(FailureKind)))
        match step.reply_model.split(".")[0]:
            case "critique":
                found = [
                    finding(
                        draw.choice(TITLES),
                        draw.randint(1, 4),
                        severity=draw.choice(list(Severity)),
                        patch=PATCH if draw.random() < 0.5 else None,
                        place=None if draw.random() < 0.2 else {"path": "app.py", "line": 2},
                    )
                    for _ in range(draw.choice((0, 0, 1, 2)))
                ]
                verdict = draw.choice(("APPROVED", "NEEDS_FIX"))
                said = _stances(draw)
                return reply(step.reply_model, verdict=verdict, findings=found, stances=said)
            case "rebuttal":
                return reply(step.reply_model, stances=_stances(draw))
            case "synthesis":
                return reply("synthesis", summary=_words(draw))
            case "fix":
                wanted = [f"F{draw.randint(1, 9)}" for _ in range(draw.randint(1, 2))]
                return reply("fix", fixes=[{"findings": wanted, "patch": PATCH}])
            case "fixes":
                return self._checked(step, draw)
        return reply("applied", repository="/", subject=self._reviewed_next(draw))

    def answer(self, ask: Decide) -> DecisionAnswer:
        draw = Random(f"{self._seed}/{ask.key}")
        selectable = ask.question.selectable
        some = tuple(one for one in selectable if draw.random() < 0.5)
        return DecisionAnswer(
            choice=draw.choice(ask.question.options),
            actor="somebody",
            channel="cli",
            only=draw.choice((None, some)),
        )

    def _checked(self, step: Step, draw: Random) -> StepResult:
        assert isinstance(step, ToolRun)
        proposals: Any = step.stored_inputs()["fixes"]
        fixes = [
            {**fix, "problem": "it does not apply" if draw.random() < 0.3 else None}
            for fix in proposals
        ]
        good = [fix for fix in fixes if fix["problem"] is None]
        return reply("fixes.checked", fixes=fixes, patch=f"{step.key} {len(good)}" if good else "")

    def _reviewed_next(self, draw: Random) -> str | None:
        return draw.choice((None, self._submitted.spec.subject, self._submitted.spec.subject))


def _stances(draw: Random) -> list[dict[str, Any]]:
    return [
        {"finding": f"F{n}", "position": draw.choice(POSITIONS), "reason": _words(draw)}
        for n in range(1, 6)
        if draw.random() < 0.6
    ]


def _words(draw: Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(1, 12)))


def held(submitted: Submission, seed: int, failing: float, order: int) -> Simulation:
    chance = Chance(submitted, seed, failing)
    start = start_workflow(submitted.spec, submitted.materials)
    return Simulation(start, chance.act, chance.answer, Random(order))


def last_assessment(outcome: Outcome) -> Any:
    assessments: Any = outcome.detail["assessments"]
    return assessments[-1]


FAILING = st.sampled_from([0.0, 0.1, 0.3, 0.7])


@settings(max_examples=80, deadline=None)
@given(SUBMISSIONS, SEEDS, FAILING, SEEDS)
def test_every_review_ends_as_its_diagram_allows(
    submitted: Submission, seed: int, failing: float, order: int
) -> None:
    run = held(submitted, seed, failing, order)
    outcome = run.run()
    options = ReviewOptions.model_validate(submitted.spec.options)

    walked = ["", *run.phases]
    assert all(after in DIAGRAM[before] for before, after in pairwise(walked))
    assert run.phases[-1] == "Executing"
    assert run.phases.count("Reviewing") == outcome.detail["reviews"]
    assert run.phases.count("Reviewing") <= options.max_reviews
    assert isinstance(outcome.ending, Ending)
    assert all(record.assessment.round <= options.rounds for record in run.records.values())


@settings(max_examples=80, deadline=None)
@given(SUBMISSIONS, SEEDS, FAILING)
def test_approval_takes_convergence_and_everybody_or_a_quorum_that_was_asked_for(
    submitted: Submission, seed: int, failing: float
) -> None:
    run = held(submitted, seed, failing, 0)
    outcome = run.run()
    last = last_assessment(outcome)

    if outcome.verdict is Verdict.APPROVED:
        assert outcome.ending is Ending.CONVERGED
        assert last["answered"] >= last["quorum"]
        assert last["ending"] == "converged"
    if outcome.ending in (Ending.DEGRADED, Ending.OVER_BUDGET):
        assert outcome.verdict is not Verdict.APPROVED


@settings(max_examples=40, deadline=None)
@given(SUBMISSIONS, SEEDS)
def test_a_silent_panel_is_never_approved(submitted: Submission, seed: int) -> None:
    outcome = held(submitted, seed, 1.0, 0).run()

    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.ending in (Ending.DEGRADED, Ending.OVER_BUDGET)
    assert outcome.findings == ()


@settings(max_examples=80, deadline=None)
@given(SUBMISSIONS, SEEDS, FAILING)
def test_nothing_is_applied_without_the_answer_that_asked_for_it(
    submitted: Submission, seed: int, failing: float
) -> None:
    run = held(submitted, seed, failing, 0)
    run.run()

    for key, step in run.commands.items():
        if not (isinstance(step, ToolRun) and step.tool == "apply"):
            continue
        cycle = key.removesuffix("apply")
        if submitted.spec.decision.mode == "ask":
            assert run.answers[f"{cycle}decision"].choice == "apply_fix"
        else:
            assert submitted.spec.decision.mode == "apply_fix"
        offered = {
            hashlib.sha256(str(entry.result.reply["patch"]).encode()).hexdigest()
            for checked, entry in run.steps.items()
            if checked.startswith(cycle) and checked.endswith("/check")
            if entry.result is not None and entry.result.reply is not None
            if "patch" in entry.result.reply
        }
        assert step.stored_inputs()["approved"] in offered


@settings(max_examples=40, deadline=None)
@given(SUBMISSIONS, SEEDS, FAILING, SEEDS, SEEDS)
def test_the_order_of_answers_within_a_round_changes_nothing(
    submitted: Submission, seed: int, failing: float, one: int, other: int
) -> None:
    first, second = held(submitted, seed, failing, one), held(submitted, seed, failing, other)

    assert first.run() == second.run()
    assert first.records == second.records
    assert first.stages == second.stages


@settings(max_examples=40, deadline=None)
@given(SUBMISSIONS, SEEDS, FAILING)
def test_the_end_can_be_derived_from_the_journal_alone(
    submitted: Submission, seed: int, failing: float
) -> None:
    run = held(submitted, seed, failing, 0)
    outcome = run.run()

    again = replay(start_workflow(submitted.spec, submitted.materials), run.journal)

    assert again.outcome == outcome
    assert (again.schedule, again.records, again.ask) == ((), (), None)
