"""A swing in a turn that nobody has: the votes do not settle what may have been an oscillation."""

import pytest

from orchestrator.core.consensus.loop_detection import position_reversal
from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.core.rounds import Contribution, RoundTaken
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.positions import ROLE
from shared.models.findings import Position, Stance
from shared.models.outcomes import Ending
from shared.models.steps import StepResult
from tests.support.debates import fail, give, hold, submitted
from tests.support.notices import words
from tests.support.panel_cast import NAMES, PanelCast

WORDS = {"A": Position.AGREE, "a": Position.PARTIAL, "D": Position.DISAGREE}


def debated(bobs: tuple[str, ...], missing: int = 0) -> Outcome:
    """bob's position in each round; the others say yes, and all vote for it in the end."""

    def act(step: Turn) -> StepResult:
        if step.reply_model != "argument":
            return PanelCast()(step)
        bob, number = step.participant.name == "bob", step.round
        if bob and number == missing:
            return fail()
        text = f"{step.participant.name} in round {number}"
        return give(step, position=bobs[number - 1] if bob else "Yes", argument=text)

    options = PanelOptions(strategy="parallel", max_rounds=len(bobs))
    return hold(submitted(options, names=NAMES), act)[0]


def test_a_debate_whose_swing_is_missing_does_not_converge_by_its_votes():
    swung, gap = debated(("Yes", "No", "Yes")), debated(("Yes", "No", "Yes"), missing=2)
    assert swung.ending is Ending.OSCILLATING
    assert gap.ending is Ending.EXHAUSTED
    assert gap.detail["agreement"]["converged"] is True
    assert "bob went back and forth, or may have in a missing turn" in words(gap.detail["reason"])


def test_a_gap_long_ago_does_not_keep_votes_from_settling_a_debate():
    gap = debated(("Yes", "Yes", "Yes"), missing=1)
    assert gap.ending is Ending.CONVERGED


@pytest.mark.parametrize(
    ("trail", "expected"),
    [
        ("A?A", True),
        ("A?D", False),
        ("?DA", True),  # it may have agreed before
        ("AD?", True),
        ("?AA", False),
        ("A?AA", False),
        ("A?a?A", True),
        ("A? A", True),  # nothing was said on the point in the third turn
        ("AD?A", True),  # whether the missing turn was about the point or not
        ("A?", False),
        ("A A A", False),
        ("AAD", False),
        ("ADA", True),  # a gap elsewhere may have kept it from being ruled on
    ],
)
def test_what_a_missing_turn_may_have_been(trail: str, expected: bool):
    rounds = [
        RoundTaken(number, ROLE, (Contribution("bob", ROLE, answered=said != "?"),))
        for number, said in enumerate(trail, 1)
    ]
    ledger = [
        Stance(round=number, participant="bob", role=ROLE, finding="P1", position=WORDS[said])
        for number, said in enumerate(trail, 1)
        if said in WORDS
    ]
    assert position_reversal(rounds, ledger) == ((("bob", "P1"),) if expected else ())
