"""Events of a chart: what happened, when, and in which order."""

from __future__ import annotations

from datetime import date

import pytest

from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.dates import find_dates, in_order, visit_date


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("He was admitted on 2024-03-04.", "admission"),
        ("Discharged 2024-03-09.", "discharge"),
        ("DOB: 1970-05-01", "birth"),
        ("He underwent a cholecystectomy on 2023-11-02.", "procedure"),
        ("A CT scan of 2024-01-03 showed a mass.", "result"),
        ("Amoxicillin was prescribed on 2024-01-03.", "drug"),
        ("He was seen on 2024-03-04.", "visit"),
        ("The pain began on 2024-03-01.", "onset"),
        ("2024년 3월 4일 입원함.", "admission"),
        ("2024년 3월 4일 내원함.", "visit"),
        ("생년월일: 1970년 5월 1일", "birth"),
        ("2023-11-02 담낭 절제술을 받음.", "procedure"),
    ],
)
def test_an_event_is_what_the_nearest_word_calls_it(text: str, kind: str) -> None:
    (event,) = find_dates(read_chart(text))
    assert event.kind == kind
    assert event.span.text in text


def test_two_dates_of_a_sentence_are_told_apart() -> None:
    events = find_dates(read_chart("Admitted 2024-03-04, discharged 2024-03-09."))
    assert [event.kind for event in events] == ["admission", "discharge"]


def test_events_stand_in_the_order_of_time_and_relative_ones_by_the_visit() -> None:
    text = (
        "He was seen on 2024-03-10. He was admitted on 2024-02-01. The pain began 3 days ago. He had surgery in 2019. "
        "He will follow up in 2 weeks."
    )
    ordered = in_order(find_dates(read_chart(text)))
    assert [event.span.text for event in ordered] == [
        "2019",
        "2024-02-01",
        "3 days ago",
        "2024-03-10",
        "in 2 weeks",
    ]


def test_without_a_day_of_the_visit_relative_times_come_after_the_dates_by_themselves() -> None:
    text = "The cough began 2 weeks ago and the fever yesterday. He had surgery in 2019."
    ordered = in_order(find_dates(read_chart(text)))
    assert [event.span.text for event in ordered] == ["2019", "2 weeks ago", "yesterday"]


def test_the_visit_is_the_day_of_the_visit_before_that_of_the_admission() -> None:
    events = find_dates(read_chart("He was admitted on 2024-02-01. He was seen on 2024-03-10."))
    assert visit_date(events) == date(2024, 3, 10)


def test_a_date_that_no_calendar_has_is_an_event_without_a_date() -> None:
    (event,) = find_dates(read_chart("He was admitted on 2024-02-31."))
    assert event.date is None
    assert event.span.text == "2024-02-31"
