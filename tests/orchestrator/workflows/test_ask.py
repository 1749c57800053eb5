"""Asking a panel: answers at once, who is missing, ranking without names, a synthesis."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.findings.verdict import GateOutcome, gate
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.ask.options import AskOptions
from shared.models.findings import Severity
from shared.models.notices import verbatim
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.notices import all_words
from tests.support.question_panel import Script, fail, give, hold, say, shown, submitted
from tests.support.simulator import Simulation

NAMES = ("claude", "gemini", "codex", "qwen")
BEST = "codex"


class Cast:
    """Everybody answers and ranks codex first, the others as they were shown; the chair sums up."""

    def __init__(self, **acts: Callable[[Turn], StepResult]) -> None:
        self.acts = acts

    def __call__(self, step: Turn) -> StepResult:
        act = self.acts.get(step.role) or getattr(self, step.role)
        result: StepResult = act(step)
        return result

    def answer(self, step: Turn) -> StepResult:
        return say(step, f"The answer of {step.participant.name}.", tokens=10, cost_usd=0.5)

    def ranking(self, step: Turn) -> StepResult:
        labels = seen(step)
        ordered = sorted(labels, key=lambda label: (labels[label] != BEST, label))
        return give(step, ranking=ordered, reason="it is right")

    def synthesis(self, step: Turn) -> StepResult:
        return give(step, summary="One answer out of all.", consensus=["it depends"])


def seen(step: Turn) -> dict[str, str]:
    """The letters that a turn shows, and whose answers stand under them."""
    return {
        part.fence.removeprefix("answer "): (part.text or "").split()[-1].rstrip(".")
        for part in step.prompt().user
        if part.fence and part.fence.startswith("answer ")
    }


def without(*names: str, kind: FailureKind = FailureKind.TIMEOUT) -> Callable[[Turn], StepResult]:
    def act(step: Turn) -> StepResult:
        return fail(kind) if step.participant.name in names else Cast().answer(step)

    return act


def held(
    script: Script, names: tuple[str, ...] = NAMES, **options: Any
) -> tuple[Outcome, Simulation]:
    return hold(submitted("ask", AskOptions(**options), names=names), script)


def unanswered(_step: Turn) -> StepResult:
    return fail()


def turns(run: Simulation, role: str) -> list[Turn]:
    return [one for one in run.commands.values() if isinstance(one, Turn) and one.role == role]


# ---- answers ------------------------------------------------------------------------------------


def test_everybody_answers_at_once_and_nothing_else_is_asked() -> None:
    outcome, run = held(Cast())

    assert run.stages == [tuple(f"answer/{name}" for name in NAMES)]
    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, None)
    assert outcome.summary.startswith("# claude\n\n> The answer of claude.\n\n# gemini")
    answers: Any = outcome.detail["answers"]
    assert [one["answer"] for one in answers] == [f"The answer of {name}." for name in NAMES]
    assert outcome.detail["usage"]["cost_usd"] == 2.0  # type: ignore[index,call-overload]


def test_an_answer_passes_no_gate() -> None:
    outcome, _ = held(Cast())

    assert gate((), outcome.ending, Severity.MAJOR).outcome is GateOutcome.INCONCLUSIVE


def test_partial_results_name_who_is_missing_and_why() -> None:
    outcome, _ = held(Cast(answer=without("gemini", kind=FailureKind.RATE_LIMITED)))

    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, None)
    assert outcome.detail["missing"] == [
        {
            "participant": "gemini",
            "kind": "rate_limited",
            "message": verbatim("it was rate_limited").model_dump(mode="json"),
        }
    ]
    assert all_words(outcome.warnings) == (
        "gemini did not answer (3/4 did): rate_limited: it was rate_limited",
    )
    assert "gemini" not in outcome.summary


@pytest.mark.parametrize(
    ("missing", "quorum", "verdict"),
    [
        (2, None, Verdict.INCONCLUSIVE),
        (2, 2, Verdict.ANSWERED),
        (1, 4, Verdict.INCONCLUSIVE),
        (4, 1, Verdict.INCONCLUSIVE),
    ],
)
def test_below_the_quorum_there_are_answers_and_no_verdict(
    missing: int, quorum: int | None, verdict: Verdict
) -> None:
    outcome, _ = held(Cast(answer=without(*NAMES[:missing])), quorum=quorum)

    assert outcome.verdict is verdict
    assert outcome.ending is (None if verdict is Verdict.ANSWERED else Ending.DEGRADED)


def test_nobody_answering_is_said() -> None:
    outcome, run = held(Cast(answer=without(*NAMES)), ranking=True, synthesis=True)

    assert (outcome.ending, outcome.summary) == (Ending.DEGRADED, "Nobody answered.")
    assert len(run.steps) == 4


def test_a_used_up_budget_asks_nobody_again() -> None:
    answer = without("claude", "gemini", "codex", kind=FailureKind.OVER_BUDGET)
    outcome, run = held(Cast(answer=answer), ranking=True, synthesis=True)

    assert outcome.ending is Ending.OVER_BUDGET
    assert len(run.steps) == 4


def test_nobody_sees_another_answer_first() -> None:
    _, run = held(Cast())

    prompts = {shown(one) for one in turns(run, "answer")}
    assert len(prompts) == 1
    assert "Which architecture should this service have?" in prompts.pop()


def test_contexts_are_data_and_the_question_is_not() -> None:
    contexts = [("src/index.ts", b"export {}"), ("src/a.ts", b"const a = 1")]
    _, run = hold(submitted("ask", AskOptions(), contexts=contexts), Cast())

    parts = turns(run, "answer")[0].prompt().user
    assert [part.fence for part in parts] == [
        None,
        None,
        "file src/index.ts",
        "file src/a.ts",
        None,
    ]


# ---- ranking ------------------------------------------------------------------------------------


def test_nobody_ranks_their_own_answer_and_names_are_hidden() -> None:
    outcome, run = held(Cast(), ranking=True)

    labels: Any = outcome.detail["labels"]
    for step in turns(run, "ranking"):
        own = step.participant.name
        assert seen(step) == labels["rankings"][own]
        assert set(seen(step).values()) == set(NAMES) - {own}
        assert list(seen(step)) == ["A", "B", "C"]
        fences = [part.fence or "" for part in step.prompt().user]
        assert not any(name in fence for name in NAMES for fence in fences)


def test_the_order_of_the_letters_differs_between_rankers() -> None:
    outcome, _ = held(Cast(), ranking=True)

    labels: Any = outcome.detail["labels"]
    assert len({tuple(one.values()) for one in labels["rankings"].values()}) > 1


def test_the_ranking_is_counted_and_shown_with_the_answers() -> None:
    outcome, _ = held(Cast(), ranking=True)

    ranking: Any = outcome.detail["ranking"]
    assert ranking["places"][0] == {
        "participant": "codex",
        "place": 1,
        "score": 1.0,
        "points": 6.0,
        "rankings": 3,
    }
    answers: Any = outcome.detail["answers"]
    assert next(one for one in answers if one["participant"] == "codex")["place"] == 1


def test_rankings_that_are_missing_or_useless_are_named_and_left_out() -> None:
    def ranking(step: Turn) -> StepResult:
        match step.participant.name:
            case "claude":
                return fail()
            case "gemini":
                return give(step, ranking=["X", "Y"])
            case "qwen":
                return say(step, "All of them are good.")
        return Cast().ranking(step)

    outcome, _ = held(Cast(ranking=ranking), ranking=True)

    shown_ranking: Any = outcome.detail["ranking"]
    assert [one["participant"] for one in shown_ranking["rankings"]] == ["codex"]
    assert all_words(outcome.warnings)[0] == "claude did not rank: it was timeout"
    assert all_words(outcome.warnings)[1] == "gemini ranked none of the answers that it was shown"
    places = {one["participant"]: one["place"] for one in shown_ranking["places"]}
    assert places["codex"] is None


def test_who_did_not_answer_neither_ranks_nor_is_ranked() -> None:
    _, run = held(Cast(answer=without("qwen")), ranking=True)

    assert {step.participant.name for step in turns(run, "ranking")} == set(NAMES) - {"qwen"}
    assert all("qwen" not in seen(step).values() for step in turns(run, "ranking"))


def test_two_answers_are_not_ranked() -> None:
    outcome, run = held(Cast(), names=("claude", "gemini"), ranking=True)

    assert not turns(run, "ranking")
    assert all_words(outcome.warnings) == ("no ranking: it takes 3 answers, and there are 2",)
    assert outcome.detail["ranking"] is None


# ---- synthesis ----------------------------------------------------------------------------------


def test_the_chair_sees_all_answers_under_letters_and_the_standings() -> None:
    outcome, run = held(Cast(), ranking=True, synthesis=True)

    (step,) = turns(run, "synthesis")
    labels: Any = outcome.detail["labels"]
    assert seen(step) == labels["synthesis"]
    assert sorted(seen(step).values()) == sorted(NAMES)
    best = next(label for label, name in labels["synthesis"].items() if name == BEST)
    assert f"1. {best} (1.00)" in shown(step)
    assert (outcome.summary, outcome.detail["synthesised_by"]) == (
        "One answer out of all.",
        "chair",
    )


def test_without_the_chair_the_answers_stand_one_after_another() -> None:
    outcome, _ = held(Cast(synthesis=unanswered), synthesis=True)

    assert outcome.detail["synthesised_by"] == "fallback"
    assert outcome.verdict is Verdict.ANSWERED
    assert outcome.summary.count("The answer of") == 4
    assert all_words(outcome.warnings) == (
        "chair could not synthesise (timeout): the answers stand one after another",
    )


def test_a_single_answer_needs_no_chair() -> None:
    outcome, run = held(Cast(), names=("claude",), synthesis=True)

    assert not turns(run, "synthesis")
    assert outcome.summary == "The answer of claude."


# ---- whatever happens ---------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.builds(
        AskOptions,
        ranking=st.booleans(),
        synthesis=st.booleans(),
        quorum=st.none() | st.integers(1, 5),
    ),
    st.integers(0, 2**32),
)
def test_it_ends_alike_whatever_the_order_and_never_answers_without_a_quorum(
    seed: int, many: int, options: AskOptions, order: int
) -> None:
    def chance(step: Turn) -> StepResult:
        draw = Random(f"{seed}/{step.key}")
        if draw.random() < 0.3:
            return fail(draw.choice(list(FailureKind)))
        if step.role == "ranking":
            return give(step, ranking=draw.sample(["A", "B", "C", "A=B", "Q"], draw.randint(1, 5)))
        return Cast()(step)

    run = submitted("ask", options, names=NAMES[:many])
    outcome, one = hold(run, chance, order)
    again, other = hold(run, chance, order + 1)

    assert outcome == again
    assert one.stages == other.stages
    assert len(one.steps) <= 2 * many + 1
    given_answers: Any = outcome.detail["answers"]
    missing: Any = outcome.detail["missing"]
    assert len(given_answers) + len(missing) == many
    if outcome.verdict is Verdict.ANSWERED:
        assert len(given_answers) >= min(options.quorum or many // 2 + 1, many)
