"""Event streams: framing, split anywhere, and no malformed event lost."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from workers.providers.http.events import json_line_payloads, sse_payloads

STREAM = (
    '\ufeff: a comment\r\n\r\nevent: x\r\ndata: {"a": "한글"}\r\nid: 7\r\n\r\n'
    'data: {"b":\ndata: 2}\n\ndata:{"c": 3}\r\rretry: 10\n\ndata: [DONE]\n\n'
).encode()
EVENTS = [{"a": "한글"}, {"b": 2}, {"c": 3}]


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    bounds = [0, *places, len(data)]
    return [data[a:b] for a, b in itertools.pairwise(bounds)]


@given(st.lists(st.integers(min_value=0), max_size=30))
def test_a_stream_reads_the_same_however_it_is_cut(cuts: list[int]) -> None:
    assert list(sse_payloads(split(STREAM, cuts), "gpt")) == EVENTS


def test_an_event_that_was_not_finished_is_no_event() -> None:
    assert list(sse_payloads([b'data: {"a": 1}\n\ndata: {"b": 2}\n'], "gpt")) == [{"a": 1}]


@pytest.mark.parametrize("data", [b"{", b"[1]", b"null", b"x"])
def test_an_event_that_is_no_object_ends_the_stream_with_an_error(data: bytes) -> None:
    events = sse_payloads([b'data: {"a": 1}\n\ndata: ' + data + b"\n\n"], "gpt")
    assert next(events) == {"a": 1}
    with pytest.raises(ProviderError) as caught:
        next(events)
    assert caught.value.kind is FailureKind.UNPARSEABLE


@given(st.lists(st.integers(min_value=0), max_size=30))
def test_json_lines_read_the_same_however_they_are_cut(cuts: list[int]) -> None:
    lines = '{"a": "한글"}\n\n{"b": 2}\r\n{"c": 3}'.encode()
    assert list(json_line_payloads(split(lines, cuts), "gpt")) == EVENTS


def test_a_line_that_was_cut_off_is_an_error() -> None:
    lines = json_line_payloads([b'{"a": 1}\n{"b'], "gpt")
    assert next(lines) == {"a": 1}
    with pytest.raises(ProviderError):
        next(lines)


def test_characters_that_are_no_utf8_do_not_stop_a_stream() -> None:
    assert list(sse_payloads([b'data: {"a": "\xff"}\n\n'], "gpt")) == [{"a": "\ufffd"}]
