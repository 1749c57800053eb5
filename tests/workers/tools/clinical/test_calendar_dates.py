"""Dates of the calendar in their many forms."""

from __future__ import annotations

import time

import pytest

from workers.tools.clinical.calendar_dates import find_written_dates


def _isos(text: str) -> list[str | None]:
    return [written.iso for written in find_written_dates(text)]


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-03-04", "2024-03-04"),
        ("2024-03-04T14:30", "2024-03-04T14:30"),
        ("2024/3/4", "2024-03-04"),
        ("2024.3.4", "2024-03-04"),
        ("2024. 3. 4.", "2024-03-04"),
        ("2024년 3월 4일", "2024-03-04"),
        ("24년 3월 4일", "2024-03-04"),
        ("2024년 3월", "2024-03"),
        ("2019년에", "2019"),
        ("March 4, 2024", "2024-03-04"),
        ("Mar. 4th 2024", "2024-03-04"),
        ("4 March 2024", "2024-03-04"),
        ("04-Mar-2024", "2024-03-04"),
        ("March 2024", "2024-03"),
        ("since 2019", "2019"),
        ("25/12/2023", "2023-12-25"),
        ("12/25/2023", "2023-12-25"),
        ("12/25/23", "2023-12-25"),
        ("4.3.2024", "2024-03-04"),
        ("March 4, 2024 at 3:15 pm", "2024-03-04T15:15"),
        ("2024년 3월 4일 오후 3시 20분", "2024-03-04T15:20"),
        ("2024-03-04 00:10", "2024-03-04T00:10"),
    ],
)
def test_a_date_is_read_in_its_many_forms(text: str, iso: str) -> None:
    assert _isos(f"Seen {text}.") == [iso]


def test_day_and_month_that_could_be_either_are_told_as_such() -> None:
    (written,) = find_written_dates("seen 3/4/2024")
    assert (written.iso, written.ambiguous) == ("2024", True)


def test_another_date_of_the_chart_decides_which_way_round_they_are() -> None:
    assert _isos("born 25/12/1980, seen 3/4/2024") == ["1980-12-25", "2024-04-03"]
    assert _isos("born 12/25/1980, seen 3/4/2024") == ["1980-12-25", "2024-03-04"]


def test_dates_that_contradict_each_others_order_decide_nothing() -> None:
    assert _isos("25/12/1980, 12/25/1981, 3/4/2024")[2] == "2024"


def test_the_same_number_twice_is_no_ambiguity() -> None:
    assert _isos("3/3/2024") == ["2024-03-03"]


@pytest.mark.parametrize("text", ["2024-02-31", "31.4.2024", "2023년 2월 29일"])
def test_a_day_that_no_calendar_has_is_a_date_without_a_day(text: str) -> None:
    assert _isos(text) == [None]


@pytest.mark.parametrize(
    "text",
    ["BP 120/80", "strength 4/5", "3-5 days", "version 1.2.3", "pH 7.35", "1/2/3/4", "20 mg"],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert _isos(text) == []


@pytest.mark.parametrize("piece", ["1/2/", "2024-", "March ", "2024. ", "24년 "])
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    started = time.process_time()
    list(find_written_dates(piece * (300_000 // len(piece))))
    assert time.process_time() - started < 5
