"""One exchange with an HTTP provider: send, wait shortly where that helps, read, name faults."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlencode

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.catalogue import ProviderType
from shared.providers.keys import header_sources, own_key_source
from shared.providers.options import HttpOptions
from shared.providers.prices import priced
from workers.providers.calls import Cancelled, Completion, Finish, ProviderCall
from workers.providers.credentials import key_from, redact
from workers.providers.guard import Guard
from workers.providers.http.events import json_line_payloads, sse_payloads
from workers.providers.http.payload import Payload, parse_payload
from workers.providers.http.statuses import ErrorBody, error_in, error_of, read_error
from workers.providers.http.transport import HttpRequest, HttpStream, HttpTransport, transport
from workers.providers.options import options_of

MAX_TRIES = 3
SHORT_WAIT_S = 5.0
_FIRST_WAIT_S = 0.5
_MAX_QUIRKS = 4

# Statuses after which the same call may be sent again at once: nothing was computed for them. Not 429 and 529: they
# are about the account, so the limiter has to hear of them at once, and every worker through it.
_AGAIN = frozenset({409, 500, 502, 503})

Quirks = frozenset[str]
HttpOption = TypeVar("HttpOption", bound=HttpOptions)


class StreamReader(Protocol):
    """Collects one streamed answer."""

    def feed(self, event: Payload) -> str:
        """Take the next event; the new piece of text. Raises ProviderError for an error event."""

    def completion(self) -> Completion:
        """The whole answer. Raises ProviderError when the closing event never came."""


@dataclass(frozen=True, slots=True)
class Dialect(Generic[HttpOption]):
    """A wire protocol; satisfies the provider's protocol.

    `path` is where it is called below its address, of which `endings` are dropped: people copy them along. `body`
    makes the request's (streamed when the call is watched), leaving out what the endpoint is known to refuse
    (`quirks`); `read` turns the answer's JSON into a completion; `reader` does so for a stream (None: it sends
    none); `quirk` names what a 400 complains about, None when that cannot be fixed.
    """

    row: ProviderType
    options: type[HttpOption]
    path: Callable[[ProviderCall], str]
    body: Callable[[ProviderCall, HttpOption, Quirks], Payload]
    read: Callable[[Payload, ProviderCall], Completion]
    reader: Callable[[ProviderCall], StreamReader] | None = None
    quirk: Callable[[ErrorBody], str | None] = lambda _: None
    framing: Callable[[Iterable[bytes], str], Iterator[Payload]] = sse_payloads
    endings: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Ask the endpoint once. Raises ProviderError."""
        return converse(self, call, cancel)

    def structured(self, participant: Participant) -> bool:
        """True when the reply's schema is sent as the provider's own structured output."""
        return options_of(participant, self.options).holds_schema

    def build(self, call: ProviderCall, quirks: Quirks) -> HttpRequest:
        """The request. Raises ProviderError for a missing key, model or secret header and for bad options."""
        options = options_of(call.participant, self.options)
        body = self.body(call, options, quirks) | options.extra_body
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        named = {"content-type": "application/json", "x-client-request-id": request_id(call)}
        return self.request(call.participant, "POST", self.path(call), content, named)

    def request(
        self,
        participant: Participant,
        method: str,
        path: str,
        body: bytes,
        named: Mapping[str, str],
    ) -> HttpRequest:
        """A request to the participant's address, with its key and headers. Raises ProviderError as `build` does."""
        options = options_of(participant, self.options)
        secret = _secret_headers(participant.name, self.row, options)
        headers = dict(named) | {name.lower(): value for name, value in options.headers.items()}
        headers |= {**self.headers, **secret}
        url = options.address(self.row.address or "", *self.endings) + path
        if options.query:
            url = f"{url}{'&' if '?' in url else '?'}{urlencode(options.query)}"
        # A header's value as a whole, and without the word that says what it is (`Bearer`).
        secrets = (text for value in secret.values() for text in (value, value.split(" ")[-1]))
        return HttpRequest(url, headers, body, method, secrets=tuple(dict.fromkeys(secrets)))


def _secret_headers(participant: str, row: ProviderType, options: HttpOptions) -> dict[str, str]:
    """The headers whose values are held elsewhere, asked for now; the key goes into the provider's own."""
    own, name = own_key_source(row, options), options.key_header or row.key_header
    key = None if own is None else key_from(participant, own)
    secret = {}
    if key is not None:
        secret[name] = f"Bearer {key.reveal()}" if name == "authorization" else key.reveal()
    for source in header_sources(options):
        value = key_from(participant, source)
        if source.header is not None and value is not None:
            secret[source.header.lower()] = value.reveal()
    return secret


def completion_of(
    row: ProviderType,
    call: ProviderCall,
    text: str,
    finish: Finish,
    model: str,
    usage: Usage,
    *,
    cache_write_tokens: int | None = None,
    charged_usd: float | None = None,
) -> Completion:
    """What an answer brought, with its price."""
    name = model or call.participant.model or ""
    cost = priced(usage, call.participant, name, row, cache_write_tokens, charged_usd)
    return Completion(text=text, usage=cost, finish_reason=finish, model=name)


JSON_LINES = json_line_payloads

# What endpoints were found to refuse, by (url, model): learned once per process.
_learned: dict[tuple[str, str | None], Quirks] = {}


def converse(
    dialect: Dialect[Any], call: ProviderCall, cancel: Cancelled, way: HttpTransport | None = None
) -> Completion:
    """Ask once, at most MAX_TRIES times where the provider did nothing. Raises ProviderError."""
    guard = Guard.of(call, cancel)
    way = way or transport()
    tries = 0
    while True:
        quirks = quirks_of(call)
        request = dialect.build(call, quirks)
        with way.open(request, guard) as response:
            if response.status == 200:
                return _completion(dialect, call, request, response)
            error = read_error(b"".join(response.chunks()))
        if learn(dialect, call, response.status, error, quirks):
            continue
        tries += 1
        failure = _failure(guard.participant, request, response, error)
        wait_s = _wait_s(tries, failure.retry_after_s)
        again = response.status in _AGAIN and failure.retryable and tries < MAX_TRIES
        if not again or wait_s > min(SHORT_WAIT_S, guard.remaining_s()):
            raise failure
        guard.pause(wait_s)


def _failure(
    participant: str, request: HttpRequest, response: HttpStream, error: ErrorBody
) -> ProviderError:
    failure = error_of(participant, response.status, response.headers, error, request.secrets)
    if response.status == 404 and failure.kind is FailureKind.BAD_REQUEST:
        failure.args = (f"{failure} ({request.url.partition('?')[0]})",)
    return failure


def quirks_of(call: ProviderCall) -> Quirks:
    """What the call's endpoint is known to refuse."""
    return _learned.get(_endpoint(call), frozenset())


def _endpoint(call: ProviderCall) -> tuple[str, str | None]:
    where = call.participant.options.get("base_url") or call.participant.provider
    return (str(where), call.participant.model)


def learn(
    dialect: Dialect[Any], call: ProviderCall, status: int, error: ErrorBody, known: Quirks
) -> bool:
    """Remember what its endpoint refuses: True when the request can be fixed and sent again."""
    quirk = dialect.quirk(error) if status in (400, 422) else None
    if quirk is None or quirk in known or len(known) >= _MAX_QUIRKS:
        return False
    _learned[_endpoint(call)] = known | {quirk}
    return True


def _completion(
    dialect: Dialect[Any], call: ProviderCall, request: HttpRequest, response: HttpStream
) -> Completion:
    limits = {name: text for name, text in response.headers.items() if "ratelimit" in name}
    kind = response.headers.get("content-type", "")
    # Some servers stream when a whole answer was asked for, and the other way round.
    streamed = "event-stream" in kind or (call.watch is not None and "application/json" not in kind)
    if dialect.reader is not None and streamed:
        raw: list[bytes] = []
        payloads = dialect.framing(_kept(response.chunks(), raw), call.participant.name)
        completion = read_events(dialect, call, payloads, request.secrets)
        body = b"".join(raw)
    else:
        body = b"".join(response.chunks())
        completion = read_body(dialect, call, body, response.headers, request.secrets)
    return dataclasses.replace(
        completion, model=completion.model or call.participant.model, raw=body, limits=limits
    )


def _kept(chunks: Iterable[bytes], raw: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        raw.append(chunk)
        yield chunk


def read_body(
    dialect: Dialect[Any],
    call: ProviderCall,
    body: bytes,
    headers: Mapping[str, str],
    secrets: Iterable[str] = (),
) -> Completion:
    """A whole answer with status 200. Raises ProviderError."""
    payload = parse_payload(body, call.participant.name)
    failure = error_in(call.participant.name, payload, headers, secrets)
    if failure is not None:
        raise failure
    with _hidden(secrets):
        return dialect.read(payload, call)


def read_events(
    dialect: Dialect[Any],
    call: ProviderCall,
    payloads: Iterable[Payload],
    secrets: Iterable[str] = (),
) -> Completion:
    """A streamed answer, each piece shown to anyone who watches. Raises ProviderError."""
    assert dialect.reader is not None
    reader = dialect.reader(call)
    begun = False
    for payload in payloads:
        failure = error_in(call.participant.name, payload, {}, secrets)
        if failure is not None:
            failure.charged = begun
            raise failure
        with _hidden(secrets):
            piece = reader.feed(payload)
        begun = begun or bool(piece)
        if piece and call.watch is not None:
            call.watch(piece)
    with _hidden(secrets):
        return reader.completion()


@contextlib.contextmanager
def _hidden(secrets: Iterable[str]) -> Iterator[None]:
    """Keep the secrets out of what a dialect raises: a gateway may repeat a header in its error."""
    try:
        yield
    except ProviderError as error:
        error.args = (redact(str(error), secrets),)
        raise


def request_id(call: ProviderCall) -> str:
    """A name for this call that says nothing: equal for equal step, attempt and call number."""
    text = f"{call.step}\n{call.attempt}\n{call.number}"
    return f"quorate-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _wait_s(tries: int, asked_s: float | None) -> float:
    spread = random.random()  # noqa: S311 - jitter, not a secret
    if asked_s is not None:
        return asked_s + min(asked_s, 1.0) * 0.2 * spread
    return _FIRST_WAIT_S * (1 << (tries - 1)) * (1 + spread)
