"""When schedules are due: time zones, clock changes, jitter, and times at which nobody was there."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.timetable import LATE_S, Missed, Timetable, tick
from shared.errors import UserError

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def dues(table: Timetable, after: str, count: int) -> list[str]:
    """The next due times, in UTC."""
    moment, found = at(after), []
    for _ in range(count):
        due = table.next_due(moment)
        assert due is not None
        found.append(f"{due:%m-%d %H:%M}")
        moment = due
    return found


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        # 02:30 does not exist in Berlin on 2026-03-29: right after the gap, at 03:00 (01:00 UTC).
        ("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00", ["03-29 01:00", "03-30 00:30"]),
        # 02:30 comes twice on 2026-10-25: once.
        ("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00", ["10-25 00:30", "10-26 01:30"]),
        # What names every hour goes by elapsed time: none is left out, none doubled.
        (
            "0 * * * *",
            "Europe/Berlin",
            "2026-10-24 23:30",
            ["10-25 00:00", "10-25 01:00", "10-25 02:00"],
        ),
        ("0 9 * * MON-FRI", "Asia/Seoul", "2026-11-20 01:00", ["11-23 00:00", "11-24 00:00"]),
        ("0 0 29 2 *", "UTC", "2026-01-01 00:00", ["02-29 00:00"]),
    ],
)
def test_due_times_follow_the_clocks_of_their_zone(
    cron: str, zone: str, after: str, expected: list[str]
):
    assert dues(Timetable("s", cron, zone), after, len(expected)) == expected


@pytest.mark.parametrize(
    ("cron", "zone", "words"),
    [
        ("0 0 31 2 *", "UTC", "bad day-of-month"),
        ("61 * * * *", "UTC", "bad minute"),
        ("* * * *", "UTC", "five fields"),
        ("0 * * * * *", "UTC", "five fields"),
        ("* * * * *", "Mars/Base", "no such time zone"),
        ("* * * * *", "../etc/passwd", "no such time zone"),
    ],
)
def test_what_is_wrong_with_a_timetable_is_said(cron: str, zone: str, words: str):
    with pytest.raises(UserError, match=words):
        Timetable("s", cron, zone).check(NOON)


def test_a_day_of_the_month_and_one_of_the_week_are_alternatives():
    Timetable("s", "0 0 30 2 MON", "UTC").check(NOON)


@given(minutes=st.integers(0, 500_000), jitter_s=st.floats(0, 3600))
def test_a_start_lies_within_its_jitter_and_is_the_same_for_everybody(
    minutes: int, jitter_s: float
):
    due = NOON + timedelta(minutes=minutes)
    starts = {Timetable("nightly", "* * * * *", "UTC", jitter_s).start_of(due) for _ in range(3)}
    assert len(starts) == 1
    assert 0 <= (starts.pop() - due).total_seconds() <= jitter_s


def test_two_schedules_of_one_time_are_spread_by_their_jitter():
    starts = {Timetable(f"s{n}", "0 3 * * *", "UTC", 600).start_of(NOON) for n in range(20)}
    assert len(starts) > 15


@given(
    late_s=st.integers(0, 200_000),
    jitter_s=st.sampled_from([0.0, 30.0, 400.0]),
    cron=st.sampled_from(["* * * * *", "*/7 * * * *", "0 3 * * *"]),
    missed=st.sampled_from(list(Missed)),
)
def test_of_all_due_times_that_have_passed_the_last_one_counts(
    late_s: int, jitter_s: float, cron: str, missed: Missed
):
    table = Timetable("s", cron, "UTC", jitter_s)
    due = table.next_due(NOON)
    assert due is not None
    now = table.start_of(due) + timedelta(seconds=late_s)
    seen = tick(table, due, now, missed)
    assert due <= seen.due <= now
    assert table.start_of(seen.due) <= now or seen.due == due
    # Whatever lies between it and the next one has not started yet, and nothing is looked at twice.
    assert seen.next_due is not None
    assert seen.next_due > seen.due
    assert table.start_of(seen.next_due) > now or jitter_s > 60
    late = (now - table.start_of(seen.due)).total_seconds() > LATE_S
    assert seen.missed == (missed is Missed.SKIP and late)
