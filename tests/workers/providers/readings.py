"""An answer as a protocol's adapter reads it, whole or as a stream cut anywhere."""

from __future__ import annotations

import json
from typing import Any

from tests.workers.providers.calls import call_of
from workers.providers import ollama
from workers.providers.calls import Completion
from workers.providers.http.converse import Dialect, read_body, read_events
from workers.providers.http.events import json_line_payloads, sse_payloads

Body = dict[str, Any]


def whole(dialect: Dialect[Any], body: Body) -> Completion:
    return read_body(dialect, call_of("openai"), json.dumps(body).encode(), {})


def streamed(dialect: Dialect[Any], events: list[Body], end: str = "\r\n\r\n") -> Completion:
    """The events with everything that SSE allows around them, three bytes at a time."""
    if dialect is ollama.DIALECT:
        text = "".join(f"{json.dumps(event)}\n" for event in events)
    else:
        text = "".join(
            f": keep-alive{end}event: x\r\nid: 1\r\ndata: {json.dumps(event, ensure_ascii=False)}{end}"
            for event in events
        )
        text += f"data: [DONE]{end}"
    data = text.encode()
    pieces = [data[at : at + 3] for at in range(0, len(data), 3)]
    frames = json_line_payloads if dialect is ollama.DIALECT else sse_payloads
    return read_events(dialect, call_of("openai"), frames(pieces, "gpt"))


def told(completion: Completion) -> tuple[str, str, tuple[int | None, ...]]:
    usage = completion.usage
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
    return completion.text, completion.finish_reason.value, tokens
