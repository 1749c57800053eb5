"""What the time of a run went to: every second of a step once, idle hours folded, and the axis never runs backwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.pictures import Lanes
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.run_pages.lanes import Axis, Went, stretches, timeline
from shared.models.decision import DecisionState
from shared.models.outcomes import RunStatus
from tests.support.reports import MOMENT, make_decision, make_report, make_step

HOUR = 3600.0


def went(**changes: object) -> list[tuple[str, float]]:
    step = make_step(
        "critique/1/ada",
        **{"queued_at_s": 1.0, "leased_at_s": 3.0, "finished_at_s": 9.0, **changes},
    )
    return [(part.went.value, part.length_s) for part in stretches(step, 20.0)]


def test_a_turn_waits_in_the_queue_and_is_then_written() -> None:
    assert went() == [("queue", 2.0), ("model", 6.0)]


def test_a_turn_that_was_given_back_was_held_until_it_was_taken_again() -> None:
    assert went(held_back_at_s=2.0, leased_at_s=5.0) == [
        ("queue", 1.0),
        ("held", 3.0),
        ("model", 4.0),
    ]


def test_a_turn_that_is_held_back_now_has_not_been_worked_on() -> None:
    assert went(status="pending", held_back_at_s=4.0, finished_at_s=None) == [
        ("queue", 3.0),
        ("held", 16.0),
    ]


def test_what_goes_on_lasts_until_now_and_what_nobody_took_is_queued() -> None:
    assert went(status="leased", finished_at_s=None)[-1] == ("model", 17.0)
    assert went(status="pending", leased_at_s=None, finished_at_s=None) == [("queue", 19.0)]


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [("tool", "done", "tool"), ("turn", "failed", "failed"), ("run", "done", "child")],
)
def test_tools_failures_and_runs_are_told_apart(kind: str, status: str, expected: str) -> None:
    assert went(kind=kind, status=status, finished_at_s=9.0)[-1][0] == expected


def test_a_person_is_waited_for_from_the_moment_that_the_turn_is_put_to_them() -> None:
    step = make_step("answer/me", queued_at_s=0.0, held_back_at_s=1.0, finished_at_s=HOUR)

    assert [part.went for part in stretches(step, HOUR, by_person=True)] == [
        Went.QUEUE,
        Went.PERSON,
    ]


def test_hours_of_waiting_for_a_person_leave_room_for_seconds_of_work() -> None:
    axis = Axis.of([(0.0, 10.0), (5 * HOUR, 5 * HOUR + 10.0)], 9 * HOUR)

    assert axis.at(10.0) > 0.4
    assert axis.at(5 * HOUR + 10.0) - axis.at(5 * HOUR) > 0.4
    assert [round(seconds) for _, seconds in axis.folds()] == [5 * 3600 - 10, 4 * 3600 - 10]


INTERVALS = st.lists(
    st.tuples(st.floats(0, 1e5), st.floats(0, 1e4)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    max_size=12,
)


@given(INTERVALS, st.floats(0, 2e5), st.lists(st.floats(0, 3e5), min_size=2, max_size=20))
def test_the_axis_keeps_the_order_of_moments_and_stays_within_its_ends(
    busy: list[tuple[float, float]], end: float, moments: list[float]
) -> None:
    axis = Axis.of(busy, max([end, *(last for _, last in busy)]))
    shares = [axis.at(moment) for moment in sorted(moments)]

    assert all(0.0 <= share <= 1.0 + 1e-9 for share in shares)
    assert all(before <= after + 1e-9 for before, after in pairwise(shares))


def test_a_timeline_has_a_lane_for_everybody_and_one_for_decisions() -> None:
    decided = replace(
        make_decision(DecisionState.ANSWERED),
        opened_at=MOMENT + timedelta(seconds=10),
        answered_at=MOMENT + timedelta(hours=2),
    )
    report = make_report(
        RunStatus.COMPLETED,
        steps=(
            make_step("critique/1/ada"),
            make_step("critique/1/bob"),
            make_step("critique/2/ada", queued_at_s=2.0, leased_at_s=3.0, finished_at_s=10.0),
        ),
        decisions=(decided,),
    )
    shown = timeline(report, ENGLISH)

    assert shown is not None
    assert isinstance(shown.picture, Lanes)
    assert [lane.name for lane in shown.picture.lanes] == ["ada", "bob", "decision"]
    assert [len(lane.spells) for lane in shown.picture.lanes] == [4, 2, 1]
    assert len(shown.table.rows) == 4
    assert len(shown.picture.folds) == 1
    assert all(
        0 <= spell.begin <= spell.end <= 1 for lane in shown.picture.lanes for spell in lane.spells
    )


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_row_of_the_table_has_every_column(language: str) -> None:
    shown = timeline(make_report(steps=(make_step("answer/ada", "failed"),)), Translator(language))

    assert shown is not None
    assert {len(row) for row in shown.table.rows} == {len(shown.table.heads)}


def test_a_run_without_a_step_has_no_timeline() -> None:
    assert timeline(make_report(), ENGLISH) is None
