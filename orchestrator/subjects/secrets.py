"""Secrets that a change puts into files whose text is never captured: their lines and kinds, and nothing else.

A file that is never sent (`privacy.never_send`) is looked at here, on the machine that submits, and only for this: that
a secret is about to be committed is what a hook has to say most of all. What is looked at is forgotten at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.subjects.entries import ChangedEntry
from orchestrator.subjects.screening import EXECUTABLE, PLAIN, head_inside
from shared.git.patch import FilePatch
from shared.git.repository import Repository
from shared.models.subject import SecretLine
from shared.text.masking.mask import FoundSecret, find_secrets

MOST_BYTES = 256_000
"""Of one state of a file: a file of secrets is small."""
MOST_LINES = 20


def new_secrets(before: bytes, after: bytes) -> tuple[SecretLine, ...]:
    """Where `after` has secrets that `before` has not, one for a line."""
    known = {secret.text for secret in _secrets(before)}
    return _lines(secret for secret in _secrets(after) if secret.text not in known)


def entry_secrets(repository: Repository, entry: ChangedEntry) -> tuple[SecretLine, ...]:
    """The same of a plain file of a comparison."""
    if entry.new_mode not in (PLAIN, EXECUTABLE):
        return ()
    before, after = (
        repository.git.head("cat-file", "blob", blob, size=MOST_BYTES) if blob else b""
        for blob in (entry.old_id, entry.new_id)
    )
    if entry.on_disk and repository.top is not None:
        after = head_inside(repository.top, entry.path, MOST_BYTES)
    return new_secrets(before, after)


def added_secrets(patch: FilePatch) -> tuple[SecretLine, ...]:
    """Where the lines that a patch adds have secrets that those it removes have not."""
    before, after, numbers = bytearray(), bytearray(), []
    for number, tag, text in _patch_lines(patch):
        line = text.removesuffix(b"\n") + b"\n"
        if tag != b"+":
            before += line
        if tag != b"-":
            after += line
            numbers.append((number, tag == b"+"))
    found = new_secrets(bytes(before), bytes(after))
    places = ((numbers[secret.line - 1], secret.kind) for secret in found)
    return tuple(SecretLine(line=line, kind=kind) for (line, added), kind in places if added)


def _patch_lines(patch: FilePatch) -> Iterator[tuple[int, bytes, bytes]]:
    """Every line of the hunks with its number in the new state (for a removed one: where it stood)."""
    for hunk in patch.hunks:
        number = hunk.new_start
        for line in hunk.lines:
            yield max(number, 1), line.tag, line.text
            number += line.tag != b"-"


def _secrets(content: bytes) -> tuple[FoundSecret, ...]:
    return find_secrets(content[:MOST_BYTES].decode("utf-8", "replace"))


def _lines(secrets: Iterable[FoundSecret]) -> tuple[SecretLine, ...]:
    kinds: dict[int, str] = {}
    for secret in secrets:
        kinds.setdefault(secret.line, secret.kind)
    return tuple(SecretLine(line=line, kind=kinds[line]) for line in sorted(kinds)[:MOST_LINES])
