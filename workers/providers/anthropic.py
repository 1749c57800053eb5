"""Anthropic messages."""

from __future__ import annotations

from pydantic import JsonValue

from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.options import AnthropicOptions
from workers.providers.calls import (
    Completion,
    Finish,
    ProviderCall,
    ReplySchema,
    ended,
    reply_instructions,
)
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import Payload, count, items, part, text, total, unreadable
from workers.providers.http.statuses import ErrorBody
from workers.providers.options import model_of

ROW = CATALOGUE["anthropic"]
VERSION = "2023-06-01"

_FINISH = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}
_QUIRKS = ("temperature", "output_config", "cache_control")


def _body(call: ProviderCall, options: AnthropicOptions, quirks: Quirks) -> Payload:
    caches = options.cache and "cache_control" not in quirks
    messages = call.as_json
    if caches and call.stable:
        messages[0] = {"role": "user", "content": _in_two(call)}
    body: Payload = {
        "model": model_of(call),
        "max_tokens": call.max_output_tokens,
        "messages": messages,
    }
    if call.system:
        body["system"] = [_block(call.system, kept=caches)]
    if call.temperature is not None and "temperature" not in quirks:
        # Anthropic's scale ends at 1.
        body["temperature"] = min(call.temperature, 1.0)
    if call.watch is not None:
        body["stream"] = True
    if call.reply_schema is not None and options.json_schema:
        body |= _form(call.reply_schema, messages, quirks)
    return body


def _form(schema: ReplySchema, messages: list[JsonValue], quirks: Quirks) -> Payload:
    """What holds the answer to its schema; where the endpoint refuses that, `messages` ask for it."""
    if "output_config" in quirks:
        messages.append({"role": "user", "content": reply_instructions(schema)})
        return {}
    return {"output_config": {"format": {"type": "json_schema", "schema": schema.strict}}}


def _in_two(call: ProviderCall) -> list[JsonValue]:
    """The question as what the provider may keep, and the rest. A block must not be empty."""
    kept, rest = _block(call.user[: call.stable], kept=True), call.user[call.stable :]
    return [kept, _block(rest)] if rest else [kept]


def _block(words: str, *, kept: bool = False) -> Payload:
    block: Payload = {"type": "text", "text": words}
    return block | {"cache_control": {"type": "ephemeral"}} if kept else block


def quirk(error: ErrorBody) -> str | None:
    """Which of our fields a 400 complains about, if it is one that can be left out."""
    words = error.message.lower().replace("output_format", "output_config")
    if "structured output" in words:
        return "output_config"
    return next((word for word in _QUIRKS if word in words), None)


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The message. Raises ProviderError when the answer does not follow the protocol."""
    if not isinstance(payload.get("content"), list):
        raise unreadable(call.participant.name, "has no content")
    whole = "".join(
        text(part(block, "text"))
        for block in items(payload.get("content"))
        if part(block, "type") == "text"
    )
    return _completion(
        call,
        whole,
        text(payload.get("stop_reason")),
        payload.get("usage"),
        text(payload.get("model")),
    )


class MessagesStream:
    """Collects the events of one streamed message."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._pieces: list[str] = []
        self._usage: Payload = {}
        self._finish = ""
        self._model = ""
        self._ended = False

    def feed(self, event: Payload) -> str:
        """The new text of an event."""
        match event.get("type"):
            case "message_start":
                self._model = text(part(event, "message", "model"))
                self._add_usage(part(event, "message", "usage"))
            case "content_block_start":
                return self._took(part(event, "content_block"), "text")
            case "content_block_delta":
                return self._took(part(event, "delta"), "text_delta")
            case "message_delta":
                self._finish = text(part(event, "delta", "stop_reason")) or self._finish
                self._add_usage(event.get("usage"))
            case "message_stop":
                self._ended = True
        return ""

    def _took(self, block: JsonValue, kind: str) -> str:
        piece = text(part(block, "text")) if part(block, "type") == kind else ""
        self._pieces.append(piece)
        return piece

    def _add_usage(self, usage: JsonValue) -> None:
        # The later figures are totals, not differences.
        if isinstance(usage, dict):
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def completion(self) -> Completion:
        """The whole message. Raises ProviderError when message_stop never came."""
        if not self._ended:
            raise cut_off(self._call.participant.name)
        whole = "".join(self._pieces)
        return _completion(self._call, whole, self._finish, self._usage, self._model)


def _completion(
    call: ProviderCall, whole: str, finish: str, usage: JsonValue, model: str
) -> Completion:
    written = count(part(usage, "cache_creation_input_tokens"))
    reason = ended(_FINISH, finish)
    return completion_of(
        ROW, call, whole, reason, model, usage_of(usage), cache_write_tokens=written
    )


def usage_of(usage: JsonValue) -> Usage:
    """Anthropic's figures: what was read from and written to the cache comes on top of input_tokens."""
    fresh = count(part(usage, "input_tokens"))
    read_back = count(part(usage, "cache_read_input_tokens"))
    written = count(part(usage, "cache_creation_input_tokens"))
    return Usage(
        input_tokens=None if fresh is None else total(fresh, read_back, written),
        output_tokens=count(part(usage, "output_tokens")),
        cached_tokens=read_back,
    )


DIALECT = Dialect(
    row=ROW,
    options=AnthropicOptions,
    path=lambda _: "/v1/messages",
    endings=("/messages", "/v1"),
    headers={"anthropic-version": VERSION},
    body=_body,
    read=read,
    reader=MessagesStream,
    quirk=quirk,
)
complete, structured = DIALECT.complete, DIALECT.structured
