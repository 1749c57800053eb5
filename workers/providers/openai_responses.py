"""OpenAI responses."""

from __future__ import annotations

import dataclasses
import hashlib

from pydantic import JsonValue

from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.options import HostedOptions
from workers.providers.calls import Completion, Finish, ProviderCall, reply_instructions
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import Payload, count, items, part, text, unreadable
from workers.providers.http.statuses import ErrorBody, error_body_of, error_of, status_of
from workers.providers.options import model_of

ROW = CATALOGUE["openai-responses"]
_QUIRKS = ("temperature", "json_schema", "prompt_cache_key")
_LENGTH = frozenset({"max_output_tokens", "max_tokens"})
_CLOSING = frozenset({"response.completed", "response.incomplete", "response.failed"})


def _body(call: ProviderCall, options: HostedOptions, quirks: Quirks) -> Payload:
    messages = call.as_json
    body: Payload = {
        "model": model_of(call),
        "input": messages,
        "max_output_tokens": call.max_output_tokens,
        # Nothing of a subject stays with the provider longer than it must.
        "store": False,
    }
    if call.system:
        body["instructions"] = call.system
        if "prompt_cache_key" not in quirks:
            body["prompt_cache_key"] = hashlib.sha256(call.system.encode()).hexdigest()[:32]
    if call.temperature is not None and "temperature" not in quirks:
        body["temperature"] = call.temperature
    schema = call.reply_schema
    if schema is not None and options.json_schema:
        if "json_schema" in quirks:
            messages.append({"role": "user", "content": reply_instructions(schema)})
        else:
            form: Payload = {"type": "json_schema", "name": schema.name, "strict": True}
            body["text"] = {"format": form | {"schema": schema.strict}}
    if call.watch is not None:
        body["stream"] = True
    return body


def quirk(error: ErrorBody) -> str | None:
    """Which of our fields a 400 complains about, if it is one that can be left out."""
    words = f"{error.param} {error.message}".lower()
    if "json_schema" in words or error.param.startswith("text"):
        return "json_schema"
    return error.unsupported(_QUIRKS)


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The response. Raises ProviderError for a failed one and for anything else."""
    participant = call.participant.name
    status = text(payload.get("status"))
    if status == "failed":
        error = error_body_of(payload)
        raise error_of(participant, status_of(error), {}, error)
    if not isinstance(payload.get("output"), list):
        raise unreadable(participant, "has no output")
    refusal, words = _texts_of(payload, "refusal"), _texts_of(payload, "text")
    finish = Finish.REFUSAL if refusal else _finish(status, payload)
    usage = usage_of(payload.get("usage"))
    return completion_of(ROW, call, refusal or words, finish, text(payload.get("model")), usage)


def _texts_of(payload: Payload, kind: str) -> str:
    """The texts of that kind in all messages."""
    messages = (item for item in items(payload.get("output")) if part(item, "type") == "message")
    blocks = (block for message in messages for block in items(part(message, "content")))
    return "".join(text(part(block, kind)) for block in blocks)


def _finish(status: str, payload: Payload) -> Finish:
    if status == "completed":
        return Finish.STOP if all(map(_is_whole, items(payload.get("output")))) else Finish.OTHER
    reason = text(part(payload, "incomplete_details", "reason"))
    if reason in _LENGTH:
        return Finish.LENGTH
    return Finish.REFUSAL if reason == "content_filter" else Finish.OTHER


def _is_whole(item: JsonValue) -> bool:
    """False for a message that says it is not."""
    return part(item, "type") != "message" or part(item, "status") in (None, "", "completed")


class ResponseStream:
    """Shows the pieces of a streamed response; its closing event holds the whole."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._response: Payload | None = None
        self._pieces: list[str] = []

    def feed(self, event: Payload) -> str:
        """The new text of an event. Raises ProviderError for an error event."""
        kind = text(event.get("type"))
        if kind == "error":
            error = error_body_of(event)
            raise error_of(self._call.participant.name, status_of(error), {}, error)
        response = event.get("response")
        if kind in _CLOSING and isinstance(response, dict):
            # The event's name says it where the response does not.
            stated = response.get("status") or kind.removeprefix("response.")
            self._response = response | {"status": stated}
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._pieces.append(text(event.get("delta")))
            return self._pieces[-1]
        return ""

    def completion(self) -> Completion:
        """The whole response. Raises ProviderError when no closing event came."""
        if self._response is None:
            raise cut_off(self._call.participant.name)
        whole = read(self._response, self._call)
        # Some services close with a response whose output is empty: what was streamed is the answer.
        return whole if whole.text else dataclasses.replace(whole, text="".join(self._pieces))


def usage_of(usage: JsonValue) -> Usage:
    """The figures: input_tokens hold the cached ones, output_tokens the reasoning."""
    return Usage(
        input_tokens=count(part(usage, "input_tokens")),
        output_tokens=count(part(usage, "output_tokens")),
        cached_tokens=count(part(usage, "input_tokens_details", "cached_tokens")),
    )


DIALECT = Dialect(
    row=ROW,
    options=HostedOptions,
    path=lambda _: "/responses",
    endings=("/responses",),
    body=_body,
    read=read,
    reader=ResponseStream,
    quirk=quirk,
)
complete, structured = DIALECT.complete, DIALECT.structured
