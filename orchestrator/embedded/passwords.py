"""The servers' password: one random word an instance, in a file that only its owner can read.

The servers themselves get what can be derived from it and not the other way round: a hash for Redis, a SCRAM
verifier for Postgres. With 256 random bits neither can be guessed, so it does no harm that a command line, a log
or another process of the servers' account shows them.
"""

import hashlib
import hmac
import os
import secrets
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path

from shared.folders import os_error_as_fault
from shared.instance import Instance

_BITS = 256
_ITERATIONS = 4096
"""What Postgres takes; more would protect words that people think of."""


def make_password(instance: Instance) -> str:
    """The instance's password, which is made if need be: whole and ours alone (0600).

    Raises EnvironmentFault if the disk refuses. Call it under the instance's lock.
    """
    file = instance.password_file
    with os_error_as_fault("write", file):
        if known := instance.password:
            file.chmod(0o600)
            return known
        password = secrets.token_hex(_BITS // 8)
        replace_private(file, password + "\n")
    return password


def replace_private(file: Path, text: str, owner: tuple[int, int] | None = None) -> None:
    """Write `file` whole or not at all, 0600; `owner` is the uid and gid that get it.

    Never through a link: root writes into folders whose account may have planted one.
    """
    scratch = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
            if owner:
                os.fchown(stream.fileno(), *owner)
            stream.flush()
            os.fsync(stream.fileno())
        scratch.replace(file)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def redis_user(password: str) -> tuple[str, ...]:
    """The words of Redis's ACL rule for its only user, who may do everything after AUTH."""
    digest = hashlib.sha256(password.encode()).hexdigest()
    return ("default", "on", f"#{digest}", "~*", "&*", "+@all")


def postgres_verifier(password: str) -> str:
    """What Postgres stores for a password (RFC 5803): it can check a login and not make one."""
    salt = secrets.token_bytes(16)
    keys = _Keys.of(password, salt, _ITERATIONS)
    stored, server = b64encode(keys.stored).decode(), b64encode(keys.server).decode()
    return f"SCRAM-SHA-256${_ITERATIONS}:{b64encode(salt).decode()}${stored}:{server}"


class ScramClient:
    """One login by SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding."""

    MECHANISM = "SCRAM-SHA-256"

    def __init__(self, password: str) -> None:
        self._password = password
        # Postgres takes the name from its start-up packet and ignores this one.
        self._first_bare = f"n=,r={secrets.token_urlsafe(18)}"
        self._expected = b""

    @property
    def first(self) -> bytes:
        """The first message."""
        return f"n,,{self._first_bare}".encode()

    def answer(self, challenge: bytes) -> bytes:
        """The last message. Raises ValueError for a challenge that is none, or not for us."""
        fields = _fields(challenge)
        nonce, salt, rounds = fields["r"], b64decode(fields["s"]), int(fields["i"])
        if not nonce.startswith(self._first_bare.partition("r=")[2]):
            raise ValueError("the challenge answers somebody else")
        keys = _Keys.of(self._password, salt, rounds)
        without_proof = f"c=biws,r={nonce}"
        signed = f"{self._first_bare},{challenge.decode()},{without_proof}".encode()
        self._expected = _hmac(keys.server, signed)
        mask = _hmac(keys.stored, signed)
        proof = bytes(a ^ b for a, b in zip(keys.client, mask, strict=True))
        return f"{without_proof},p={b64encode(proof).decode()}".encode()

    def is_answered_by(self, final: bytes) -> bool:
        """Whether the server knows the password, too."""
        return hmac.compare_digest(b64decode(_fields(final).get("v", "")), self._expected)


@dataclass(frozen=True, slots=True)
class _Keys:
    client: bytes
    stored: bytes
    server: bytes

    @classmethod
    def of(cls, password: str, salt: bytes, iterations: int) -> "_Keys":
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)
        client = _hmac(salted, b"Client Key")
        return cls(client, hashlib.sha256(client).digest(), _hmac(salted, b"Server Key"))


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _fields(message: bytes) -> dict[str, str]:
    pairs = (field.partition("=") for field in message.decode().split(","))
    return {name: value for name, _, value in pairs}
