"""Texts at rest under the operator's key (docs/design/data.md): sealed on their way in, opened on their way out.

A connection carries the keys. What is written goes through `seal_bytes`, `seal_json` and `seal_text`; what is read is
opened by the driver's own loaders, wherever in a value a sealed text stands, so no statement and no reader knows.
Without keys nothing is registered and nothing is touched.

    documents       QENC1, id of the key, a key of its own sealed with that key, the content sealed with its own key
    other texts     quorate:sealed:<base64url of the id of the key, a nonce, the text sealed with the key>

AES-256-GCM throughout. A key's id is the beginning of its SHA-256. The first key seals, all of them open.
"""

from __future__ import annotations

import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import psycopg
from psycopg.adapt import Loader
from psycopg.types.string import ByteaLoader
from pydantic_core import from_json, to_json

from shared.errors import ConfigurationError, EnvironmentFault
from shared.patterns import regex
from shared.sentences import Sentence

KEY_BYTES = 32
MAGIC = b"QENC1"
MARK = "quorate:sealed:"
_ID = 8
_NONCE = 12
_WRAPPED = _NONCE + KEY_BYTES + 16
_HEAD = len(MAGIC) + _ID
_MARK = MARK.encode()
_SEALED = regex(rb"quorate:sealed:([A-Za-z0-9_-]{48,}={0,2})")
_PLAIN = regex(r"[\w./:#@+-]{0,64}", flags=256)  # re.ASCII

_TEXT_FIELDS = frozenset(
    "answer claim comment content description detail evidence message persona question quote reason statement "
    "suggestion summary text title".split()
)
"""Fields that are sealed whatever they hold."""
_OPEN_FIELDS = frozenset("choice id labels name only options raised_by selectable".split())
"""Fields by which rows are found or that statements compare; all below them stays as it is."""


def key_id(key: bytes) -> str:
    """How a key is called where it was used: the beginning of its SHA-256."""
    return hashlib.sha256(key).hexdigest()[: 2 * _ID]


class Sealer:
    """Seals with the first key and opens with any; without keys it changes nothing."""

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        """Each key has 32 bytes."""
        self._keys = {bytes.fromhex(key_id(key)): key for key in keys}
        self.ids = tuple(key.hex() for key in self._keys)

    @property
    def is_on(self) -> bool:
        """Whether texts are sealed."""
        return bool(self._keys)

    def seal(self, content: bytes) -> bytes:
        """A document as it is stored."""
        if not self._keys:
            return content
        name = next(iter(self._keys))
        own = os.urandom(KEY_BYTES)
        head = MAGIC + name
        wrapped = self._encrypted(self._ciphers[name], own, head)
        return head + wrapped + self._encrypted(_cipher(own), content, head)

    def open(self, stored: bytes) -> bytes:
        """A document as it was. What no key of ours sealed is given as it is; raises EnvironmentFault for damage."""
        name = stored[len(MAGIC) : _HEAD]
        if not stored.startswith(MAGIC) or name not in self._keys:
            return stored
        head, rest = stored[:_HEAD], stored[_HEAD:]
        own = self._decrypted(self._ciphers[name], rest[:_WRAPPED], head)
        return self._decrypted(_cipher(own), rest[_WRAPPED:], head)

    def seal_text(self, text: str) -> str:
        """Any text as it is stored in a column or a value of JSON."""
        if not self._keys or not text:
            return text
        name = next(iter(self._keys))
        sealed = self._encrypted(self._ciphers[name], text.encode(errors="surrogatepass"), name)
        return MARK + urlsafe_b64encode(name + sealed).decode()

    def open_texts(self, stored: bytes, *, in_json: bool) -> bytes:
        """A value with all sealed texts that stand in it opened; `in_json`: each as the inside of a string of JSON."""
        return _SEALED.sub(partial(self._opened, in_json=in_json), stored)

    def _opened(self, found: Any, *, in_json: bool) -> bytes:
        try:
            sealed = urlsafe_b64decode(found[1])
        except ValueError:
            return bytes(found[0])
        name = sealed[:_ID]
        if name not in self._keys:
            return bytes(found[0])
        text = self._decrypted(self._ciphers[name], sealed[_ID:], name)
        return to_json(text.decode(errors="surrogatepass"))[1:-1] if in_json else text

    def seal_value(self, value: Any, field: str = "") -> Any:
        """A value of JSON with its texts sealed: what has blanks, is long, or stands in a field for texts."""
        match value:
            case str():
                plain = field not in _TEXT_FIELDS and _PLAIN.fullmatch(value) and MARK not in value
                return value if plain else self.seal_text(value)
            case list():
                return [self.seal_value(inner, field) for inner in value]
            case dict():
                return {
                    name: inner if name in _OPEN_FIELDS else self.seal_value(inner, name)
                    for name, inner in value.items()
                }
            case _:
                return value

    @cached_property
    def loaders(self) -> dict[str, type[Loader]]:
        """By the names of Postgres's types, what the driver reads them with."""
        return _loaders(self)

    @cached_property
    def _ciphers(self) -> dict[bytes, Any]:
        return {name: _cipher(key) for name, key in self._keys.items()}

    @staticmethod
    def _encrypted(cipher: Any, content: bytes, bound_to: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        return bytes(nonce + cipher.encrypt(nonce, content, bound_to))

    @staticmethod
    def _decrypted(cipher: Any, sealed: bytes, bound_to: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return bytes(cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], bound_to))
        except (InvalidTag, ValueError):
            raise EnvironmentFault(
                "a stored text cannot be decrypted: it is damaged, or another key of the same name sealed it"
            ) from None


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise ConfigurationError(
            "encryption needs the extra `encryption`: pip install 'quorate[encryption]'"
        ) from None
    return AESGCM(key)


PLAIN = Sealer()


def sealer_of(connection: psycopg.Connection[Any]) -> Sealer:
    """What seals the texts that are written on this connection."""
    return getattr(connection, "sealer", PLAIN)


def seal_bytes(connection: psycopg.Connection[Any], contents: Sequence[bytes]) -> Sequence[bytes]:
    """Documents as they are stored."""
    sealer = sealer_of(connection)
    return [sealer.seal(content) for content in contents] if sealer.is_on else contents


def seal_json(connection: psycopg.Connection[Any], text: str) -> str:
    """JSON as it is stored."""
    sealer = sealer_of(connection)
    return to_json(sealer.seal_value(from_json(text))).decode() if sealer.is_on else text


def seal_text(connection: psycopg.Connection[Any], text: str | None) -> str | None:
    """A text that is a column of its own, as it is stored."""
    return text if text is None else sealer_of(connection).seal_text(text)


def open_on(connection: psycopg.Connection[Any], sealer: Sealer) -> None:
    """Let the driver open what is read on this connection."""
    if sealer.is_on:
        for kind, loader in sealer.loaders.items():
            connection.adapters.register_loader(kind, loader)


def _loaders(sealer: Sealer) -> dict[str, type[Loader]]:
    class SealedBytes(ByteaLoader):
        """Opens documents."""

        def load(self, data: Any) -> bytes:
            return sealer.open(super().load(bytes(data)))

    class SealedTexts(Loader):
        """Opens texts in columns of their own, and those in JSON that is read as text."""

        def load(self, data: Any) -> str:
            value = bytes(data)
            if _MARK in value:
                value = sealer.open_texts(value, in_json=value[:1] in (b"{", b"["))
            return value.decode()

    class SealedJson(Loader):
        """Opens texts anywhere in JSON."""

        def load(self, data: Any) -> Any:
            value = bytes(data)
            return from_json(sealer.open_texts(value, in_json=True) if _MARK in value else value)

    return {"bytea": SealedBytes, "text": SealedTexts, "json": SealedJson, "jsonb": SealedJson}


_KNOWN = "SELECT id FROM sealing_keys"


def require_keys(connection: psycopg.Connection[Any], sealer: Sealer) -> None:
    """Say which key seals here, and raise EnvironmentFault where stored texts need one that this process lacks.

    Every process asks before it begins: so none ever works on texts that it cannot read, and nothing is lost.
    """
    known = {row[0] for row in connection.execute(_KNOWN).fetchall()}
    if missing := sorted(known - set(sealer.ids)):
        have = (
            Sentence("this process has {names}", names=", ".join(sealer.ids))
            if sealer.is_on
            else "this process has none"
        )
        raise EnvironmentFault(
            "stored texts are encrypted with the key {keys}, and {have}: set "
            "QUORATE_ENCRYPTION_KEY_FILE to the file with that key (`quorate docs data`). Nothing "
            "was changed, and nothing is lost while the key is kept.",
            keys=", ".join(missing),
            have=have,
        )
    if sealer.is_on and sealer.ids[0] not in known:
        connection.execute(
            "INSERT INTO sealing_keys (id) VALUES (%s) ON CONFLICT DO NOTHING", (sealer.ids[0],)
        )
