"""Encryption of stored texts: what is sealed with which key, and sealing everything with the newest one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from orchestrator.application.backend import Backend
from shared.errors import UserError
from shared.faults import failpoint
from shared.settings import ENCRYPTION_VARIABLE
from shared.store.resealing import (
    OPEN,
    SealedWith,
    forget_keys,
    next_run,
    reseal_documents,
    reseal_run,
    sealed_with,
)


@dataclass(frozen=True)
class EncryptionStatus:
    """The ids of the keys that this process has, the first one for new texts, and what is sealed with which."""

    keys: tuple[str, ...]
    sealed: tuple[SealedWith, ...]


def status(backend: Backend) -> EncryptionStatus:
    """How things stand; reads everything that is stored."""
    keys = backend.database.sealer.ids
    found = backend.read(partial(sealed_with, keys=keys))
    return EncryptionStatus(keys, tuple(found))


@dataclass(frozen=True)
class Rotated:
    """How much was sealed anew."""

    documents: int
    rows: int


def rotate(backend: Backend) -> Rotated:
    """Seal all texts with the first key. Can be stopped and repeated. Raises UserError without a key."""
    if not backend.database.sealer.is_on:
        raise UserError(
            "there is no key to encrypt with: set {variable} (`quorate docs data`)",
            variable=ENCRYPTION_VARIABLE,
        )
    documents = rows = 0
    after: str | None = ""
    while after is not None:
        changed, after = backend.write(partial(reseal_documents, after=after))
        documents += changed
        failpoint("documents-resealed")
    run = backend.read(partial(next_run, after=""))
    while run is not None:
        rows += backend.write(partial(reseal_run, run=run))
        failpoint("run-resealed")
        run = backend.read(partial(next_run, after=run))
    first = backend.database.sealer.ids[0]
    others = [each for each in status(backend).sealed if each.key not in (first, OPEN)]
    if not any(each.documents or each.rows for each in others):
        backend.write(forget_keys)
    return Rotated(documents, rows)
