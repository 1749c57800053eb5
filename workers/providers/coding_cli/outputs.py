"""What the output of a command says: plain text, or the JSON of a coding CLI (shared/providers/coding_clis.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from pydantic import JsonValue

from shared.models.steps import Usage
from shared.text.bounded_json import loads
from workers.providers.calls import Finish, ended
from workers.providers.coding_cli.stream_parser import (
    JsonLinesParser,
    StreamParser,
    TextStreamParser,
    Watch,
    parse_claude_event,
    parse_codex_event,
)
from workers.providers.http.payload import Payload, count, dollars, part, text, total


@dataclass(frozen=True, slots=True)
class CliOutput:
    """What a command's output holds: its text, or the error that it reports."""

    text: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    finish: Finish = Finish.STOP


@dataclass(frozen=True, slots=True)
class CliOutputFormat:
    """How an output is read at its end, and which parser shows it on its way; None where that says nothing."""

    read: Callable[[str], CliOutput]
    parser: Callable[[Watch], StreamParser] | None = None


def read_text(output: str) -> CliOutput:
    """The output is the answer; what it cost is not known."""
    return CliOutput(text=output.strip())


# Of the Messages API. Versions of the command before 2.1 leave it out: their `success` says it.
_CLAUDE_FINISH = {
    "": Finish.STOP,
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}


def read_claude(output: str) -> CliOutput:
    """`--output-format json`: one result object, or an array that ends with it."""
    result = _last_object(output)
    if result is None:
        return CliOutput(error="its output is not the result object that was asked for")
    words = text(result.get("result"))
    failed = text(result.get("subtype")) not in ("", "success")
    if failed or result.get("is_error") is True or result.get("type") != "result":
        return CliOutput(
            error=words or text(result.get("subtype")) or "it reports an error",
            usage=_claude_usage(result),
        )
    structured = result.get("structured_output")
    return CliOutput(
        text=words if structured is None else json.dumps(structured, ensure_ascii=False),
        usage=_claude_usage(result),
        model=next(iter(_object(result.get("modelUsage"))), None),
        finish=ended(_CLAUDE_FINISH, text(result.get("stop_reason"))),
    )


def _claude_usage(result: Payload) -> Usage:
    usage = result.get("usage")
    fresh = count(part(usage, "input_tokens"))
    cached = count(part(usage, "cache_read_input_tokens"))
    written = count(part(usage, "cache_creation_input_tokens"))
    return Usage(
        input_tokens=None if fresh is None else total(fresh, cached, written),
        output_tokens=count(part(usage, "output_tokens")),
        cached_tokens=cached,
        cost_usd=dollars(result.get("total_cost_usd")),
    )


def read_gemini(output: str) -> CliOutput:
    """`--output-format json`: response, stats by model, or error."""
    result = _last_object(output)
    if result is None:
        return CliOutput(error="its output is not the JSON object that was asked for")
    error = result.get("error")
    if error:
        return CliOutput(error=text(part(error, "message")) or json.dumps(error))
    models = _object(part(result.get("stats"), "models"))
    tokens = [part(figures, "tokens") for figures in models.values()]

    def summed(*names: str) -> int | None:
        return total(*(count(part(model, name)) for model in tokens for name in names))

    return CliOutput(
        text=text(result.get("response")),
        usage=Usage(
            input_tokens=summed("prompt", "tool"),
            output_tokens=summed("candidates", "thoughts"),
            cached_tokens=summed("cached"),
        ),
        model=next(iter(models), None),
    )


def read_codex(output: str) -> CliOutput:
    """`exec --json`: a line per event; the last agent message is the answer, once its turn is completed."""
    words, error, usage, finish = "", "", Usage(), Finish.OTHER
    for line in output.splitlines():
        event = _parsed(line)
        match event.get("type"):
            case "item.completed" if part(event, "item", "type") == "agent_message":
                words = text(part(event, "item", "text"))
            case "turn.started":
                finish = Finish.OTHER
            case "turn.completed":
                finish, error = Finish.STOP, ""  # what it got over, such as a lost connection
                usage = Usage(
                    input_tokens=count(part(event, "usage", "input_tokens")),
                    output_tokens=count(part(event, "usage", "output_tokens")),
                    cached_tokens=count(part(event, "usage", "cached_input_tokens")),
                )
            case "turn.failed":
                finish = Finish.OTHER
                error = text(part(event, "error", "message")) or "its turn failed"
            case "error":
                error = text(event.get("message")) or "it reports an error"
    return CliOutput(text=words, error=error, usage=usage, finish=finish)


def _last_object(output: str) -> Payload | None:
    try:
        value = loads(output)
    except ValueError:
        # Warnings may stand before it.
        value = next(
            (parsed for line in reversed(output.splitlines()) if (parsed := _parsed(line))), None
        )
    if isinstance(value, list):
        value = value[-1] if value else None
    return value if isinstance(value, dict) else None


def _parsed(line: str) -> Payload:
    try:
        return _object(loads(line))
    except ValueError:
        return {}


def _object(value: JsonValue) -> Payload:
    return value if isinstance(value, dict) else {}


OUTPUTS: dict[str, CliOutputFormat] = {
    "text": CliOutputFormat(read_text, TextStreamParser),
    "claude": CliOutputFormat(read_claude, partial(JsonLinesParser, parse=parse_claude_event)),
    "gemini": CliOutputFormat(read_gemini),
    "codex": CliOutputFormat(read_codex, partial(JsonLinesParser, parse=parse_codex_event)),
}
