"""Times relative to the visit."""

from __future__ import annotations

import time

import pytest

from workers.tools.clinical.relative_dates import find_relative_times


@pytest.mark.parametrize(
    ("text", "days", "kind"),
    [
        ("It began 3 days ago.", -3, ""),
        ("two weeks ago", -14, ""),
        ("a couple of weeks ago", -14, ""),
        ("2 hours prior to presentation", -2 / 24, ""),
        ("three months before admission", -90, ""),
        ("since yesterday", -1, ""),
        ("last week", -7, ""),
        ("pain for 2 weeks", -14, "onset"),
        ("fever over the past 3 days", -3, "onset"),
        ("SOB x3d, cough", -3, "onset"),
        ("polyuria x 1 wk.", -7, "onset"),
        ("전일부터 고열", -1, ""),
        ("a 4-hour history of headaches", -4 / 24, "onset"),
        ("a two-week history of cough", -14, "onset"),
        ("post-op day 2", -2, "procedure"),
        ("POD#3", -3, "procedure"),
        ("hospital day 3", -2, "admission"),
        ("He will follow up in 3 months.", 90, ""),
        ("It has been there in the past two months.", -60, "onset"),
        ("3일 전", -3, ""),
        ("3일 전부터 발열", -3, "onset"),
        ("2주간 기침", -14, "onset"),
        ("사흘 전", -3, ""),
        ("한 달 전", -30, ""),
        ("일주일 전부터", -7, "onset"),
        ("수술 후 2일", -2, "procedure"),
        ("입원 3일째", -2, "admission"),
        ("어제부터", -1, ""),
        ("2주 후 외래", 14, ""),
    ],
)
def test_a_time_is_placed_relative_to_the_visit(text: str, days: float, kind: str) -> None:
    ((found),) = find_relative_times(text)
    assert found.days == pytest.approx(days)
    assert found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "Prescribed amoxicillin for 10 days",
        "Take daily for 2 weeks",
        "a 54-year-old man",
        "20 mg every 6 hours",
        "in 2 places",
        "It works within about a month.",
    ],
)
def test_how_long_a_treatment_goes_on_and_an_age_are_no_times(text: str) -> None:
    assert list(find_relative_times(text)) == []


@pytest.mark.parametrize("piece", ["for 2 ", "3 days ", "in 3 days ", "3일 ", "a ", "for 3 days"])
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    started = time.process_time()
    list(find_relative_times(piece * (300_000 // len(piece))))
    assert time.process_time() - started < 8
