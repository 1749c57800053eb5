"""Keys in the operating system's keyring; the only place that imports `keyring` (the extra `quorate[keyring]`).

A key is held under a service and a user name. What `quorate keys` stores is held under the service `quorate`, and
their names, which no keyring can list, as one entry of the service `quorate-names`. A keyring may wait for a person to
unlock it, so every question to it ends after `PATIENCE_S`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import TypeVar

from shared.errors import EnvironmentFault
from shared.programs import how_to_add

SERVICE = "quorate"
PATIENCE_S = 20.0
EXTRA = "keyring"
_NAMES = ("quorate-names", "names")

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key is held in the keyring."""

    service: str
    user: str

    @classmethod
    def of(cls, written: str) -> KeyPlace:
        """`SERVICE/USERNAME`; a lone name is one of `quorate keys`. Raises ValueError for half a place."""
        service, slash, user = written.rpartition("/")
        if not user.strip() or (slash and not service.strip()):
            raise ValueError("expected NAME, or SERVICE/USERNAME")
        return cls(service.strip() if slash else SERVICE, user.strip())

    def __str__(self) -> str:
        return self.user if self.service == SERVICE else f"{self.service}/{self.user}"


def is_installed() -> bool:
    """Whether the extra is installed; says nothing about a keyring."""
    return find_spec("keyring") is not None


def read_key(place: KeyPlace, patience_s: float = PATIENCE_S) -> str | None:
    """The key, None when the keyring has none there. Raises EnvironmentFault when there is no usable keyring."""

    def read(ring: ModuleType) -> str | None:
        password = ring.get_password(place.service, place.user)
        return None if password is None else str(password)

    return _asked(read, patience_s)


def write_key(name: str, key: str, patience_s: float = PATIENCE_S) -> None:
    """Hold a key under that name. Raises EnvironmentFault when there is no usable keyring."""

    def write(ring: ModuleType) -> None:
        ring.set_password(SERVICE, name, key)
        ring.set_password(*_NAMES, json.dumps(sorted({*_names(ring), name})))

    _asked(write, patience_s)


def remove_key(name: str, patience_s: float = PATIENCE_S) -> bool:
    """Forget a key; False when there was none. Raises EnvironmentFault when there is no usable keyring."""

    def remove(ring: ModuleType) -> bool:
        names = _names(ring)
        if name in names:
            ring.set_password(*_NAMES, json.dumps(sorted(names - {name})))
        if ring.get_password(SERVICE, name) is None:
            return False
        ring.delete_password(SERVICE, name)
        return True

    return _asked(remove, patience_s)


def stored_names(patience_s: float = PATIENCE_S) -> tuple[str, ...]:
    """The names under which `write_key` holds keys. Raises EnvironmentFault when there is no usable keyring."""
    return tuple(sorted(_asked(_names, patience_s)))


def _names(ring: ModuleType) -> set[str]:
    try:
        listed = json.loads(ring.get_password(*_NAMES) or "[]")
    except ValueError:
        return set()
    return {str(name) for name in listed} if isinstance(listed, list) else set()


def _asked(question: Callable[[ModuleType], _Answer], patience_s: float) -> _Answer:
    """What the keyring answers within the time. A question that is not answered is left to its thread."""
    ring = _keyring()
    answers: list[_Answer] = []
    faults: list[EnvironmentFault] = []

    def ask() -> None:
        try:
            answers.append(question(ring))
        except Exception as error:  # noqa: BLE001 - a back end may be anybody's; its text may hold what it was given
            faults.append(_fault(ring, error))

    thread = threading.Thread(target=ask, name="keyring", daemon=True)
    thread.start()
    thread.join(patience_s)
    if faults:
        raise faults[0]
    if not answers:
        raise EnvironmentFault(
            "The keyring did not answer within {patience_s:.0f} s: unlock it and try again, or name "
            "an environment variable (api_key_env) or a file (api_key_file) instead.",
            patience_s=patience_s,
        )
    return answers[0]


def _keyring() -> ModuleType:
    try:
        import keyring  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise EnvironmentFault(
            "Keys from the keyring need the extra `{extra}`: {command}.",
            extra=EXTRA,
            command=how_to_add(EXTRA),
        ) from None
    module: ModuleType = keyring
    return module


def _fault(ring: ModuleType, error: Exception) -> EnvironmentFault:
    if isinstance(error, ring.errors.NoKeyringError):
        return EnvironmentFault(
            "This machine has no keyring that Quorate can use (a desktop's Secret Service, KWallet, the macOS "
            "Keychain, ...): name an environment variable (api_key_env) or a file (api_key_file) instead."
        )
    if isinstance(error, ring.errors.KeyringLocked):
        return EnvironmentFault("The keyring is locked: unlock it and try again.")
    return EnvironmentFault(
        "The keyring failed ({why}); see `python -m keyring diagnose`.", why=type(error).__name__
    )
