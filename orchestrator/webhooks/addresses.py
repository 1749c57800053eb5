"""Which addresses a message may be sent to: public ones, and those that the configuration names.

A webhook's URL is typed by one person and called by a server inside the network: without this it would reach the
cloud's metadata service, the database next door, and everything else that trusts its neighbours (SSRF).
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from shared.errors import UserError
from shared.sentences import Sentence

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolver = Callable[[str, int], list[str]]
LONGEST_URL = 2_000
PORTS = {"https": 443, "http": 80}
SETTING = "QUORATE_WEBHOOK_NETWORKS"
# RFC 6052: the last 32 bits of these are an IPv4 address that a translator calls.
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


class RefusedAddress(Exception):
    """A host has an address that nothing may be sent to, or none at all."""


@dataclass(frozen=True)
class ReceiverUrl:
    """A webhook's URL, checked as far as its text goes."""

    scheme: str
    host: str
    port: int
    path: str


def read_url(url: str) -> ReceiverUrl:
    """The parts of a webhook's URL. Raises UserError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        name = host if host.isascii() else host.encode("idna").decode()
    except (ValueError, UnicodeError) as error:
        raise UserError("{url!r} is not a URL: {error}.", url=_shown(url), error=error) from None
    if fault := next((text for text, applies in _faults(url, parts) if applies), None):
        raise UserError(
            "The URL {url!r} cannot be a webhook's: {fault}.", url=_shown(url), fault=fault
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return ReceiverUrl(parts.scheme, name, port or PORTS[parts.scheme], path)


def _faults(url: str, parts: SplitResult) -> Iterator[tuple[str, bool]]:
    yield "it must begin with https:// (or http://)", parts.scheme not in PORTS
    yield "it names no host", not parts.hostname
    yield "it must not carry a user name or a password", parts.username is not None
    yield "it must have no part after #", "#" in url
    yield Sentence("it is longer than {most} characters", most=LONGEST_URL), len(url) > LONGEST_URL
    plain = (parts.path + parts.query).isascii() and url.isprintable() and " " not in url
    yield "it has blanks or characters that must be percent-encoded", not plain


def _shown(url: str) -> str:
    """Of a URL with a password only what comes after it."""
    return url.rpartition("@")[2][:200]


def read_networks(names: Sequence[str]) -> tuple[Network, ...]:
    """The networks that the configuration allows. Raises ValueError."""
    return tuple(ip_network(name) for name in names)


def resolve(host: str, port: int) -> list[str]:
    """What the system's resolver knows of a host. Raises OSError, UnicodeError."""
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def addresses_of(
    url: ReceiverUrl, allowed: Sequence[Network], resolver: Resolver = resolve
) -> list[str]:
    """The addresses to connect to, all of them checked. Raises RefusedAddress."""
    try:
        addresses = resolver(url.host, url.port)
    except (OSError, UnicodeError) as error:
        raise RefusedAddress(
            Sentence("the host {host} has no address: {error}", host=url.host, error=str(error))
        ) from None
    for text in addresses:
        _check(url, ip_address(text), allowed)
    return addresses


def _check(url: ReceiverUrl, address: Address, allowed: Sequence[Network]) -> None:
    if any(address in network for network in allowed):
        return
    if not all(each.is_global and not each.is_multicast for each in _meant(address)):
        raise RefusedAddress(
            Sentence(
                "{host} is {address}, which is not a public address: an operator can allow its network with {setting}",
                host=url.host,
                address=str(address),
                setting=SETTING,
            )
        )
    if url.scheme != "https":
        raise RefusedAddress(
            Sentence(
                "http:// to the public address {address}: use https://, or allow its network with {setting}",
                address=str(address),
                setting=SETTING,
            )
        )


def _meant(address: Address) -> Iterator[Address]:
    """An address, and the IPv4 address that it stands for."""
    yield address
    if isinstance(address, IPv4Address):
        return
    if address.scope_id:
        yield IPv6Address("fe80::")
    if any(address in network for network in _NAT64):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    candidates = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    yield from (each for each in candidates if each is not None)
