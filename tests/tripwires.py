"""The session's trip-wires, as values and one audit hook (see conftest)."""

import ipaddress
import re
import socket
import sys
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

CREDENTIAL = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
FOREIGN = re.compile(r"^(QUORATE_(?!TEST_)|CELERY_|FLOWER_|PG[A-Z]|REDIS_|DATABASE_URL|GIT_)")
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY"})
GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@localhost",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@localhost",
}


class NetworkRefused(OSError):
    """A test tried to leave this machine."""


def make_home() -> Path:
    """A new home directory, short enough for unix sockets below it (107 bytes)."""
    return Path(tempfile.mkdtemp(prefix="qt-", dir="/tmp")).resolve()


def clean_environment(environ: MutableMapping[str, str], home: Path) -> None:
    """Point HOME and XDG_* below `home`; drop credentials, proxies and addresses of servers."""
    for name in [name for name in environ if _belongs_to_the_person(name)]:
        del environ[name]
    folders = {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache"}
    folders |= {"XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": "run"}
    for name, folder in folders.items():
        (home / folder).mkdir(mode=0o700)
        environ[name] = str(home / folder)
    environ["HOME"] = str(home)
    environ["QUORATE_COMPARE_REPLAYS"] = "all"
    environ["QUORATE_DISCOVER"] = "off"  # an agent on a person's PATH must not take part in tests
    environ.update(GIT)


def _belongs_to_the_person(name: str) -> bool:
    upper = name.upper()
    if upper.startswith("QUORATE_TEST_"):
        return False
    return bool(upper in PROXIES or CREDENTIAL.search(upper) or FOREIGN.match(upper))


def is_local(host: object) -> bool:
    """Whether a host as given to the socket module stays on this machine; None and "" do."""
    if host is None:
        return True
    name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
    if name in {"", "localhost", "0.0.0.0", "::", socket.gethostname()}:
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


class NetworkGuard:
    """Refuses connections and name look-ups that leave this machine, and remembers them."""

    def __init__(self) -> None:
        self._refused: list[str] = []

    def install(self) -> None:
        """For the life of the process: an audit hook cannot be removed."""
        sys.addaudithook(self._audit)

    def forget(self) -> list[str]:
        """What was refused since the last call."""
        refused, self._refused = self._refused, []
        return refused

    def _audit(self, event: str, args: tuple[object, ...]) -> None:
        if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
            sock, address = args
            if getattr(sock, "family", None) == socket.AF_UNIX or not isinstance(address, tuple):
                return
            self._check(event, address[0])
        elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
            self._check(event, args[0])

    def _check(self, event: str, host: object) -> None:
        if not is_local(host):
            self._refused.append(f"{event} {host!r}")
            raise NetworkRefused(f"{event} {host!r}: tests use loopback only")
