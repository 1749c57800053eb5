"""Ollama's own chat protocol: models on the user's own machine."""

from __future__ import annotations

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.options import OllamaOptions
from workers.providers.calls import Completion, Finish, ProviderCall, ended
from workers.providers.http.converse import JSON_LINES, Dialect, Quirks, completion_of
from workers.providers.http.events import cut_off
from workers.providers.http.payload import Payload, count, part, text, unreadable
from workers.providers.options import model_of

ROW = CATALOGUE["ollama"]
_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}
_CHARS_PER_TOKEN = 3
# What no text goes below: a prompt that is longer by this count is longer by every other.
_MOST_CHARS_PER_TOKEN = 5
_MOST_WIDE_PER_TOKEN = 2
_SMALLEST_CONTEXT = 8192


def _body(call: ProviderCall, options: OllamaOptions, quirks: Quirks) -> Payload:
    del quirks
    _check_fits(call, options.num_ctx)
    messages = call.as_json
    if call.system:
        messages.insert(0, {"role": "system", "content": call.system})
    limits: Payload = {
        "num_predict": call.max_output_tokens,
        "num_ctx": options.num_ctx or _window(call),
    }
    if call.temperature is not None:
        limits["temperature"] = call.temperature
    body: Payload = {
        "model": model_of(call),
        "messages": messages,
        "stream": call.watch is not None,
        "options": limits,
    }
    if call.reply_schema is not None and options.json_schema:
        body["format"] = call.reply_schema.strict
    if options.keep_alive is not None:
        body["keep_alive"] = options.keep_alive
    return body


def _window(call: ProviderCall) -> int:
    needed = _tokens(call, _CHARS_PER_TOKEN, 1) + call.max_output_tokens
    return max(_SMALLEST_CONTEXT, -(-needed // 1024) * 1024)


def _check_fits(call: ProviderCall, window: int | None) -> None:
    needed = _tokens(call, _MOST_CHARS_PER_TOKEN, _MOST_WIDE_PER_TOKEN)
    if window is not None and needed > window:
        raise ProviderError(
            FailureKind.CONTEXT_OVERFLOW,
            f"{call.participant.name}: the prompt has at least {needed} tokens, and num_ctx is {window}; Ollama would "
            "drop its beginning. Set a larger num_ctx, or none.",
            charged=False,
            scope=Scope.NOBODY,
        )


def _tokens(call: ProviderCall, chars: int, wide_chars: int) -> int:
    """The prompt's tokens at so many characters a token; Korean, Chinese and Japanese have far fewer."""
    prompt = "".join((call.system, *(message.text for message in call.messages)))
    plain = len(prompt.encode("ascii", "ignore"))
    return plain // chars + (len(prompt) - plain) // wide_chars


def read(payload: Payload, call: ProviderCall) -> Completion:
    """The answer. Raises ProviderError when it does not follow the protocol."""
    if not isinstance(payload.get("message"), dict):
        raise unreadable(call.participant.name, "has no message")
    return _completion(call, text(part(payload, "message", "content")), payload)


class LineStream:
    """Collects the lines of one streamed answer."""

    def __init__(self, call: ProviderCall) -> None:
        self._call = call
        self._pieces: list[str] = []
        self._last: Payload | None = None

    def feed(self, event: Payload) -> str:
        """The new text of a line."""
        piece = text(part(event, "message", "content"))
        self._pieces.append(piece)
        if event.get("done") is True:
            self._last = event
        return piece

    def completion(self) -> Completion:
        """The whole answer. Raises ProviderError when no line said done."""
        if self._last is None:
            raise cut_off(self._call.participant.name)
        return _completion(self._call, "".join(self._pieces), self._last)


def _completion(call: ProviderCall, whole: str, last: Payload) -> Completion:
    usage = Usage(
        input_tokens=count(last.get("prompt_eval_count")),
        output_tokens=count(last.get("eval_count")),
    )
    # Older servers give no reason for an ordinary end. What is not done has none, whatever it says.
    reason = last.get("done_reason")
    stated = "stop" if reason in (None, "") else text(reason)
    finish = stated if last.get("done") is True else ""
    return completion_of(ROW, call, whole, ended(_FINISH, finish), text(last.get("model")), usage)


DIALECT = Dialect(
    row=ROW,
    options=OllamaOptions,
    path=lambda _: "/api/chat",
    endings=("/chat", "/api", "/v1"),
    body=_body,
    read=read,
    reader=LineStream,
    framing=JSON_LINES,
)
complete, structured = DIALECT.complete, DIALECT.structured
