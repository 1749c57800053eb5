"""Every ending of a discussion, reached by every workflow that discusses: one row each, and no row is missing."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support import debates, forum_cast, question_panel
from tests.support.debates import decides, give, submitted
from tests.support.forum_cast import WORDS, Cast, ends_in, votes
from tests.support.panel_cast import NAMES, QUESTION, PanelCast, sides
from tests.support.plan_cast import PlanCast, stance
from tests.support.review_panel import submission
from tests.support.review_replies import critique, failure, finding, finished, reply, stances
from tests.support.simulator import Simulation, Step

SPENT = FailureKind.OVER_BUDGET

# ---- forum --------------------------------------------------------------------------------------


def said(step: Turn, text: str) -> StepResult:
    return question_panel.give(step, speech=text)


def forum(
    speeches: Callable[[Turn], str] | None = None, max_rounds: int = 10, **acts: Any
) -> Outcome:
    """Two ask and speak by turns; claude votes against what comes of it."""
    made = {"ballot": votes(claude="disagree"), "bid": two_asking, **acts}
    if speeches is not None:
        made["speech"] = lambda step: said(step, speeches(step))
    return forum_cast.held(Cast(**made), max_rounds=max_rounds)[0]


def two_asking(step: Turn) -> StepResult:
    asks = step.participant.name in ("claude", "gemini")
    return question_panel.give(step, action="REQUEST" if asks else "PASS")


def own(step: Turn) -> int:
    return ("claude", "gemini").index(step.participant.name)


def refuse(kind: FailureKind) -> Callable[[Turn], StepResult]:
    return lambda _step: question_panel.fail(kind)


FORUM: dict[Ending, Callable[[], Outcome]] = {
    Ending.CONVERGED: lambda: forum(selection=ends_in(3), ballot=votes()),
    Ending.STALLED: lambda: forum(selection=ends_in(3)),
    Ending.LOOPING: lambda: forum(lambda step: WORDS[own(step)]),
    Ending.OSCILLATING: lambda: forum(
        lambda step: WORDS[2 * own(step) + ((step.round - 1) // 2) % 2]
    ),
    Ending.EXHAUSTED: lambda: forum(lambda step: WORDS[step.round], max_rounds=3),
    Ending.DEGRADED: lambda: forum(bid=refuse(FailureKind.TIMEOUT)),
    Ending.OVER_BUDGET: lambda: forum(bid=refuse(SPENT)),
}

# ---- plan ---------------------------------------------------------------------------------------


class Critics(PlanCast):
    """Critics who state these positions in rounds 3, 5, ...; the planner always defends, in new words."""

    def __init__(self, *positions: str) -> None:
        self.positions = positions

    def challenge(self, step: Turn) -> StepResult:
        if step.round == 1:
            return super().challenge(step)
        now = self.positions[(step.round - 3) // 2]
        lines = stance(now, "F1", reason=f"for reason {step.round}")
        return give(step, verdict="REVISE", stances=lines)

    def defense(self, step: Turn) -> StepResult:
        return give(step, stances=stance("disagree", "F1", reason=f"not at the {step.round}. time"))


class Parrots(PlanCast):
    """Everybody says the same again, and nobody takes a position."""

    def challenge(self, step: Turn) -> StepResult:
        other = {"title": "Nobody is told when the shop closes", "severity": "MINOR"}
        lines = [] if step.round == 1 else stance("abstain", "F1")
        return give(step, verdict="REVISE", findings=[other], stances=lines)

    def defense(self, step: Turn) -> StepResult:
        return give(step, defended_points=[{"point": "F1", "reason": "it is closed"}])


class Refused(PlanCast):
    """No challenge comes, for one reason."""

    def __init__(self, kind: FailureKind) -> None:
        self.kind = kind

    def challenge(self, step: Turn) -> StepResult:
        return debates.fail(self.kind)


def plan(script: PlanCast, rounds: int = 9) -> Outcome:
    run = submitted(PlanOptions(rounds=rounds))
    return debates.hold(run, script, decides("accept"))[0]


PLAN: dict[Ending, Callable[[], Outcome]] = {
    Ending.CONVERGED: lambda: plan(PlanCast()),
    Ending.STALLED: lambda: plan(Critics("agree", "agree")),
    Ending.LOOPING: lambda: plan(Parrots()),
    Ending.OSCILLATING: lambda: plan(Critics("disagree", "agree")),
    Ending.EXHAUSTED: lambda: plan(Critics(), rounds=2),
    Ending.DEGRADED: lambda: plan(Refused(FailureKind.TIMEOUT)),
    Ending.OVER_BUDGET: lambda: plan(Refused(SPENT)),
}

# ---- panel --------------------------------------------------------------------------------------


def panel(script: Callable[[Turn], StepResult], max_rounds: int = 8) -> Outcome:
    options = PanelOptions(strategy="parallel", max_rounds=max_rounds)
    return debates.hold(submitted(options, text=QUESTION), script)[0]


def parroting(step: Turn) -> StepResult:
    text = "Yes" if step.participant.name == "ada" else "No"
    return give(step, position=text, argument="as was said before by all who know it")


def swinging(step: Turn) -> StepResult:
    text = "Yes" if step.round % 2 or step.participant.name == "ada" else "No"
    return give(step, position=text, argument=f"{step.participant.name} in {step.round}")


def no_argument(kind: FailureKind) -> PanelCast:
    return PanelCast(argument=lambda _: debates.fail(kind))


PANEL: dict[Ending, Callable[[], Outcome]] = {
    Ending.CONVERGED: lambda: panel(PanelCast()),
    Ending.STALLED: lambda: panel(sides()),
    Ending.LOOPING: lambda: panel(sides(argument=parroting)),
    Ending.OSCILLATING: lambda: panel(sides(argument=swinging, ballots=dict.fromkeys(NAMES, "P1"))),
    Ending.EXHAUSTED: lambda: panel(sides(), max_rounds=1),
    Ending.DEGRADED: lambda: panel(no_argument(FailureKind.TIMEOUT)),
    Ending.OVER_BUDGET: lambda: panel(no_argument(SPENT)),
}

# ---- review -------------------------------------------------------------------------------------

QUOTE = "return eval(x)"


def review(script: Callable[[Step], StepResult], rounds: int = 7) -> Outcome:
    run = submission(options=ReviewOptions(rounds=rounds))
    skip = DecisionAnswer(choice="skip", actor="somebody", channel="cli")
    start = start_workflow(run.spec, run.materials)
    return Simulation(start, script, lambda _ask: skip).run()


def reviewing(*positions: str, answer: str = "disagree") -> Callable[[Step], StepResult]:
    """All find the same and state these positions in rounds 3, 5, ...; the author answers in new words."""

    def script(step: Step) -> StepResult:
        words = f"for reason {step.key} of {step.round}"
        match step.role, step.round:
            case "critique", 1:
                return critique(step, [finding(quote=QUOTE)])
            case "critique", number:
                now = positions[(number - 3) // 2]
                return critique(step, said=stances(now, "F1", reason=words, quote=QUOTE))
            case "rebuttal", _:
                lines = stances(answer, "F1", reason=words, quote=QUOTE)
                return reply(step.reply_model, stances=lines)
        return finished(step)

    return script


def repeating(step: Step) -> StepResult:
    match step.role:
        case "critique":
            return critique(step, [finding()] if step.key.endswith("critic1") else [])
        case "rebuttal":
            return reply(step.reply_model, defended_points=[{"point": "callers check"}])
    return finished(step)


REVIEW: dict[Ending, Callable[[], Outcome]] = {
    Ending.CONVERGED: lambda: review(reviewing("agree", "agree", answer="agree")),
    Ending.STALLED: lambda: review(reviewing("agree", "agree")),
    Ending.LOOPING: lambda: review(repeating),
    Ending.OSCILLATING: lambda: review(reviewing("disagree", "agree")),
    Ending.EXHAUSTED: lambda: review(reviewing(), rounds=2),
    Ending.DEGRADED: lambda: review(lambda _step: failure()),
    Ending.OVER_BUDGET: lambda: review(lambda _step: failure(SPENT)),
}

TABLE = {"forum": FORUM, "plan": PLAN, "panel": PANEL, "review": REVIEW}
ROWS = [(workflow, ending, act) for workflow, rows in TABLE.items() for ending, act in rows.items()]


@pytest.mark.parametrize("workflow", TABLE)
def test_every_ending_has_a_row(workflow: str) -> None:
    assert set(TABLE[workflow]) == set(Ending)


@pytest.mark.parametrize(
    ("workflow", "ending", "act"),
    ROWS,
    ids=[f"{workflow}-{ending}" for workflow, ending, _ in ROWS],
)
def test_the_discussion_ends_as_it_should(
    workflow: str, ending: Ending, act: Callable[[], Outcome]
) -> None:
    outcome = act()

    assert outcome.ending is ending
    if ending is not Ending.CONVERGED:
        assert outcome.verdict is not Verdict.APPROVED
    receipt: Any = outcome.detail["receipt"]
    assert receipt["helped"], "every ending has its receipt"


def test_a_change_of_mind_in_a_review_is_on_the_receipt() -> None:
    receipt: Any = review(reviewing("disagree", "disagree", "disagree")).detail["receipt"]

    assert receipt["review"] == 1
    assert receipt["first_votes"] == {"critic1": "NEEDS_FIX", "critic2": "NEEDS_FIX"}
    assert [one["participant"] for one in receipt["changes"]] == ["critic1", "critic2"]
    assert {one["evidence"] for one in receipt["changes"]} == {"quoted"}
    assert receipt["findings"][0]["first"]["critic1"] == "agree"
    assert receipt["findings"][0]["last"]["critic1"] == "disagree"
    assert receipt["changed_findings"] == 1
