"""What this installation's own people allowed its workers to run and to call: never what a database row says.

A run's row names commands, addresses, key places, files and browser profiles. Whoever can write to Postgres can write
such a row, so a worker does only what was entered here before, by the content's sha256: by the command line, from the
person's own configuration and flags when a run is submitted, or by `quorate participants allow` on a worker's machine.
What the code itself names (a provider's own address and key variable, the command lines of claude, gemini and codex,
inline scripts) needs no entry. See docs/design/trust.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from shared.folders import make_private, os_error_as_fault
from shared.instance import Instance
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, ProviderTypes

VARIABLE = "QUORATE_ALLOWED"
ANYTHING = "anything"

_LARGEST = 1_000_000

Identity = Mapping[str, JsonValue]


def identity_of(participant: Participant, catalogue: ProviderTypes = CATALOGUE) -> Identity | None:
    """What of a participant steers a worker beyond what the code names; None for nothing."""
    row = catalogue.get(participant.provider)
    if row is None:
        return None  # no worker has such a provider
    options = participant.options
    stated = {name: value for name, value in options.items() if value not in (None, {}, [], ())}
    steered = row.options.steering(stated, participant.model or "")
    return None if steered is None else {"provider": row.name, **steered}


def suite_identity(command: str) -> Identity:
    """What runs the project's own tests, as it is entered."""
    return {"tests": command}


def program_identity(program: JsonValue) -> Identity | None:
    """What an analyser's command is entered as; None where the code itself names it. Raises ValueError."""
    if not isinstance(program, dict) or not program:
        raise ValueError("an analyser's command is a mapping")
    steered = CATALOGUE["analyser"].options.steering(program, "")
    return None if steered is None else {"provider": "analyser", **steered}


def everybody(participants: Iterable[Participant]) -> Iterable[Participant]:
    """The participants and who stands in for them."""
    for participant in participants:
        yield participant
        yield from everybody(participant.fallback)


@dataclass(frozen=True)
class Allowed:
    """The entries of an owner-only folder, a file each, named by their content; None allows everything."""

    folder: Path | None

    @classmethod
    def of(cls, instance: Instance, environ: Mapping[str, str]) -> Allowed:
        """Where QUORATE_ALLOWED says (`anything` turns the check off), else in the instance's state."""
        named = environ.get(VARIABLE, "")
        if named == ANYTHING:
            return cls(None)
        return cls(Path(named).expanduser() if named else instance.state_dir / "allowed")

    def allow(self, identity: Identity) -> None:
        """Enter what may be done. Raises EnvironmentFault when the folder cannot be written or is not ours."""
        if self.folder is None or self.allows(identity):
            return
        content = _canonical(identity)
        make_private(self.folder)
        target = self.folder / f"{_digest(content)}.json"
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        with os_error_as_fault("enter what is allowed in", self.folder):
            fresh.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
                file.write(content)
            fresh.replace(target)

    def forget(self, identity: Identity) -> None:
        """Take an entry back. Raises EnvironmentFault when the folder cannot be written."""
        if self.folder is None:
            return
        with os_error_as_fault("take an entry out of", self.folder):
            (self.folder / f"{_digest(_canonical(identity))}.json").unlink(missing_ok=True)

    def identities(self) -> Iterator[Identity]:
        """Everything that was entered and counts."""
        names = sorted(self.folder.glob("*.json")) if self.folder is not None else []
        for file in names:
            with suppress(OSError, ValueError):
                identity = json.loads(file.read_bytes()[:_LARGEST])
                if isinstance(identity, dict) and self.allows(identity):
                    yield identity

    def allow_all(self, participants: Iterable[Participant]) -> int:
        """Enter what these participants need, their stand-ins included; how many need an entry."""
        identities = [identity_of(participant) for participant in everybody(participants)]
        wanted = [identity for identity in identities if identity is not None]
        for identity in wanted:
            self.allow(identity)
        return len(wanted)

    def allows(self, identity: Identity) -> bool:
        """True when exactly this was entered, in files that nobody but the owner can write."""
        if self.folder is None:
            return True
        content = _canonical(identity)
        with suppress(OSError):
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if not _is_ours(folder):
                    return False
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
                name = f"{_digest(content)}.json"
                with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
                    return _is_ours(file.fileno()) and file.read(_LARGEST) == content[:_LARGEST]
            finally:
                os.close(folder)
        return False


def _is_ours(descriptor: int) -> bool:
    found = os.fstat(descriptor)
    return found.st_uid in (os.geteuid(), 0) and not stat.S_IMODE(found.st_mode) & 0o077


def _canonical(identity: Identity) -> bytes:
    return json.dumps(dict(identity), sort_keys=True, ensure_ascii=True).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
