"""OpenAI chat completions, and every service that speaks them under another base URL."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.options import OpenAIOptions
from workers.providers.calls import Completion, Finish, ProviderCall, ended, reply_instructions
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import (
    Payload,
    count,
    dollars,
    first_of,
    items,
    part,
    text,
    total,
    unreadable,
)
from workers.providers.http.statuses import ErrorBody
from workers.providers.options import model_of

ROW = CATALOGUE["openai"]

# OpenAI's own words, and those of services that speak its protocol.
_FINISH = {
    **dict.fromkeys(("stop", "end_turn", "eos", "eos_token", "stop_sequence"), Finish.STOP),
    **dict.fromkeys(("length", "max_tokens", "model_length"), Finish.LENGTH),
    **dict.fromkeys(("content_filter", "refusal", "safety"), Finish.REFUSAL),
}
# The provider gave up: OpenRouter, Mistral; vLLM (vllm-project/vllm#57082); DeepSeek. What came is no answer.
_BROKEN_OFF = frozenset({"error", "abort", "insufficient_system_resource"})

# What an endpoint may refuse, by the word that its 400 names; what `_body` does about it.
_QUIRKS = (
    *("temperature", "max_tokens", "max_completion_tokens", "json_schema", "response_format"),
    *("stream_options", "prompt_cache_key"),
)
_NO_SCHEMA = frozenset({"json_schema", "response_format"})


def _body(call: ProviderCall, options: OpenAIOptions, quirks: Quirks) -> Payload:
    body: Payload = {"model": model_of(call), "messages": _messages(call, options, quirks)}
    body[_length_field(options, quirks)] = call.max_output_tokens
    if call.temperature is not None and "temperature" not in quirks:
        body["temperature"] = call.temperature
    form = _response_format(call, options, quirks)
    if form is not None:
        body["response_format"] = form
    if call.watch is not None:
        body["stream"] = True
        if "stream_options" not in quirks:
            body["stream_options"] = {"include_usage": True}
    return body


def _messages(call: ProviderCall, options: OpenAIOptions, quirks: Quirks) -> list[JsonValue]:
    messages = call.as_json
    if call.system:
        role = "user" if "system" in quirks else "system"
        messages.insert(0, {"role": role, "content": call.system})
    if call.reply_schema and options.json_mode == "json_schema" and quirks & _NO_SCHEMA:
        # The prompt was written for an endpoint that holds to a schema; this one does not.
        messages.append({"role": "user", "content": reply_instructions(call.reply_schema)})
    return messages


def _length_field(options: OpenAIOptions, quirks: Quirks) -> str:
    new = "max_tokens" in quirks or (
        options.base_url is None and "max_completion_tokens" not in quirks
    )
    return "max_completion_tokens" if new else "max_tokens"


def _response_format(call: ProviderCall, options: OpenAIOptions, quirks: Quirks) -> JsonValue:
    schema = call.reply_schema
    if schema is None or options.json_mode == "none" or "response_format" in quirks:
        return None
    if options.json_mode == "json_object" or "json_schema" in quirks:
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.name, "strict": True, "schema": schema.strict},
    }


def quirk(error: ErrorBody) -> str | None:
    """Which of our fields a 400 complains about, if it is one that can be left out."""
    words = f"{error.param} {error.message}".lower()
    if "json_schema" in words or "schema" in error.param:
        return "json_schema"
    if error.param.endswith(".role") and "'system'" in words:
        return "system"
    return error.unsupported(_QUIRKS)


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The first choice. Raises ProviderError when the answer does not follow the protocol."""
    choices = payload.get("choices")
    if not isinstance(choices, list):
        raise unreadable(call.participant.name, "has no choices")
    first = first_of(choices) or next(iter(choices), None)
    _check_choice(call, first)
    refusal = text(part(first, "message", "refusal"))
    return _completion(
        call,
        refusal or content_text(part(first, "message", "content")),
        text(part(first, "finish_reason")),
        payload.get("usage"),
        text(payload.get("model")),
        refused=bool(refusal),
    )


class ChatStream:
    """Collects the chunks of one streamed answer."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._pieces: list[str] = []
        self._refused = False
        self._finish = ""
        self._usage: JsonValue = None
        self._model = ""

    def feed(self, event: Payload) -> str:
        """The new text of a chunk."""
        self._model = text(event.get("model")) or self._model
        self._usage = event.get("usage") or part(event, "x_groq", "usage") or self._usage
        first = first_of(event.get("choices"))
        _check_choice(self._call, first)
        self._finish = text(part(first, "finish_reason")) or self._finish
        refusal = text(part(first, "delta", "refusal"))
        self._refused = self._refused or bool(refusal)
        piece = refusal or content_text(part(first, "delta", "content"))
        self._pieces.append(piece)
        return piece

    def completion(self) -> Completion:
        """The whole answer. Raises ProviderError when no finish_reason came."""
        if not self._finish:
            raise cut_off(self._call.participant.name)
        whole = "".join(self._pieces)
        return _completion(
            self._call, whole, self._finish, self._usage, self._model, refused=self._refused
        )


def _check_choice(call: ProviderCall, choice: JsonValue) -> None:
    """Raise ProviderError when the provider gave up in the middle and does not say why (else `error_in` has)."""
    if text(part(choice, "finish_reason")) in _BROKEN_OFF:
        participant = call.participant.name
        raise ProviderError(
            FailureKind.OVERLOADED,
            f"{participant}'s provider broke its answer off.",
            retryable=True,
        )


def _completion(
    call: ProviderCall, whole: str, finish: str, usage: JsonValue, model: str, *, refused: bool
) -> Completion:
    # Google's service says more after a colon (`content_filter: SAFETY`), others use capitals.
    finish = finish.partition(":")[0].strip().lower()
    reason = Finish.REFUSAL if refused else ended(_FINISH, finish)
    charged = _charged_usd(call, usage)
    return completion_of(ROW, call, whole, reason, model, usage_of(usage), charged_usd=charged)


def _charged_usd(call: ProviderCall, usage: JsonValue) -> float | None:
    """What OpenRouter says it charged (a credit is a dollar); not when it used the user's own key."""
    host = urlsplit(str(call.participant.options.get("base_url") or "")).hostname or ""
    if host != "openrouter.ai" or part(usage, "is_byok") is True:
        return None
    return dollars(part(usage, "cost"))


def content_text(content: JsonValue) -> str:
    """The text of a message: a string, or a list of typed parts."""
    if isinstance(content, str):
        return content
    return "".join(text(part(piece, "text")) for piece in items(content))


def usage_of(usage: JsonValue) -> Usage:
    """OpenAI's figures: prompt_tokens hold the cached ones, completion_tokens the reasoning.

    xAI counts the reasoning beside completion_tokens, which its total tells; DeepSeek and Moonshot have a field of
    their own for what was cached.
    """
    read, written = count(part(usage, "prompt_tokens")), count(part(usage, "completion_tokens"))
    reasoned = count(part(usage, "completion_tokens_details", "reasoning_tokens"))
    known = total(read, written)
    if reasoned and known and count(part(usage, "total_tokens")) == known + reasoned:
        written = total(written, reasoned)
    cached = (
        part(usage, "prompt_tokens_details", "cached_tokens"),
        part(usage, "prompt_cache_hit_tokens"),
        part(usage, "cached_tokens"),
    )
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cached_tokens=next((n for n in map(count, cached) if n is not None), None),
    )


DIALECT = Dialect(
    row=ROW,
    options=OpenAIOptions,
    path=lambda _: "/chat/completions",
    endings=("/chat/completions",),
    body=_body,
    read=read,
    reader=ChatStream,
    quirk=quirk,
)
complete, structured = DIALECT.complete, DIALECT.structured
