"""The way of an agent through its modes: on the picture of the machine, and as a table."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.document import Drawing
from orchestrator.core.pictures import Machine
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.result import course_document
from orchestrator.workflows.agent.course import COLUMNS
from orchestrator.workflows.agent.modes import INTENTS, AgentMode
from orchestrator.workflows.agent.transitions import DONE, TRANSITIONS
from shared.models.rows import RecordRow
from tests.support.agent_cast import hold_task, submitted_task
from tests.support.seen_runs import report_of
from tests.support.walked_code import WAY, M, way

PLACES = [mode for modes in COLUMNS.values() for mode in modes]


def drawn(
    *steps: tuple[AgentMode, AgentMode, str], refused: bool = False, language: str = "en"
) -> Drawing:
    """The course of a run that goes on; `refused`: its last trigger led nowhere."""
    run = submitted_task("add it")
    _, simulation = hold_task(run)
    records = way(*steps)
    if refused:
        records[-1] = records[-1].model_copy(update={"refused": True})
    rows = tuple(
        RecordRow(f"transition/{row.number}", row.kind, row.model_dump(mode="json"), 61.0 * number)
        for number, row in enumerate(records)
    )
    report = replace(report_of(run, simulation, None, stages=1), records=rows)
    blocks = course_document(report, Translator(language))
    return next(block for block in blocks if isinstance(block, Drawing))


def machine(*steps: tuple[AgentMode, AgentMode, str], refused: bool = False) -> Machine:
    picture = drawn(*steps, refused=refused).picture
    assert isinstance(picture, Machine)
    return picture


def test_every_mode_has_one_place_in_the_picture() -> None:
    assert sorted(PLACES) == sorted(AgentMode)
    states = machine(*WAY).states
    assert len({(state.column, state.row) for state in states}) == len(AgentMode)


def test_every_transition_of_the_table_is_drawn_but_for_what_every_mode_has() -> None:
    shown = machine(*WAY)
    drawn_pairs = {(PLACES[edge.source], PLACES[edge.target]) for edge in shown.edges}
    everywhere = {DONE, *INTENTS.values()}
    table = {(row.from_mode, row.to_mode) for row in TRANSITIONS if row.trigger not in everywhere}
    assert drawn_pairs - table == {(M.IDLE, M.CONTEXT_NAV)}
    assert table <= drawn_pairs


def test_ways_that_were_taken_have_their_numbers_and_the_last_mode_is_the_current_one() -> None:
    shown = machine(*WAY)
    taken = {
        (PLACES[edge.source], PLACES[edge.target]): edge.taken for edge in shown.edges if edge.taken
    }
    assert taken == {
        (M.IDLE, M.CONTEXT_NAV): (1,),
        (M.CONTEXT_NAV, M.IMPLEMENTATION): (2,),
        (M.IMPLEMENTATION, M.TEST): (3, 5),
        (M.TEST, M.IMPLEMENTATION): (4,),
    }
    current = [PLACES[n] for n, state in enumerate(shown.states) if state.current]
    visited = {PLACES[n] for n, state in enumerate(shown.states) if state.visited}
    assert current == [M.TEST]
    assert visited == {M.IDLE, M.CONTEXT_NAV, M.IMPLEMENTATION, M.TEST}


def test_a_refused_trigger_is_told_and_leads_nowhere() -> None:
    shown = machine(*WAY[:2], (M.IMPLEMENTATION, M.QA, "code_complete"), refused=True)
    assert not any(3 in edge.taken for edge in shown.edges)
    assert [PLACES[n] for n, state in enumerate(shown.states) if state.current] == [
        M.IMPLEMENTATION
    ]
    table = drawn(*WAY[:2], (M.IMPLEMENTATION, M.QA, "code_complete"), refused=True).table
    assert table.rows[-1][2] == "code_complete (refused)"


def test_the_table_has_a_line_for_each_transition_with_its_moment() -> None:
    table = drawn(*WAY).table
    assert [row[0] for row in table.rows] == ["1", "2", "3", "4", "5"]
    assert [row[3] for row in table.rows] == ["0:00", "1:01", "2:02", "3:03", "4:04"]
    assert table.rows[3][1:3] == ("Implementation", "test_failed")


def test_who_does_not_see_the_picture_is_told_the_way() -> None:
    assert machine(*WAY).name == (
        "The 23 modes and the way through them: 1 Navigation, 2 Implementation, 3 Test, 4 Implementation, 5 Test. "
        "Now: Test."
    )
    korean = drawn(*WAY, language="ko").picture
    assert "탐색" in korean.name
