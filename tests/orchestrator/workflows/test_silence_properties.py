"""Silence never brings agreement about: a debate that did not converge does not converge when a turn goes missing.

The others' replies stay as they were, their references included. So what goes missing here raised nothing of its own:
it took positions, and it said something that others quote.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.outcomes import Ending
from shared.models.steps import StepResult
from tests.support.debates import Script, decides, fail, give, hold, submitted
from tests.support.panel_cast import PanelCast
from tests.support.plan_cast import PlanCast

NAMES = ("ada", "bob", "cyd")
SEEDS = st.integers(0, 2**32)
POSITIONS = ("agree", "partial", "disagree", "withdraw", "abstain")
TITLES = ("No way back is described", "Nobody is told beforehand")


def words_of(name: str, number: int) -> str:
    """What nobody else says: only whoever heard that turn can quote it."""
    return f"{name} thought of number {number} at great length"


def quotation(draw: Random, number: int) -> str | None:
    """Somebody's words from this round or an earlier one, words that nobody said, or none."""
    said = words_of(draw.choice((*NAMES, "author")), draw.randint(1, number))
    return draw.choice((None, None, said, said, "what nobody ever said here"))


class Moods:
    """Somebody's position on a point: mostly what they hold from first to last, so that debates do converge."""

    def __init__(self, seed: int) -> None:
        draw = Random(f"{seed}/moods")
        self._points = {point: draw.choice(("agreed", "agreed", "split")) for point in ("1", "2")}

    def position(self, name: str, point: str, draw: Random) -> str:
        if draw.random() < 0.05:
            return draw.choice(POSITIONS)
        return "agree" if name == "ada" or self._points[point[1:]] == "agreed" else "disagree"


class Plans(PlanCast):
    """ada raises two objections; in later rounds everybody takes positions, repeats objections, and quotes."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._moods = Moods(seed)

    def challenge(self, step: Turn) -> StepResult:
        draw, number = Random(f"{self._seed}/{step.key}"), step.round
        text = words_of(step.participant.name, number)
        if step.key == "challenge/1/ada":
            quote = quotation(draw, number)
            raised = [
                {"title": TITLES[0], "severity": "MINOR"},
                {"title": TITLES[1], "severity": "MAJOR", "quote": quote},
            ]
            return give(step, verdict="REVISE", findings=raised, summary=text)
        raised = []
        if draw.random() < 0.1:
            severity, quote = draw.choice(("MAJOR", "MINOR")), quotation(draw, number)
            raised = [{"title": draw.choice(TITLES), "severity": severity, "quote": quote}]
        stances = self._stances(step, draw) if number > 1 else []
        verdict = "REVISE" if raised or stances else "ACCEPT"
        return give(step, verdict=verdict, findings=raised, stances=stances, summary=text)

    def defense(self, step: Turn) -> StepResult:
        draw = Random(f"{self._seed}/{step.key}")
        text = words_of("author", step.round)
        return give(step, stances=self._stances(step, draw), conceded_points=[text])

    def _stances(self, step: Turn, draw: Random) -> list[dict[str, Any]]:
        return [
            {
                "finding": one,
                "position": self._moods.position(step.participant.name, one, draw),
                "reason": f"since {draw.random()}",
                "quote": quotation(draw, step.round),
            }
            for one in ("F1", "F2")
            if draw.random() < 0.95
        ]


class Panels(PanelCast):
    """ada brings a point; everybody takes positions on it and on the answer, and repeats it with quotations."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._moods = Moods(seed)

    def argument(self, step: Turn) -> StepResult:
        draw, number = Random(f"{self._seed}/{step.key}"), step.round
        raised = []
        if step.key == "argument/1/ada" or draw.random() < 0.1:
            raised = [{"claim": TITLES[0], "quote": quotation(draw, number)}]
        said = [
            {
                "finding": one,
                "position": self._moods.position(step.participant.name, one, draw),
                "reason": f"{draw.random()}",
            }
            for one in ("P1", "P2")
            if number > 1 and draw.random() < 0.95
        ]
        text = words_of(step.participant.name, number)
        return give(step, position="Yes", argument=text, points=raised, stances=said)

    def ballot_choice(self, step: Turn) -> StepResult:
        return give(step, choice="P1")


def without(script: Script, key: str) -> Script:
    return lambda step: fail() if step.key == key else script(step)


Play = Callable[[Script], Outcome]


def rulings(outcome: Outcome) -> dict[int, str | None]:
    """How each round was ruled on."""
    detail: Any = outcome.detail
    assessments = detail.get("assessments") or [one["assessment"] for one in detail["rounds"]]
    return {one["round"]: one["ending"] for one in assessments}


def converged(outcome: Outcome) -> set[int]:
    return {number for number, ending in rulings(outcome).items() if ending == "converged"}


def with_each_turn_missing(play: Play, script: Script) -> Iterator[tuple[str, Outcome, Outcome]]:
    """The debate as it was, and without a turn: any but the opening one of ada, to which the others refer."""
    keys: list[str] = []

    def listening(step: Turn) -> StepResult:
        keys.append(step.key)
        return script(step)

    whole = play(listening)
    parts = ("challenge/", "defense/", "argument/")
    for key in keys:
        if key.startswith(parts) and not key.endswith("/1/ada"):
            yield key, whole, play(without(script, key))


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(2, 5), st.sampled_from(["stance", "stance", "text", "lexical-published"]))
@example(53094, 5, "stance")  # bob's turn, which is missing, calls a finding grave
@example(79, 5, "stance")  # ada quotes a turn of bob's
def test_no_round_of_a_plan_converges_because_a_turn_is_missing(seed, rounds, detector):
    script = Plans(seed)

    def play(acts: Script) -> Outcome:
        run = submitted(PlanOptions(given=True, rounds=rounds, detector=detector), names=NAMES)
        return hold(run, acts, decides("accept"))[0]

    for key, whole, gap in with_each_turn_missing(play, script):
        assert converged(gap) & rulings(whole).keys() <= converged(whole), key


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 5), st.sampled_from(["parallel", "sequential"]))
@example(25189, 3, "parallel")  # without bob's words a point is new, which hides that cyd swung
@example(32, 2, "parallel")  # cyd withdraws in a turn, and votes for the position nevertheless
def test_no_debate_converges_because_a_turn_is_missing(seed, rounds, strategy):
    script = Panels(seed)

    def play(acts: Script) -> Outcome:
        options = PanelOptions(strategy=strategy, max_rounds=rounds)
        return hold(submitted(options, names=NAMES), acts)[0]

    for key, whole, gap in with_each_turn_missing(play, script):
        assert converged(gap) & rulings(whole).keys() <= converged(whole), key
        # Votes settle no oscillation, and none whose swing may have gone missing either.
        if len(rulings(gap)) == len(rulings(whole)) and gap.ending is Ending.CONVERGED:
            assert whole.ending is Ending.CONVERGED, key
