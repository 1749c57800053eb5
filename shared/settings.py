"""Where the servers are and where a process keeps its own files: from the environment, nothing else.

QUORATE_REDIS_URL      redis-py URL of an existing Redis or Valkey   (together with QUORATE_DATABASE_URL:
QUORATE_DATABASE_URL   SQLAlchemy URL of an existing Postgres         nothing is started)
QUORATE_BROKER_URL     another broker, e.g. amqp://...               (default: QUORATE_REDIS_URL)
QUORATE_INSTANCE       name of the embedded instance                 (default: default)
QUORATE_SERVER_ACCOUNT as root: whom the embedded servers run as     (default: quorate, made if missing)
QUORATE_TURN_SLOTS     turns that one worker process holds at once   (default: 1000)
QUORATE_CONSUMER       how messages are taken from Redis: lean, or celery's own way  (default: lean)
QUORATE_LOG            debug, info, warning                          (default: info in services)
QUORATE_LOG_FORMAT     json, or text for people                      (default: json)
QUORATE_ALLOWED        folder of what workers may run and call      (default: `allowed` in the instance's state;
                       `anything` turns the check off; see shared/allowed.py)
QUORATE_MAX_USD_PER_DAY   what all runs together may cost in a day, UTC   (default: no limit)
QUORATE_ENCRYPTION_KEY_FILE  keys for stored texts, one a line, the first for new ones   (default: none)
QUORATE_WEBHOOK_NETWORKS  private networks that webhooks may reach, like 10.1.0.0/16,127.0.0.1   (default: none)
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path

from shared.errors import ConfigurationError
from shared.instance import Endpoints, Instance

DEFAULT_TURN_SLOTS = 1000
ENCRYPTION_VARIABLE = "QUORATE_ENCRYPTION_KEY_FILE"
KEY_BYTES = 32
BROKERS = ("redis", "rediss", "unix", "redis+socket", "amqp", "amqps", "pyamqp")


@dataclass(frozen=True)
class ServiceSettings:
    """What a process of Quorate must know to find the others."""

    instance: Instance
    external: Endpoints | None
    turn_slots: int = DEFAULT_TURN_SLOTS
    log_level: str = "info"
    log_format: str = "json"
    late_acks: bool = False
    celery_consumer: bool = False
    max_usd_per_day: float | None = None
    webhook_networks: tuple[str, ...] = ()
    encryption_keys: tuple[bytes, ...] = field(default=(), repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> ServiceSettings:
        """Read the settings. Raises ConfigurationError when they contradict one another."""
        return cls(
            instance=Instance.from_environment(environ),
            external=_external(environ),
            turn_slots=_positive(environ, "QUORATE_TURN_SLOTS", DEFAULT_TURN_SLOTS),
            log_level=environ.get("QUORATE_LOG", "info"),
            log_format=_choice(environ, "QUORATE_LOG_FORMAT", ("json", "text")),
            late_acks=_choice(environ, "QUORATE_ACKS", ("none", "late")) == "late",
            celery_consumer=_choice(environ, "QUORATE_CONSUMER", ("lean", "celery")) == "celery",
            max_usd_per_day=_dollars(environ, "QUORATE_MAX_USD_PER_DAY"),
            webhook_networks=_networks(environ, "QUORATE_WEBHOOK_NETWORKS"),
            encryption_keys=_keys(environ, ENCRYPTION_VARIABLE),
        )

    @property
    def endpoints(self) -> Endpoints:
        """The servers' URLs; whether they are up is another question."""
        return self.external or self.instance.endpoints

    @property
    def is_lean(self) -> bool:
        """Whether messages are taken by the lean consumer: it knows Redis' lists only, and acknowledges nothing."""
        on_redis = self.endpoints.broker_url.startswith(("redis", "unix"))
        return on_redis and not self.late_acks and not self.celery_consumer


def _external(environ: Mapping[str, str]) -> Endpoints | None:
    redis_url = environ.get("QUORATE_REDIS_URL")
    database_url = environ.get("QUORATE_DATABASE_URL")
    if not redis_url and not database_url:
        if environ.get("QUORATE_BROKER_URL"):
            raise ConfigurationError(
                "QUORATE_BROKER_URL is set, but QUORATE_REDIS_URL and QUORATE_DATABASE_URL are not: "
                "external servers need both of them."
            )
        return None
    if not redis_url or not database_url:
        missing = "QUORATE_DATABASE_URL" if redis_url else "QUORATE_REDIS_URL"
        raise ConfigurationError(
            "External servers need both URLs: {missing} is missing. Set it, or unset the other to "
            "use the embedded servers.",
            missing=missing,
        )
    if database_url.startswith("postgresql://"):
        database_url = "postgresql+psycopg://" + database_url.removeprefix("postgresql://")
    return Endpoints(
        broker_url=_broker_url(environ.get("QUORATE_BROKER_URL") or redis_url),
        redis_url=redis_url,
        database_url=database_url,
    )


def _broker_url(url: str) -> str:
    """kombu's spelling of a URL: it calls a Redis socket `redis+socket` and its database `virtual_host`."""
    scheme, _, rest = url.partition("://")
    if scheme == "unix":
        path, _, query = rest.partition("?")
        names = (pair.split("=", 1) for pair in query.split("&") if "=" in pair)
        options = "&".join(
            f"{'virtual_host' if name == 'db' else name}={value}" for name, value in names
        )
        return f"redis+socket://{path}" + (f"?{options}" if options else "")
    if scheme not in BROKERS:
        raise ConfigurationError(
            "The broker's URL begins with {scheme!r}: it must be one of {brokers} "
            "(QUORATE_BROKER_URL, else QUORATE_REDIS_URL).",
            scheme=scheme,
            brokers=", ".join(BROKERS),
        )
    return url


def _choice(environ: Mapping[str, str], name: str, words: tuple[str, str]) -> str:
    """The value of a variable that knows two words; the first is its default."""
    value = environ.get(name) or words[0]
    if value not in words:
        raise ConfigurationError(
            "{name} is {value!r}: it must be {words}.",
            name=name,
            value=value,
            words=" or ".join(words),
        )
    return value


def _positive(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name, "")
    if not value:
        return default
    if not value.isdigit() or int(value) < 1:
        raise ConfigurationError(
            "{name} is {value!r}: it must be a whole number from 1.", name=name, value=value
        )
    return int(value)


def _dollars(environ: Mapping[str, str], name: str) -> float | None:
    value = environ.get(name, "")
    if not value:
        return None
    try:
        amount = float(value)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise ConfigurationError(
            "{name} is {value!r}: it must be an amount of US dollars, like 50.",
            name=name,
            value=value,
        )
    return amount


def _networks(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in environ.get(name, "").split(",") if part.strip())
    for each in names:
        try:
            ip_network(each)
        except ValueError as error:
            raise ConfigurationError(
                "{name} names {each!r}: it must be networks like 10.1.0.0/16, parted by commas ({error}).",
                name=name,
                each=each,
                error=error,
            ) from None
    return names


def _keys(environ: Mapping[str, str], name: str) -> tuple[bytes, ...]:
    """The keys of a file that nobody else may read. Raises ConfigurationError, which never repeats a key."""
    if not environ.get(name):
        return ()
    path = Path(environ[name]).expanduser()
    stated = [line.strip() for line in _private_lines(path, name) if not line.startswith("#")]
    keys = [_key(line) for line in stated if line]
    known = tuple(key for key in keys if key is not None)
    if not known or len(known) < len(keys):
        raise ConfigurationError(
            "{name}: {path} must hold keys of {bytes} bytes in base64, one a line: `openssl rand "
            "-base64 32`.",
            name=name,
            path=path,
            bytes=KEY_BYTES,
        )
    return known


def _private_lines(path: Path, name: str) -> list[str]:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
        others = path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigurationError(
            "{name}: {path} cannot be read: {why}.", name=name, path=path, why=why
        ) from None
    if others:
        raise ConfigurationError(
            "{name}: others may read {path}: `chmod 600 {path}`, and think of the keys in it as "
            "known.",
            name=name,
            path=path,
        )
    return lines


def _key(text: str) -> bytes | None:
    try:
        key = b64decode(text, validate=True)
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None
