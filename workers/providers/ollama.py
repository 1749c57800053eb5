"""Ollama's own chat protocol: models on one's own machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import JsonValue

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.locality import is_hosted
from workers.providers.calls import Cancelled, Completion, Finish, ProviderCall, ended
from workers.providers.http.converse import JSON_LINES, Dialect, Quirks, converse, json_request
from workers.providers.http.events import cut_off
from workers.providers.http.options import SchemaOptions, model_of, options_of
from workers.providers.http.payload import Payload, count, part, text, unreadable
from workers.providers.http.transport import HttpRequest
from workers.providers.prices import priced

BASE_URL = "http://127.0.0.1:11434"
_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}
_OWN_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})
_CHARS_PER_TOKEN = 3
# What no text goes below: a prompt that is longer by this count is longer by every other.
_MOST_CHARS_PER_TOKEN = 5
_MOST_WIDE_PER_TOKEN = 2
_SMALLEST_CONTEXT = 8192


class Options(SchemaOptions):
    """`num_ctx`: the model's window in tokens.

    Without `num_ctx` a window that holds prompt and answer is asked for: Ollama's own is 4,096
    tokens and it silently drops what does not fit. For the same reason nothing is sent that cannot fit into `num_ctx`.
    """

    num_ctx: int | None = None
    keep_alive: str | None = None


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """Ask the server once. Raises ProviderError."""
    return converse(DIALECT, call, cancel)


def structured(participant: Participant) -> bool:
    """True when the schema is sent as format."""
    return options_of(participant, Options).json_schema


def build(call: ProviderCall, quirks: Quirks) -> HttpRequest:
    """The request. Raises ProviderError for a missing model and for bad options."""
    del quirks
    options = options_of(call.participant, Options)
    _check_fits(call, options.num_ctx)
    key = options.key(call.participant.name, None)
    headers = {} if key is None else {"authorization": f"Bearer {key.reveal()}"}
    url = f"{options.address(BASE_URL, '/chat', '/api', '/v1')}/api/chat"
    return json_request(call, options, url, _body(call, options), headers)


def _body(call: ProviderCall, options: Options) -> Payload:
    messages: list[JsonValue] = [
        {"role": message.role, "content": message.text} for message in call.messages
    ]
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


class Reader:
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
    name = text(last.get("model")) or call.participant.model or ""
    # Older servers give no reason for an ordinary end. What is not done has none, whatever it says.
    reason = last.get("done_reason")
    stated = "stop" if reason in (None, "") else text(reason)
    finish = stated if last.get("done") is True else ""
    return Completion(
        text=whole,
        usage=_with_cost(usage, call, name),
        finish_reason=ended(_FINISH, finish),
        model=name,
    )


def _with_cost(usage: Usage, call: ProviderCall, model: str) -> Usage:
    """One's own machine sends no bill; a hosted model has a price or an unknown one."""
    host = urlsplit(str(call.participant.options.get("base_url") or BASE_URL)).hostname or ""
    if host in _OWN_MACHINE and not is_hosted(model) and "price" not in call.participant.options:
        return usage.model_copy(update={"cost_usd": 0.0})
    return priced(usage, call.participant, model, BASE_URL)


DIALECT = Dialect(build=build, read=read, reader=Reader, framing=JSON_LINES)
