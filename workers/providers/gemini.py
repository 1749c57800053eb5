"""Gemini generateContent."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import JsonValue

from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.options import HostedOptions
from workers.providers.calls import Completion, Finish, ProviderCall, ended, reply_instructions
from workers.providers.http.converse import Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import (
    Payload,
    count,
    first_of,
    items,
    part,
    text,
    total,
    unreadable,
)
from workers.providers.http.statuses import ErrorBody
from workers.providers.options import model_of

ROW = CATALOGUE["gemini"]

_REFUSED = (
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT"
    " IMAGE_RECITATION"
)
_FINISH = {"STOP": Finish.STOP, "MAX_TOKENS": Finish.LENGTH}
_FINISH |= dict.fromkeys(_REFUSED.split(), Finish.REFUSAL)


def _path(call: ProviderCall) -> str:
    # The key goes into a header: an address ends up in logs.
    method = "generateContent" if call.watch is None else "streamGenerateContent?alt=sse"
    model = quote(model_of(call).removeprefix("models/"), safe="")
    return f"/models/{model}:{method}"


def _body(call: ProviderCall, options: HostedOptions, quirks: Quirks) -> Payload:
    contents: list[JsonValue] = [
        {
            "role": "model" if message.role == "assistant" else "user",
            "parts": [{"text": message.text}],
        }
        for message in call.messages
    ]
    config: Payload = {"maxOutputTokens": call.max_output_tokens}
    if call.temperature is not None:
        config["temperature"] = call.temperature
    schema = call.reply_schema
    if schema is not None and options.json_schema:
        config["responseMimeType"] = "application/json"
        if "schema" in quirks:
            instructions: JsonValue = {"text": reply_instructions(schema)}
            contents.append({"role": "user", "parts": [instructions]})
        else:
            config["responseJsonSchema"] = schema.strict
    body: Payload = {"contents": contents, "generationConfig": config}
    if call.system:
        body["systemInstruction"] = {"parts": [{"text": call.system}]}
    return body


def quirk(error: ErrorBody) -> str | None:
    """Gemini names no parameter, but says when a schema is beyond it."""
    words = error.message.lower()
    return "schema" if "schema" in words else None


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The first candidate. Raises ProviderError when the answer does not follow the protocol."""
    if not payload.keys() & {"candidates", "promptFeedback"}:
        raise unreadable(call.participant.name, "has no candidates")
    reader = CandidateStream(call)
    reader.feed(payload)
    return reader.completion(streamed=False)


class CandidateStream:
    """Collects the chunks of one answer; a whole answer is one chunk."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._pieces: list[str] = []
        self._finish = ""
        self._blocked = False
        self._usage: JsonValue = None
        self._model = ""

    def feed(self, event: Payload) -> str:
        """The new text of a chunk, thoughts left out."""
        first = first_of(event.get("candidates"))
        self._finish = text(part(first, "finishReason")) or self._finish
        self._blocked = self._blocked or bool(part(event, "promptFeedback", "blockReason"))
        self._usage = event.get("usageMetadata") or self._usage
        self._model = text(event.get("modelVersion")) or self._model
        piece = "".join(
            text(part(entry, "text"))
            for entry in items(part(first, "content", "parts"))
            if not part(entry, "thought")
        )
        self._pieces.append(piece)
        return piece

    def completion(self, *, streamed: bool = True) -> Completion:
        """The whole answer. Raises ProviderError when a stream has no finishReason."""
        if streamed and not (self._finish or self._blocked):
            raise cut_off(self._call.participant.name)
        finish = Finish.REFUSAL if self._blocked else ended(_FINISH, self._finish)
        whole = "".join(self._pieces)
        return completion_of(ROW, self._call, whole, finish, self._model, usage_of(self._usage))


def usage_of(usage: JsonValue) -> Usage:
    """Gemini's figures: thoughts come on top of the candidates, the tools' results on top of the prompt."""
    prompt = count(part(usage, "promptTokenCount"))
    used_by_tools = count(part(usage, "toolUsePromptTokenCount"))
    answered = count(part(usage, "candidatesTokenCount"))
    thought = count(part(usage, "thoughtsTokenCount"))
    asked = None if prompt is None else total(prompt, used_by_tools)
    given = total(answered, thought)
    everything = count(part(usage, "totalTokenCount"))
    if given is None and everything is not None and asked is not None:
        given = max(everything - asked, 0)  # zeros are left out of Gemini's JSON
    return Usage(
        input_tokens=asked,
        output_tokens=given,
        cached_tokens=count(part(usage, "cachedContentTokenCount")),
    )


DIALECT = Dialect(
    row=ROW,
    options=HostedOptions,
    path=_path,
    endings=("/models",),
    body=_body,
    read=read,
    reader=CandidateStream,
    quirk=quirk,
)
complete, structured = DIALECT.complete, DIALECT.structured
