"""One attempt to deliver: the checked address is the one that is connected to, and every attempt ends in time.

No redirects, no proxy, no second try. A receiver gets `LONGEST_S` for everything, name resolution aside, however
slowly it drips, and no more of its answer than `MOST_BYTES` is read.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import httpcore
import httpx

from orchestrator.webhooks.addresses import (
    PORTS,
    Network,
    ReceiverUrl,
    RefusedAddress,
    Resolver,
    addresses_of,
    read_url,
    resolve,
)
from orchestrator.webhooks.signing import signed_headers
from shared.errors import UserError
from shared.store.webhooks import DeliveryClaim

LONGEST_S = 15.0
MOST_BYTES = 64 * 1024
LONGEST_NOTE = 300


@dataclass(frozen=True)
class DeliveryReceipt:
    """What a receiver answered, or why it did not."""

    status: int | None
    error: str | None = None
    retry_after_s: float | None = None

    @property
    def delivered(self) -> bool:
        """Whether it was accepted."""
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True)
class MessageSender:
    """How messages leave: to which networks besides public ones, and how long each may take."""

    allowed: Sequence[Network] = ()
    longest_s: float = LONGEST_S
    trust: ssl.SSLContext | None = None
    resolver: Resolver = resolve

    def send(self, claim: DeliveryClaim, now: datetime) -> DeliveryReceipt:
        """Deliver once; never raises for what a receiver does."""
        headers: dict[str, str] = {
            "content-type": "application/json",
            "user-agent": "Quorate-Webhooks/1",
            **signed_headers(claim.secret, claim.id, claim.body, now),
        }
        try:
            url = read_url(claim.url)
            addresses = addresses_of(url, self.allowed, self.resolver)
            return self._post(url, addresses, headers, claim.body)
        except (UserError, RefusedAddress) as refusal:
            return DeliveryReceipt(None, _note(str(refusal)))
        except (httpcore.TimeoutException, TimeoutError):
            return DeliveryReceipt(None, f"no answer within {self.longest_s:g} s")
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            OSError,
            TooLarge,
        ) as error:
            return DeliveryReceipt(None, _note(str(error) or type(error).__name__))

    def _post(
        self, url: ReceiverUrl, addresses: Sequence[str], headers: dict[str, str], body: str
    ) -> DeliveryReceipt:
        origin = httpcore.Origin(url.scheme.encode(), url.host.encode(), url.port)
        limits = AttemptLimits(time.monotonic() + self.longest_s)
        context = (self.trust or _public_trust()) if url.scheme == "https" else None
        length = str(len(body.encode()))
        fields = {"host": _host_header(url), **headers, "content-length": length}
        request = httpcore.Request(
            "POST",
            httpcore.URL(scheme=origin.scheme, host=origin.host, port=url.port, target=url.path),
            headers=[(name.encode(), value.encode()) for name, value in fields.items()],
            content=body.encode(),
            extensions={"timeout": dict.fromkeys(("connect", "read", "write"), self.longest_s)},
        )
        backend = PinnedBackend(addresses, limits)
        with httpcore.HTTPConnection(
            origin=origin, ssl_context=context, network_backend=backend
        ) as connection:
            answer = connection.handle_request(request)
            return _receipt(answer)


def _receipt(answer: httpcore.Response) -> DeliveryReceipt:
    """The answer's body is not wanted; what it says of a failure goes no further than its first words."""
    status = answer.status
    if 200 <= status < 300:
        return DeliveryReceipt(status)
    if 300 <= status < 400:
        return DeliveryReceipt(status, f"answered {status}: redirects are not followed")
    after = dict(answer.headers).get(b"retry-after", b"").decode("ascii", "replace")
    wait_s = float(after) if after.isascii() and after.isdigit() and len(after) < 9 else None
    return DeliveryReceipt(status, f"answered {status}", wait_s)


def _host_header(url: ReceiverUrl) -> str:
    host = f"[{url.host}]" if ":" in url.host else url.host
    return host if url.port == PORTS[url.scheme] else f"{host}:{url.port}"


def _note(text: str) -> str:
    return text[:LONGEST_NOTE]


@cache
def _public_trust() -> ssl.SSLContext:
    """The public authorities (or those of SSL_CERT_FILE), and the system's, a company's own among them."""
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


class TooLarge(Exception):
    """A receiver sends more than anyone reads."""


@dataclass
class AttemptLimits:
    """What is left of an attempt's time and bytes."""

    deadline: float
    bytes_left: int = MOST_BYTES

    def left_s(self) -> float:
        """Raises TimeoutError when nothing is left."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def take(self, received: bytes) -> bytes:
        """Count what came. Raises TooLarge."""
        self.bytes_left -= len(received)
        if self.bytes_left < 0:
            raise TooLarge(f"its answer is larger than {MOST_BYTES // 1024} KB")
        return received


@dataclass
class PinnedBackend(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, whatever the name resolves to by now."""

    addresses: Sequence[str]
    limits: AttemptLimits
    plain: httpcore.NetworkBackend = field(default_factory=httpcore.SyncBackend)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """The first address that takes the connection; each gets its share of the time."""
        last: Exception = httpcore.ConnectError(f"{host} has no address")
        for number, address in enumerate(self.addresses):
            share_s = self.limits.left_s() / (len(self.addresses) - number)
            try:
                stream = self.plain.connect_tcp(
                    address, port, share_s, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return LimitedStream(stream, self.limits)
        raise last


@dataclass
class LimitedStream(httpcore.NetworkStream):
    """A stream whose every operation counts against one deadline, whatever httpcore would allow for it."""

    stream: httpcore.NetworkStream
    limits: AttemptLimits

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self.limits.take(self.stream.read(max_bytes, self.limits.left_s()))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self.stream.write(buffer, self.limits.left_s())

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        secured = self.stream.start_tls(ssl_context, server_hostname, self.limits.left_s())
        return LimitedStream(secured, self.limits)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)
