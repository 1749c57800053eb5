"""An agent's words while it works: heard live, and without any say in what its reply is."""

from __future__ import annotations

import dataclasses
import json
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from shared.text.unfinished import ANEW, readable
from tests.workers.providers.test_command import (
    CLAUDE,
    CODEX,
    GEMINI,
    GOOD,
    call,
    program,
)
from workers.providers.coding_cli import command
from workers.providers.coding_cli.stream_parser import (
    LONGEST_LINE,
    JsonLinesParser,
    TextStreamParser,
    parse_claude_event,
    parse_codex_event,
)
from workers.turns.replies import obtain

NO_CANCEL = threading.Event()


def delta(**fields: str) -> dict[str, JsonValue]:
    inner: dict[str, JsonValue] = dict(fields)
    return {
        "type": "stream_event",
        "event": {"type": "content_block_delta", "index": 0, "delta": inner},
    }


TOOL_STARTS: dict[str, JsonValue] = {
    "type": "stream_event",
    "event": {"type": "content_block_start", "content_block": {"type": "tool_use", "input": {}}},
}
STREAM: list[dict[str, JsonValue]] = [
    {"type": "system", "subtype": "init", "tools": []},
    delta(type="thinking_delta", thinking="hm"),
    delta(type="text_delta", text="I look at "),
    delta(type="text_delta", text="한국어"),
    TOOL_STARTS,
    delta(type="input_json_delta", partial_json=GOOD[:20]),
    delta(type="input_json_delta", partial_json=GOOD[20:]),
    {"type": "assistant", "message": {"content": []}},
    CLAUDE,
]


def told(pieces: list[str]) -> str:
    """What who watches is shown in the end."""
    return "".join(pieces).rpartition(ANEW)[2]


@given(cuts=st.lists(st.integers(0, 1500), max_size=12))
def test_the_words_and_what_is_kept_do_not_depend_on_how_the_output_is_cut(cuts: list[int]) -> None:
    output = "\n".join(json.dumps(event, ensure_ascii=False) for event in STREAM).encode()
    pieces: list[str] = []
    parser = JsonLinesParser(pieces.append, parse_claude_event)
    kept = b""
    places = [0, *sorted(cuts), len(output)]
    for start, end in pairwise(places):
        kept += parser.take(output[start:end])
    kept += parser.end()
    assert "".join(pieces).startswith("I look at 한국어" + ANEW)
    assert told(pieces) == GOOD
    assert [json.loads(line)["type"] for line in kept.splitlines()] == [
        "system",
        "assistant",
        "result",
    ]


def test_plain_output_is_told_as_it_comes_and_kept_whole() -> None:
    pieces: list[str] = []
    parser = TextStreamParser(pieces.append)
    data = "반쪽 🎤".encode()
    assert (
        b"".join(parser.take(data[at : at + 1]) for at in range(len(data))) + parser.end() == data
    )
    assert "".join(pieces) == "반쪽 🎤"


def test_codex_tells_each_message_anew() -> None:
    pieces: list[str] = []
    parser = JsonLinesParser(pieces.append, parse_codex_event)
    output = b"".join(json.dumps(event).encode() + b"\n" for event in CODEX)
    assert parser.take(output) + parser.end() == output
    assert "".join(pieces) == f"{ANEW}thinking{ANEW}{GOOD}"
    assert readable(told(pieces)) == "APPROVED\nfine"


@pytest.mark.parametrize(
    "line",
    [b"[1]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"type": "stream_event"'],
    ids=lambda line: line[:8].decode("latin-1"),
)
def test_a_line_that_is_no_event_is_kept(line: bytes) -> None:
    parser = JsonLinesParser(lambda _: None, parse_claude_event)
    assert parser.take(line + b"\n") + parser.end() == line + b"\n"


def test_a_line_without_end_is_not_gathered() -> None:
    parser = JsonLinesParser(lambda _: None, parse_claude_event)
    kept = b"".join(parser.take(b"x" * 65_536) for _ in range(64))
    assert len(kept) >= 64 * 65_536 - LONGEST_LINE - 65_536
    kept += parser.take(b"\n" + json.dumps(delta(type="text_delta", text="a")).encode() + b"\n")
    assert kept + parser.end() == b"x" * 64 * 65_536 + b"\n"


@pytest.mark.component
def test_a_commands_words_are_heard_before_it_ends(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    text = (
        "print('Half', flush=True)\n"
        f"while not os.path.exists({str(heard)!r}): time.sleep(0.01)\n"
        "print('Whole')"
    )

    def watch(piece: str) -> None:
        if "Half" in piece:
            heard.touch()

    watched = dataclasses.replace(call({"command": [program(tmp_path, text)]}), watch=watch)
    assert command.complete(watched, NO_CANCEL).text == "Half\nWhole"


@pytest.mark.component
@pytest.mark.parametrize(
    ("agent", "whole", "streamed"),
    [
        ("claude", json.dumps(CLAUDE), "\n".join(map(json.dumps, STREAM))),
        ("codex", "\n".join(map(json.dumps, CODEX)), ""),
        ("gemini", json.dumps(GEMINI), ""),
    ],
)
def test_who_watches_changes_nothing_in_the_reply(
    tmp_path: Path, agent: str, whole: str, streamed: str
) -> None:
    said = f"print({streamed!r} if 'stream-json' in sys.argv else {whole!r})"
    unwatched = call({"agent": agent, "program": program(tmp_path, said)})
    pieces: list[str] = []
    one = command.complete(unwatched, NO_CANCEL)
    other = command.complete(dataclasses.replace(unwatched, watch=pieces.append), NO_CANCEL)
    assert (one.text, one.usage, one.model) == (other.text, other.usage, other.model)
    assert readable(told(pieces)) == ("" if agent == "gemini" else "APPROVED\nfine")


@pytest.mark.component
def test_an_answer_that_is_asked_for_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    again = "'Your earlier answer was:' in sys.stdin.read()"
    path = program(tmp_path, f"print({GOOD!r} if {again} else 'no json')")
    pieces: list[str] = []
    watched = dataclasses.replace(call({"command": [path]}), watch=pieces.append)
    assert obtain(command, watched, NO_CANCEL, lambda _: None).repaired
    assert "".join(pieces).startswith(f"no json\n{ANEW}")
    assert readable(told(pieces)) == "APPROVED\nfine"
