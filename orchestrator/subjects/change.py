"""A change between its capture and its storage as a subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from orchestrator.subjects.hunks import changed_ranges, count_tag
from orchestrator.subjects.patch import FilePatch
from shared.errors import SubjectError
from shared.models.subject import FileChange, Origin, Subject

Put = Callable[[bytes], str]
"""Stores a document and returns its sha256 in hex."""

Mask = Callable[[bytes], tuple[bytes, int]]
"""Replaces the secrets of a text, line by line, and counts them. Every text goes through it before it is stored."""

Status = Literal["added", "modified", "deleted", "renamed"]


@dataclass(frozen=True)
class CapturedFile:
    """A file before it is stored. `before` and `after` are None when absent or unknown."""

    path: str
    status: Status
    old_path: str | None = None
    before: bytes | None = None
    after: bytes | None = None
    skipped: str | None = None
    patch: FilePatch | None = None


@dataclass(frozen=True)
class Change:
    """All files of a change, and the diff of those that are not skipped."""

    title: str
    diff: bytes
    files: tuple[CapturedFile, ...]
    origin: Origin


def mask_nothing(text: bytes) -> tuple[bytes, int]:
    """The text as it is."""
    return text, 0


def status_of(patch: FilePatch) -> Status:
    """What a patch does with its file."""
    if patch.old is None:
        return "added"
    if patch.new is None:
        return "deleted"
    return "modified" if patch.old == patch.new else "renamed"


def readable(name: bytes) -> str:
    """A file name for people; bytes that are not UTF-8 are shown as escapes."""
    return name.decode("utf-8", "backslashreplace")


def old_name(patch: FilePatch) -> str | None:
    """The former name of a renamed file."""
    return readable(patch.old) if patch.old and status_of(patch) == "renamed" else None


def store(change: Change, put: Put, mask: Mask) -> Subject:
    """The change as a subject. Raises SubjectError, before anything is stored, when it holds nothing to review."""
    _require_something(change)
    diff, masked = mask(change.diff)
    patches = [file.patch for file in change.files if file.patch]

    def keep(text: bytes | None) -> str | None:
        return None if text is None else put(mask(text)[0])

    return Subject(
        title=change.title,
        diff=put(diff),
        files=tuple(
            FileChange(
                path=file.path,
                old_path=file.old_path,
                status=file.status,
                changed=changed_ranges(file.patch.hunks) if file.patch else (),
                before=keep(file.before),
                after=keep(file.after),
                skipped=file.skipped,
            )
            for file in change.files
        ),
        origin=change.origin,
        added_lines=count_tag(patches, b"+"),
        removed_lines=count_tag(patches, b"-"),
        masked_secrets=masked,
    )


def _require_something(change: Change) -> None:
    if any(file.patch and file.patch.hunks for file in change.files):
        return
    skipped = [file for file in change.files if file.skipped is not None]
    shown = "; ".join(f"{file.path}: {file.skipped or file.status}" for file in change.files[:5])
    more = f"; and {len(change.files) - 5} more" if len(change.files) > 5 else ""
    if len(skipped) == len(change.files):
        reason = "no file has text that can be reviewed"
    else:
        reason = "no line is added or removed, only names, modes or empty files change"
    raise SubjectError(f"Nothing to review in the {change.title}: {reason} ({shown}{more}).")
