"""The words of a command-line agent while it still works, out of its output as it comes.

Only a picture for people who watch: what is accepted as the reply is read from the whole output
afterwards (agents.py). Sources: Claude Code's `--output-format stream-json
--include-partial-messages` (a JSON object a line, `stream_event` around the Messages API's events)
and `codex exec --json` (an event a line; whole messages only).
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Protocol

from shared.text.bounded_json import loads
from shared.text.unfinished import ANEW
from workers.providers.http.payload import Payload, part, text

LONGEST_LINE = 1024 * 1024

Watch = Callable[[str], None]


class StreamParser(Protocol):
    """Reads a command's output on its way."""

    def take(self, data: bytes) -> bytes:
        """The next piece; what of the output so far is kept, in its order."""

    def wait(self) -> None:
        """Time has passed."""

    def end(self) -> bytes:
        """The output has ended; what is still to be kept."""


class TextStreamParser:
    """The output is the text; all of it is kept."""

    def __init__(self, watch: Watch) -> None:
        """Tells `watch`."""
        self._watch = watch
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take(self, data: bytes) -> bytes:
        """Tell it."""
        self._watch(self._decoder.decode(data))
        return data

    def wait(self) -> None:
        """Somebody may have come to listen."""
        self._watch("")

    def end(self) -> bytes:
        """Nothing was held back."""
        return b""


ParseEvent = Callable[[Payload, Watch], bool]


class JsonLinesParser:
    """The output is a JSON object a line. Lines that `parse` calls mere progress are not kept.

    They would fill the room that the output has: a streamed answer is fifty times as long as the answer.
    """

    def __init__(self, watch: Watch, parse: ParseEvent) -> None:
        """`parse` tells a line's words and says whether the line is to be kept."""
        self._watch = watch
        self._parse = parse
        self._line = bytearray()
        self._too_long = False

    def take(self, data: bytes) -> bytes:
        """Read the lines that are whole now."""
        kept = bytearray()
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._line += piece + b"\n"
            if self._too_long or self._is_kept(bytes(self._line)):
                kept += self._line
            self._line.clear()
            self._too_long = False
        self._line += rest
        if len(self._line) > LONGEST_LINE:  # no event is that long: it goes by unread
            self._too_long = True
            kept += self._line
            self._line.clear()
        self._watch("")
        return bytes(kept)

    def wait(self) -> None:
        """Somebody may have come to listen."""
        self._watch("")

    def end(self) -> bytes:
        """A line without its end."""
        return bytes(self._line)

    def _is_kept(self, line: bytes) -> bool:
        if not line.lstrip().startswith(b"{"):
            return True
        try:
            event = loads(line)
        except ValueError:
            return True
        return self._parse(event, self._watch) if isinstance(event, dict) else True


def parse_claude_event(event: Payload, watch: Watch) -> bool:
    """Text as it is written. A structured reply is a tool's input: it takes the place of what led to it."""
    if event.get("type") != "stream_event":
        return True
    match part(event, "event", "type"):
        case "content_block_start" if part(event, "event", "content_block", "type") == "tool_use":
            watch(ANEW)
        case "content_block_delta":
            delta = part(event, "event", "delta")
            watch(text(part(delta, "text")) or text(part(delta, "partial_json")))
    return False


def parse_codex_event(event: Payload, watch: Watch) -> bool:
    """Its messages, each when it is whole; the last one is the answer."""
    is_message = part(event, "item", "type") == "agent_message"
    if event.get("type") == "item.completed" and is_message:
        watch(ANEW)
        watch(text(part(event, "item", "text")))
    return True
