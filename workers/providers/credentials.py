"""Keys: where they come from, and that no text of ours ever shows one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind

# Providers repeat a refused key in their error texts, partly masked.
_KEY_LIKE = re.compile(
    r"\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|key|pplx)[-_][\w*.-]{5,}[\w*]|AIza[\w*.-]{5,}[\w*])",
    re.IGNORECASE,
)
_HIDDEN = "***"
_SHORTEST_SECRET = 6


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
    who: str,
    env_name: str | None,
    file_name: str | None,
    environ: Mapping[str, str] | None = None,
) -> Secret | None:
    """The key from the named file or variable, None when neither is named.

    Raises ProviderError (credentials) when what is named is missing, empty or no key.
    """
    if file_name is not None:
        try:
            value = Path(file_name).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise _refused(f"{who}: the key file {file_name} cannot be read: {reason}.") from None
        return _checked(who, f"the key file {file_name}", value)
    if env_name is None:
        return None
    value = (os.environ if environ is None else environ).get(env_name, "").strip()
    if not value:
        raise _refused(
            f"{who} needs a key and the environment variable {env_name} is not set where the "
            f"worker runs: export {env_name}, or name another one as api_key_env."
        )
    return _checked(who, f"the environment variable {env_name}", value)


def _checked(who: str, source: str, value: str) -> Secret:
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise _refused(f"{who}: what {source} holds is not a key.")
    return Secret(value)


def _refused(message: str) -> ProviderError:
    return ProviderError(FailureKind.CREDENTIALS, message)


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text without the given secrets and without anything that looks like a key."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    return _KEY_LIKE.sub(_HIDDEN, text)
