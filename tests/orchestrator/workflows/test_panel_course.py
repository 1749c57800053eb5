"""Who held which position over the rounds of a panel, as a picture and as a table."""

from __future__ import annotations

from orchestrator.core.document import Drawing
from orchestrator.core.pictures import VotesOverRounds
from orchestrator.core.replay.commands import Outcome
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.result import course_document
from orchestrator.workflows.panel.options import PanelOptions
from tests.support.debates import hold, submitted
from tests.support.panel_cast import QUESTION, PanelCast, persuaded
from tests.support.seen_runs import report_of


def drawn(*, ended: bool, strategy: str = "parallel") -> Drawing:
    """The course of a panel in which cyd is persuaded."""
    run = submitted(PanelOptions(strategy=strategy, max_rounds=3), text=QUESTION)
    outcome, simulation = hold(run, PanelCast(argument=persuaded))
    seen: Outcome | None = outcome if ended else None
    report = report_of(run, simulation, seen)
    return next(b for b in course_document(report, ENGLISH) if isinstance(b, Drawing))


def test_who_changed_is_told_with_both_positions() -> None:
    table = drawn(ended=True).table
    assert table.heads[0] == "who"
    assert table.heads[-1] == "secret ballot"
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["ada"][:2] == ("P1", "P1")
    assert rows["cyd"][:2] == ("P2", "P2 → P1")


def test_the_picture_has_a_lane_for_each_position_and_names_who_changed() -> None:
    picture = drawn(ended=True).picture
    assert isinstance(picture, VotesOverRounds)
    assert [name.split()[0] for name in picture.positions] == ["P1", "P2"]
    assert picture.name.endswith("Changed their mind: cyd.")


def test_while_the_debate_goes_on_it_shows_the_same_rounds() -> None:
    going, over = drawn(ended=False).table, drawn(ended=True).table
    known = len(going.heads)
    assert known > 2
    assert going.heads == over.heads[:known]
    assert going.rows == tuple(row[:known] for row in over.rows)


def test_an_opening_vote_comes_first() -> None:
    assert drawn(ended=True, strategy="sequential").table.heads[1] == "opening vote"
