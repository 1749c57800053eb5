"""What a provider's batch API is to the courier, and the way to it."""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, cast

from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.text.bounded_json import loads
from workers.providers.calls import Cancelled, ProviderCall
from workers.providers.guard import Guard
from workers.providers.http.converse import Dialect
from workers.providers.http.payload import Payload, parse_payload, unreadable
from workers.providers.http.statuses import error_of, read_error
from workers.providers.http.transport import HttpRequest, HttpTransport

REQUEST_S = 120.0
RESULTS_S = 900.0
LARGEST_ANSWER = 512 * 1024 * 1024
_NAME = re.compile(r"[\w.:-]{1,200}(?:/[\w.:-]{1,200})?")
_LINE_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One call of a batch: its `custom_id` and the body that a single call would have."""

    id: str
    body: Payload = field(repr=False)


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What came of one call: an answer (status 200), an error's body (a status from 400 on), or nothing at all.

    With status 0 the provider did nothing: `why` is `expired` or `canceled`. Without an `id` that is so for all calls
    that no other result names.
    """

    id: str
    status: int
    body: Payload = field(default_factory=dict, repr=False)
    why: str = ""


@dataclass(frozen=True, slots=True)
class SoughtBatch:
    """A batch that was perhaps posted, not before `since`; `known` are the provider's names of others."""

    id: str
    calls: frozenset[str]
    known: frozenset[str]
    since: datetime


@dataclass(frozen=True)
class BatchAccess:
    """The way to a provider's batch API with one participant's address and key."""

    dialect: Dialect[Any]
    participant: Participant
    way: HttpTransport
    cancel: Cancelled

    def ask(self, method: str, path: str, body: Payload | None = None) -> Payload:
        """One exchange. Raises ProviderError; `charged` is True where the request may have been taken all the same."""
        content = (
            b"" if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        )
        named = {} if body is None else {"content-type": "application/json"}
        return self.exchange(method, path, content, named)

    def exchange(self, method: str, path: str, content: bytes, named: Mapping[str, str]) -> Payload:
        """The same with a body that is no JSON."""
        request = self.dialect.request(self.participant, method, path, content, named)
        guard = Guard(self.participant.name, REQUEST_S, self.cancel)
        response = self.way.send(request, guard)
        if response.status not in (200, 201, 202, 204):
            raise self._failure(request, response.status, response.headers, response.body)
        return parse_payload(response.body or b"{}", self.participant.name)

    def delete(self, path: str) -> None:
        """Delete something at the provider; what is gone already counts as deleted. Raises ProviderError."""
        try:
            self.ask("DELETE", path)
        except ProviderError as error:
            if error.kind is not FailureKind.BAD_REQUEST:
                raise

    def lines(self, path: str) -> Iterator[Payload]:
        """The objects of a JSON Lines file, read as they come. Raises ProviderError."""
        request = self.dialect.request(self.participant, "GET", path, b"", {})
        guard = Guard(self.participant.name, RESULTS_S, self.cancel)
        with self.way.open(request, guard) as response:
            if response.status != 200:
                body = b"".join(response.chunks())
                raise self._failure(request, response.status, response.headers, body)
            rest = b""
            for chunk in response.chunks():
                *whole, rest = (rest + chunk).split(b"\n")
                yield from self._objects(whole)
                if len(rest) > _LINE_LIMIT:
                    raise unreadable(self.participant.name, "has a line without an end")
            yield from self._objects([rest])

    def _objects(self, lines: Sequence[bytes]) -> Iterator[Payload]:
        for line in lines:
            if not line.strip():
                continue
            try:
                value: JsonValue = loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise unreadable(self.participant.name, "has a line that is no JSON object")
            yield value

    def _failure(
        self, request: HttpRequest, status: int, headers: Mapping[str, str], body: bytes
    ) -> ProviderError:
        return error_of(self.participant.name, status, headers, read_error(body), request.secrets)

    def named(self, value: JsonValue) -> str:
        """A provider's name for a batch or a file, which becomes a part of addresses. Raises ProviderError."""
        if isinstance(value, str) and _NAME.fullmatch(value) and ".." not in value:
            return value
        raise unreadable(self.participant.name, "names its batch in a way that cannot be used")

    @property
    def call(self) -> ProviderCall:
        """A call of the participant, as far as readers of answers want one."""
        return blank_call(self.participant)


def blank_call(participant: Participant) -> ProviderCall:
    """A call of which only the participant is known."""
    return ProviderCall(participant=participant, role="", round=0, reply_model="", step="")


class BatchService(Protocol):
    """A batch API. Every method raises ProviderError."""

    def create(self, access: BatchAccess, batch: str, requests: Sequence[BatchEntry]) -> str:
        """Post a batch of ours of that name; the provider's name for it."""

    def results(self, access: BatchAccess, remote: str) -> Iterator[BatchResult] | None:
        """What came of the calls, in any order; None while the provider works on them."""

    def find(self, access: BatchAccess, sought: SoughtBatch) -> str | None:
        """The provider's name of a batch that was perhaps posted; None when it was not.

        Raises ProviderError (overloaded, retryable) while that cannot be said.
        """

    def cancel(self, access: BatchAccess, remote: str) -> None:
        """Ask the provider to stop; results of what it did come as usual."""

    def forget(self, access: BatchAccess, remote: str) -> None:
        """Delete at the provider what was sent and answered."""


@dataclass(frozen=True)
class BatchProtocol:
    """A service with what it holds in one batch; `dialect` is that of its single calls."""

    dialect: Dialect[Any]
    service: BatchService
    most_calls: int
    most_bytes: int


_MODULES = {
    "anthropic": "workers.providers.batches.anthropic",
    "gemini": "workers.providers.batches.gemini",
    "openai": "workers.providers.batches.openai",
    "openai-responses": "workers.providers.batches.openai",
}


@functools.cache
def load_batches(provider: str) -> BatchProtocol | None:
    """The batch API of a provider, imported now; None where it has none."""
    module = _MODULES.get(provider)
    if module is None:
        return None
    return cast(BatchProtocol, importlib.import_module(module).BATCHES[provider])


@functools.lru_cache(maxsize=1)
def _way(pid: int) -> HttpTransport:
    del pid  # a forked child must not share its parent's sockets
    return HttpTransport(max_bytes=LARGEST_ANSWER)


def way_to_batches() -> HttpTransport:
    """This process's transport for batches: their answers are larger than those of calls."""
    return _way(os.getpid())


def not_to_be_said(participant: str, why: str) -> ProviderError:
    """The error of `find` while the provider's answer does not tell."""
    return ProviderError(FailureKind.OVERLOADED, f"{participant}: {why}", retryable=True)
