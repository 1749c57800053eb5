"""What one reply may cost: a size, a number of findings, lengths, and time that grows with its length only."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from shared.models.reply_bounds import (
    MAX_CLAIMS,
    MAX_ENTRIES,
    MAX_ENTRY_CHARS,
    bounded,
    is_within,
)
from shared.models.review_replies import ReviewCritique
from tests.support.linear import assert_linear
from workers.turns.replies import MAX_REPLY_CHARS, Parsed, ReplyProblem, judge, parse

CRITIQUE = "critique.review"


@pytest.mark.parametrize("reply_model", [CRITIQUE, "answer", "ballot"])
@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ('{"', '\\"', ""),
        ('{"verdict": "', '\\"', ""),
        ('{"verdict": "APPROVED", "summary": "', '\\"', '",}'),
        ("", '{"', ""),
        ("", '{"a"}', ""),
        ("", "{}", ""),
        ("[", "{},", "{}]"),
        ("", '{"a": 1, }', ""),
        ("{", '"a": 1,', "}"),
        ('{"a": [', ", ", "]}"),
        ('{"a": ', "[", ""),
        ("", '{"a":', ""),
        ('{"a": ', "9", "}"),
        ('{"a": 1e', "9", "}"),
        ("", "\\", ""),
        ('{"a": "', "\\u00", '"}'),
        ("<think>", "<think>", ""),
        ("```json\n", "```\n", ""),
        ("", " \n", ""),
        ("", "1. A\n", ""),
        ("", "**", ""),
        ("", "\ud800", ""),
    ],
)
def test_a_reply_is_read_in_linear_time(
    before: str, piece: str, after: str, reply_model: str
) -> None:
    def hostile(size: int) -> str:
        return before + piece * (size // len(piece)) + after

    assert_linear(lambda text: parse(text, reply_model), hostile, most=256_000)


def test_a_reply_beyond_every_token_limit_is_refused() -> None:
    judged = parse('{"verdict": "APPROVED", "summary": "' + "x" * MAX_REPLY_CHARS + '"}', CRITIQUE)
    assert isinstance(judged, ReplyProblem)
    assert str(MAX_REPLY_CHARS) in judged.message


def test_of_too_many_findings_the_gravest_stay_and_the_rest_is_named() -> None:
    findings = [
        {"title": f"t{n}", "severity": "critical" if n % 2 else "INFO"}
        for n in range(MAX_CLAIMS * 2)
    ]
    judged = judge(json.dumps({"verdict": "NEEDS_FIX", "findings": findings}), CRITIQUE)
    assert isinstance(judged, Parsed)
    assert isinstance(judged.reply, ReviewCritique)
    assert [one.title for one in judged.reply.findings] == [
        f"t{n}" for n in range(1, MAX_CLAIMS * 2, 2)
    ]
    assert judged.left_out == (f"findings: {MAX_CLAIMS} of {MAX_CLAIMS * 2} left out",)


def test_long_texts_of_an_entry_are_cut_and_patches_are_not() -> None:
    patch = "+" * (MAX_ENTRY_CHARS * 2)
    finding = {"title": "t", "detail": "d" * (MAX_ENTRY_CHARS + 1), "patch": patch}
    judged = judge(json.dumps({"verdict": "NEEDS_FIX", "findings": [finding]}), CRITIQUE)
    assert isinstance(judged, Parsed)
    assert isinstance(judged.reply, ReviewCritique)
    assert len(judged.reply.findings[0].detail) == MAX_ENTRY_CHARS
    assert judged.reply.findings[0].patch == patch
    assert judged.left_out == (
        f"findings: a text of {MAX_ENTRY_CHARS + 1} characters cut to {MAX_ENTRY_CHARS}",
    )


def test_ordinary_replies_are_as_they_were() -> None:
    fields: dict[str, JsonValue] = {
        "verdict": "NEEDS_FIX",
        "stances": [{"finding": f"F{n}"} for n in range(MAX_ENTRIES)],
    }
    assert bounded(fields) == (fields, ())


_VALUES = st.recursive(
    st.none()
    | st.integers()
    | st.text(alphabet='a,"\\é')
    | st.builds("x".__mul__, st.integers(0, 21_000)),
    lambda inner: (
        st.lists(inner, max_size=110) | st.dictionaries(st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=120,
)


@given(st.dictionaries(st.sampled_from(["findings", "stances", "summary"]), _VALUES, max_size=3))
def test_nothing_is_left_out_of_a_reply_whose_text_is_within(fields: dict[str, JsonValue]) -> None:
    if is_within(json.dumps(fields)):
        assert bounded(fields) == (fields, ())


@pytest.mark.parametrize("entries", [MAX_CLAIMS, MAX_CLAIMS + 1])
def test_a_text_is_within_up_to_the_bounds(entries: int) -> None:
    claims = {"findings": [0] * entries}
    assert is_within(json.dumps(claims)) is (entries <= MAX_CLAIMS)
    assert not is_within(json.dumps({"summary": "x" * MAX_ENTRY_CHARS}))
