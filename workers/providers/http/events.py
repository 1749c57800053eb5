"""Event streams: server-sent events and JSON lines, from bytes to JSON objects.

SSE as in the WHATWG HTML standard, 9.2.6. A line that should be JSON and is not ends the stream
with an error: a client that skips it gives a shortened text for a whole one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.text.bounded_json import loads
from workers.providers.http.payload import Payload, unreadable

_DONE = "[DONE]"
_END = re.compile("[\r\n]")


def sse_payloads(chunks: Iterable[bytes], participant: str) -> Iterator[Payload]:
    """The JSON of each event. OpenAI's closing `[DONE]` is no event. Raises ProviderError."""
    data: list[str] = []
    for line in _lines(chunks):
        if line:
            name, _, value = line.partition(":")
            if name == "data":
                data.append(value.removeprefix(" "))
        elif data:
            text, data = "\n".join(data), []
            if text.strip() != _DONE:
                yield _object(text, participant)


def json_line_payloads(chunks: Iterable[bytes], participant: str) -> Iterator[Payload]:
    """The JSON object of each line. Raises ProviderError."""
    for line in _lines(chunks, ended=False):
        if line.strip():
            yield _object(line, participant)


def _lines(chunks: Iterable[bytes], *, ended: bool = True) -> Iterator[str]:
    """Lines without their ends (CR, LF, CRLF); an unfinished last one only when `ended` is False."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    grown = [""]
    for chunk in chunks:
        grown.append(decoder.decode(chunk))
        if not grown[0].endswith("\r") and _END.search(grown[-1]) is None:
            continue  # a long line in many pieces is put together once
        rest = "".join(grown)
        # A CR at the end may be the first half of a CRLF.
        whole = rest[:-1] if rest.endswith("\r") else rest
        lines = whole.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        grown = [lines.pop() + rest[len(whole) :]]
        yield from lines
    rest = "".join((*grown, decoder.decode(b"", final=True)))
    if rest.endswith("\r"):
        yield rest[:-1]
    elif not ended and rest:
        yield rest


def _object(text: str, participant: str) -> Payload:
    try:
        value = loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise unreadable(participant, "has an event in its stream that is not a JSON object")
    return value


def cut_off(participant: str) -> ProviderError:
    """The error of a stream that ended without its closing event."""
    return ProviderError(
        FailureKind.UNREACHABLE,
        f"The stream of {participant} was cut off in the middle.",
        retryable=True,
    )
