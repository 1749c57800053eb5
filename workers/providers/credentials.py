"""Keys: where they come from, and that no text of ours ever shows one."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from shared.errors import EnvironmentFault, ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.key_store import SERVICE, KeyPlace, read_key
from shared.providers.keys import KeySource, key_variables, stored_sources
from shared.providers.limits import key_of

# Providers repeat a refused key in their error texts, partly masked.
_KEY_LIKE = re.compile(
    r"\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|key|pplx)[-_][\w*.-]{5,}[\w*]|AIza[\w*.-]{5,}[\w*])",
    re.IGNORECASE,
)
_HIDDEN = "***"
_SHORTEST_SECRET = 6
_KEYRING_KEPT_S = 60.0


class Secret:
    """A key that prints as stars."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for a header and nothing else."""
        return self._value

    def __repr__(self) -> str:
        return _HIDDEN


def key_from(
    participant: str, source: KeySource, environ: Mapping[str, str] | None = None
) -> Secret | None:
    """The key from the place that is named, None when none is. The keyring comes first, then the file.

    Raises ProviderError (credentials) when what is named is missing, empty or no key.
    """
    if source.keyring is not None:
        return _from_keyring(participant, source, source.keyring)
    if source.file is not None:
        return _from_file(participant, source, source.file)
    if source.env is not None:
        environ = os.environ if environ is None else environ
        return _from_environment(participant, source, source.env, environ)
    return None


def key_mark(participant: Participant, environ: Mapping[str, str] | None = None) -> str:
    """Tells the keys of a participant from those that are put into their place; nothing leads back to a key."""
    environ = os.environ if environ is None else environ
    values = [environ.get(name, "") for name in key_variables(participant)]
    values += [_stored(participant.name, source) for source in stored_sources(participant)]
    return hashlib.sha256("\n".join([key_of(participant), *values]).encode()).hexdigest()[:8]


def _stored(participant: str, source: KeySource) -> str:
    """What a file or the keyring holds now; nothing where the call itself will say what is wrong."""
    try:
        key = key_from(participant, source)
    except ProviderError:
        return ""
    return "" if key is None else key.reveal()


def forget_kept_keys() -> None:
    """The keyring is asked again: one of its keys was refused, and may be another one by now."""
    _keyring_secret.cache_clear()


@functools.lru_cache(maxsize=64)
def _keyring_secret(place: KeyPlace, _minute: int) -> Secret:
    """What the keyring holds there, asked once a minute: a question is a round trip to the desktop.

    Raises LookupError when it holds nothing, EnvironmentFault when it cannot be asked; neither is remembered.
    """
    value = read_key(place)
    if value is None:
        raise LookupError
    return Secret(value.strip())


def _from_keyring(participant: str, source: KeySource, entry: str) -> Secret:
    shown = redact(entry, ())
    try:
        place = KeyPlace.of(entry)
    except ValueError as error:
        raise _refused(f"{participant}: {source.option}_keyring '{shown}': {error}.") from None
    try:
        secret = _keyring_secret(place, int(time.monotonic() // _KEYRING_KEPT_S))
    except LookupError:
        hint = f" `quorate keys set {shown}` stores one." if place.service == SERVICE else ""
        raise _refused(
            f"{participant} needs {source.wanted} and the keyring has none at '{shown}'.{hint}"
        ) from None
    except EnvironmentFault as fault:
        raise _refused(f"{participant} needs {source.wanted} from the keyring. {fault}") from None
    return _checked(participant, f"the keyring's entry '{shown}'", secret.reveal(), source)


def _from_file(participant: str, source: KeySource, name: str) -> Secret:
    try:
        value = Path(name).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise _refused(f"{participant}: the key file {name} cannot be read: {reason}.") from None
    return _checked(participant, f"the key file {name}", value, source)


def _from_environment(
    participant: str, source: KeySource, name: str, environ: Mapping[str, str]
) -> Secret:
    value = environ.get(name, "").strip()
    if not value:
        raise _refused(
            f"{participant} needs {source.wanted} and the environment variable {name} is not set where the "
            f"worker runs: export {name}, or name another one as {source.option}_env."
        )
    return _checked(participant, f"the environment variable {name}", value, source)


def _checked(participant: str, place: str, value: str, source: KeySource) -> Secret:
    words = value.split(" ")
    fits = len(words) == 1 or (source.header is not None and len(words) == 2)
    if not all(words) or not fits or not value.isascii() or not value.isprintable():
        raise _refused(f"{participant}: what {place} holds is not a key.")
    return Secret(value)


def _refused(message: str) -> ProviderError:
    return ProviderError(FailureKind.CREDENTIALS, message, scope=Scope.NOBODY)


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text without the given secrets and without anything that looks like a key."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    return _KEY_LIKE.sub(_HIDDEN, text)
