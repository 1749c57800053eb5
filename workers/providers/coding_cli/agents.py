"""Command-line agents: how each is called without tools, and what its output says.

Sources: the agents' own references for headless use (Claude Code `-p`, Gemini CLI headless mode,
`codex exec`).
"""

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
class Said:
    """What an agent's output holds: its text, or the error that it reports."""

    text: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    finish: Finish = Finish.STOP


@dataclass(frozen=True, slots=True)
class Agent:
    """A command line that reads a prompt on stdin.

    `model_flags` are added when the participant names a model; `{model}`, `{schema}` and
    `{schema_file}` are filled in. `env` names the variables that hold its keys; nothing else of
    the worker's secrets reaches it. `parser` reads its words while it works, for who watches, which
    may take another command line, `watched`, whose output says the same in the end.
    """

    command: tuple[str, ...]
    read: Callable[[str], Said]
    parser: Callable[[Watch], StreamParser] | None = None
    watched: tuple[str, ...] = ()
    model_flags: tuple[str, ...] = ()
    schema_flags: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


def read_text(output: str) -> Said:
    """The output is the answer; what it cost is not known."""
    return Said(text=output.strip())


# Of the Messages API. Versions of the command before 2.1 leave it out: their `success` says it.
_CLAUDE_FINISH = {
    "": Finish.STOP,
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}


def read_claude(output: str) -> Said:
    """`--output-format json`: one result object, or an array that ends with it."""
    result = _last_object(output)
    if result is None:
        return Said(error="its output is not the result object that was asked for")
    said = text(result.get("result"))
    failed = text(result.get("subtype")) not in ("", "success")
    if failed or result.get("is_error") is True or result.get("type") != "result":
        return Said(
            error=said or text(result.get("subtype")) or "it reports an error",
            usage=_claude_usage(result),
        )
    held = result.get("structured_output")
    return Said(
        text=said if held is None else json.dumps(held, ensure_ascii=False),
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


def read_gemini(output: str) -> Said:
    """`--output-format json`: response, stats by model, or error."""
    result = _last_object(output)
    if result is None:
        return Said(error="its output is not the JSON object that was asked for")
    error = result.get("error")
    if error:
        return Said(error=text(part(error, "message")) or json.dumps(error))
    models = _object(part(result.get("stats"), "models"))
    tokens = [part(figures, "tokens") for figures in models.values()]

    def summed(*names: str) -> int | None:
        return total(*(count(part(one, name)) for one in tokens for name in names))

    return Said(
        text=text(result.get("response")),
        usage=Usage(
            input_tokens=summed("prompt", "tool"),
            output_tokens=summed("candidates", "thoughts"),
            cached_tokens=summed("cached"),
        ),
        model=next(iter(models), None),
    )


def read_codex(output: str) -> Said:
    """`exec --json`: a line per event; the last agent message is the answer, once its turn is completed."""
    said, error, usage, finish = "", "", Usage(), Finish.OTHER
    for line in output.splitlines():
        event = _parsed(line)
        match event.get("type"):
            case "item.completed" if part(event, "item", "type") == "agent_message":
                said = text(part(event, "item", "text"))
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
    return Said(text=said, error=error, usage=usage, finish=finish)


def _last_object(output: str) -> Payload | None:
    try:
        value = loads(output)
    except ValueError:
        # Warnings may stand before it.
        value = next(
            (found for line in reversed(output.splitlines()) if (found := _parsed(line))), None
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


STREAM_PARSERS: dict[str, Callable[[Watch], StreamParser] | None] = {
    "text": TextStreamParser,
    "claude": partial(JsonLinesParser, parse=parse_claude_event),
    "gemini": None,
    "codex": partial(JsonLinesParser, parse=parse_codex_event),
}
_WITHOUT_TOOLS = ("--tools", "", "--strict-mcp-config")

# Gemini CLI has a stream, too (`stream-json`), but its last event does not hold the answer: what
# would be accepted as the reply would be put together by us.
AGENTS: dict[str, Agent] = {
    "claude": Agent(
        command=("claude", "-p", "--output-format", "json", *_WITHOUT_TOOLS),
        watched=(
            *("claude", "-p", "--output-format", "stream-json", "--verbose"),
            *("--include-partial-messages", *_WITHOUT_TOOLS),
        ),
        read=read_claude,
        parser=STREAM_PARSERS["claude"],
        model_flags=("--model", "{model}"),
        schema_flags=("--json-schema", "{schema}"),
        env=(
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ),
    ),
    "gemini": Agent(
        command=("gemini", "--output-format", "json", "--approval-mode", "default"),
        read=read_gemini,
        model_flags=("--model", "{model}"),
        env=(
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GENAI_USE_VERTEXAI",
        ),
    ),
    "codex": Agent(
        command=(
            *("codex", "exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"),
            *("--ephemeral", "-"),
        ),
        read=read_codex,
        parser=STREAM_PARSERS["codex"],
        model_flags=("--model", "{model}"),
        schema_flags=("--output-schema", "{schema_file}"),
        env=("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
    ),
}
READERS: dict[str, Callable[[str], Said]] = {
    "text": read_text,
    "claude": read_claude,
    "gemini": read_gemini,
    "codex": read_codex,
}
