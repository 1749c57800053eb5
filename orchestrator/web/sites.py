"""Under which names the service is reached: the Host and Origin headers that mean it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from shared.errors import UserError
from shared.patterns import regex

LOOPBACK = "127.0.0.1"
_NAME = regex(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\]")
_PORT = regex(r"[0-9]{1,5}")


@dataclass(frozen=True)
class ServedSite:
    """The port of the loopback interface, and further names, each of which stands for any port."""

    port: int
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, host: str, port: int, allowed: Iterable[str] = ()) -> ServedSite:
        """The site that listens on `host`; `allowed` are the names that a proxy is known by. Raises UserError."""
        names = {name.strip().lower() for name in allowed}
        if wrong := sorted(name for name in names if _NAME.fullmatch(name) is None):
            raise UserError(
                "{wrong} is no host name: give names as browsers show them, without https:// and port",
                wrong=", ".join(wrong),
            )
        if not is_loopback(host) and not _is_wildcard(host):
            names.add(f"[{host}]".lower() if ":" in host else host.lower())
        return cls(port, frozenset(names))

    def is_host(self, host: str) -> bool:
        """Whether a Host header means us."""
        host = host.lower()
        own = (LOOPBACK, "localhost", "[::1]")
        # The port of a scheme's own is not sent (RFC 9110, 7.2).
        if host in (f"{name}:{self.port}" for name in own) or (self.port == 80 and host in own):
            return True
        name, colon, port = host.rpartition(":")
        with_port = bool(colon) and name in self.names and _PORT.fullmatch(port) is not None
        return host in self.names or with_port

    def is_origin(self, origin: str) -> bool:
        """Whether an Origin header names a page of ours; a proxy may add TLS to its own names only."""
        scheme, _, host = origin.lower().partition("://")
        if scheme == "http":
            return self.is_host(host)
        return scheme == "https" and ServedSite(-1, self.names).is_host(host)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
