"""What a person reads of a reply that is still being written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.text.unfinished import readable

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", ""),
        ("  {", ""),
        ('{"ans', ""),
        ('{"answer": "Use a mono', "Use a mono"),
        ('{"answer": "one\\ntwo \\"three\\"', 'one\ntwo "three"'),
        ('{"answer": "cut \\', "cut "),
        ('{"answer": "\\ud55c\\uae', "한"),
        ('{"answer": "\\ud83d', ""),
        ('{"answer": "\\ud83d\\ude00!', "😀!"),
        ('{"confidence": 0.9, "answer": "yes", "id": "x"}', "yes"),
        ('```json\n{"speech": "Hello', "Hello"),
        ('<think>what {"answer": "no"}</think>{"answer": "yes', "yes"),
        ("<think>still at it", ""),
        ("Plain words, no JSON", "Plain words, no JSON"),
        ('A set {"answer": "x"} in the middle', 'A set {"answer": "x"} in the middle'),
        ('{"findings": [{"id": "F1", "title": "One", "quote": "q"}, {"title": "Tw', "One\nTw"),
        ('{"open_points": ["first", "second', "first\nsecond"),
        ('{"action": "REQUEST", "reason": "I know', "REQUEST\nI know"),
        ('{"answer": "raw\nnewline', "raw\nnewline"),
    ],
)
def test_a_part_of_a_reply_is_read_as_words(text: str, read: str) -> None:
    assert readable(text) == read


@given(value=WORDS, ascii_only=st.booleans(), data=st.data())
def test_an_answer_only_grows_and_ends_as_it_is(
    value: str, ascii_only: bool, data: st.DataObject
) -> None:
    whole = json.dumps({"confidence": 0.5, "answer": value}, ensure_ascii=ascii_only)
    told = "".join(one for one in value if one not in "\r\b\f")
    cut = data.draw(st.integers(0, len(whole)))
    shorter, longer = readable(whole[:cut]), readable(whole)
    assert longer == (told if told.strip() else "")
    assert told.startswith(shorter)


@given(st.text(max_size=300))
def test_no_text_is_an_error(text: str) -> None:
    assert isinstance(readable(text), str)
    assert isinstance(readable("{" + text), str)


def test_a_long_hostile_text_is_read_in_no_time() -> None:
    assert readable('{"answer": "' + "\\" * 200_001) != ""
    assert readable("{" * 200_000) == ""
    assert readable('{"a":' * 50_000 + '"x"') == ""
