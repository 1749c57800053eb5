"""A change between its capture and its storage as a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from orchestrator.subjects.kinds import HEAD_BYTES, LOADED, harmless_kind, is_program, language_of
from orchestrator.subjects.screening import Unread
from orchestrator.subjects.started import is_lock, is_started, move_starts
from shared.git.diff_pieces import FileText, cut_change
from shared.git.hunks import changed_ranges, count_tag
from shared.git.patch import FilePatch, split_lines
from shared.models.coverage import UNREADABLE, UnreadReason
from shared.models.subject import FileChange, LineRange, Origin, SecretLine, Subject

Put = Callable[[bytes], str]
"""Stores a document and returns its sha256 in hex."""

Mask = Callable[[bytes], tuple[bytes, int]]
"""Replaces the secrets of a text, line by line, and counts them. Every text goes through it before it is stored."""

Status = Literal["added", "modified", "deleted", "renamed"]


@dataclass(frozen=True)
class CapturedFile:
    """A file before it is stored. `before` and `after` are None when absent or unknown.

    `head` are the first bytes of a file that is left out; `became_executable`: the change made it so; `same`: what is
    left out is what was there before, byte for byte; `harmless` is why nobody needs to read it, where the
    capture saw that. `secrets` are those that the change puts where nobody is shown them: a file that is never sent, an
    output of a notebook. `cells`: the states are views of a notebook (shared/text/notebooks.py) with code of that
    language.
    """

    path: str
    status: Status
    old_path: str | None = None
    before: bytes | None = None
    after: bytes | None = None
    left_out: Unread | None = None
    patch: FilePatch | None = None
    head: bytes = b""
    executable: bool = False
    became_executable: bool = False
    same: bool = False
    harmless: str | None = None
    secrets: tuple[SecretLine, ...] = ()
    cells: str | None = None

    @property
    def language(self) -> str | None:
        """What it is written in; None for data and prose."""
        if self.cells is not None:
            return self.cells
        return language_of(self.path, self.head if self.after is None else self.after[:HEAD_BYTES])

    @property
    def used_otherwise(self) -> bool:
        """True when the new path makes a program of it, or a program starts or obeys one of its two paths."""
        if self.old_path is None:
            return False
        if move_starts(self.old_path, self.path, is_code=self._may_be_code):
            return True
        before = language_of(self.old_path, (self.before or b"")[:HEAD_BYTES])
        return self.language is not None and self.language != before

    @property
    def _may_be_code(self) -> bool:
        """True for a program, and for what is not known to be none: it has no suffix, and nobody sees into it."""
        unknown = self.after is None and not PurePosixPath(self.path).suffix
        return self.language is not None or self.executable or unknown

    @property
    def inert(self) -> bool:
        """True for what nobody can read as text, and what is no code, starts nothing and is loaded by nothing."""
        code = None if self.left_out is None else self.left_out.code
        if code not in UNREADABLE or self._may_be_code:
            return False
        path = PurePosixPath(self.path)
        if path.suffix.lower() in LOADED or is_program(self.head):
            return False
        hidden = any(part.startswith(".") for part in path.parts[:-1])
        return not is_started(self.path) or (is_lock(self.path) and not hidden)

    @property
    def became_code(self) -> bool:
        """True when a new name makes a program of what was there before under another one."""
        return bool(self.after) and self.used_otherwise

    @property
    def as_new(self) -> bool:
        """True when all of it has to be read, since it became executable or code without being new."""
        became_executable = self.became_executable and self.status != "added" and bool(self.after)
        return self.became_code or became_executable

    @property
    def changed(self) -> tuple[LineRange, ...]:
        """The added or edited lines; all of them where it became code or executable."""
        if self.as_new and self.after is not None:
            return (LineRange(first=1, last=len(split_lines(self.after))),)
        return changed_ranges(self.patch.hunks) if self.patch else ()


@dataclass(frozen=True)
class CapturedChange:
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


def store(change: CapturedChange, put: Put, mask: Mask) -> Subject:
    """The change as a subject, also when there is nothing in it to review."""
    diff, masked = mask(change.diff)
    patches = [file.patch for file in change.files if file.patch]

    def keep(text: bytes | None) -> str | None:
        return None if text is None else put(mask(text)[0])

    return Subject(
        title=change.title,
        diff=put(diff),
        pieces=cut_change(_readable_parts(change, mask), put),
        files=tuple(
            FileChange(
                path=file.path,
                old_path=file.old_path,
                status=file.status,
                changed=file.changed,
                before=keep(file.before),
                after=keep(file.after),
                skipped=file.left_out.reason if file.left_out else None,
                unread=file.left_out.code if file.left_out else None,
                harmless=_harmless(file),
                language=file.language,
                as_new=file.as_new,
                secrets=file.secrets,
                cells=file.cells is not None,
                inert=file.inert,
            )
            for file in change.files
        ),
        origin=change.origin,
        added_lines=count_tag(patches, b"+"),
        removed_lines=count_tag(patches, b"-"),
        masked_secrets=masked,
        counts_unread=True,
    )


def _readable_parts(change: CapturedChange, mask: Mask) -> Iterator[FileText]:
    """What a reader is shown of each file: its patch, and all of it where all counts as changed."""
    for file in change.files:
        if file.left_out is not None:
            continue
        if file.patch is not None:
            yield FileText(file.path, mask(file.patch.text)[0], is_diff=True)
        if file.as_new and file.after is not None:
            yield FileText(file.path, mask(file.after)[0], is_diff=False)


_POINTERS = frozenset((UnreadReason.SUBMODULE, UnreadReason.SYMLINK))


def _harmless(file: CapturedFile) -> str | None:
    left_out = file.left_out
    if file.harmless is not None and (left_out is None or left_out.code in _POINTERS):
        return file.harmless
    if left_out is None or left_out.code not in (UnreadReason.BINARY, UnreadReason.TOO_LARGE):
        return None
    if file.same and not file.became_executable and _serves_as_before(file):
        return "unchanged" if file.old_path is None else "renamed"
    return harmless_kind(file.path, file.head, executable=file.executable)


def _serves_as_before(file: CapturedFile) -> bool:
    """True when a file that is the same under a new name is not used as something else by that name."""
    if file.old_path is None:
        return True
    old, new = PurePosixPath(file.old_path), PurePosixPath(file.path)
    suffix = new.suffix.lower()
    alike = old.name == new.name or old.suffix.lower() == suffix != ""
    return alike and suffix not in LOADED and not file.used_otherwise
