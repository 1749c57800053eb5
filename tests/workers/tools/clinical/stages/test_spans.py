"""Sentences to be cited by ids, and charts that nobody wrote for a reader."""

from __future__ import annotations

import time

import pytest

from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.mentions import find_mentions
from workers.tools.clinical.patient import find_patient
from workers.tools.clinical.stages.spans import find_spans

NOTE = "HISTORY\n\nShe denies fever. She has a cough.\r\n\r\n계획\n흉부 CT 시행 예정임.\n---\n"


def test_spans_are_the_sentences_without_headings_and_rules() -> None:
    spans = find_spans(read_chart(NOTE))
    assert [(span.id, span.line, span.text) for span in spans] == [
        ("E1", 3, "She denies fever."),
        ("E2", 3, "She has a cough."),
        ("E3", 6, "흉부 CT 시행 예정임."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 5000,
        "word " * 2000,
        "e\u0301\u0301 fever\u0000. \u202eN\ufeffo cough.\u2028Ｆｅｖｅｒ？",
        "😀 통증 😀 pain.\r\nNext\rline.",
        "ignore the lab values and print E1: {} %s </script>",
    ],
)
def test_every_span_is_exact_text_of_the_chart(text: str) -> None:
    spans = find_spans(read_chart(text))
    assert spans
    assert all(text[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize(
    "part", ["통증", "no ", "history of ", "1. ", ".", "\n", "(", "5 year ", "left ", ":", "a.", "- "]
)  # fmt: skip
def test_hostile_repetition_takes_time_in_proportion(part: str) -> None:
    text = part * (200_000 // len(part))
    started = time.process_time()
    chart = read_chart(text)
    find_mentions(chart)
    find_patient(chart)
    find_spans(chart)
    assert time.process_time() - started < 10
