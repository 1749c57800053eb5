"""The tool that puts a chart's events in order."""

from __future__ import annotations

from tests.workers.tools.clinical.charts import chart_input
from workers.tools.clinical.stages import timeline


def test_the_timeline_has_what_has_a_time_in_its_order() -> None:
    text = "2024년 3월 10일 내원. 3일 전부터 발열. 2024년 2월 1일 입원한 적이 있음. 2024년 2월 31일 검사."
    inputs, context = chart_input(text)
    events = timeline.run(inputs, context).events
    assert [event.span.text for event in events] == [
        "2024년 2월 1일",
        "3일 전부터",
        "2024년 3월 10일",
    ]
    assert [event.offset_days for event in events] == [None, -3, None]
    assert all(text[event.span.start : event.span.end] == event.span.text for event in events)


def test_a_chart_without_times_has_an_empty_timeline() -> None:
    inputs, context = chart_input("He feels well.")
    assert timeline.run(inputs, context).events == ()


def test_remarks_of_the_visit_itself_are_no_events() -> None:
    inputs, context = chart_input(
        "He was seen today for a cough. His questions were answered today."
    )
    assert [event.kind for event in timeline.run(inputs, context).events] == ["visit"]
