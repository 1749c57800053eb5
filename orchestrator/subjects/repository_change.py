"""Capture a change as a subject that needs its repository no longer: from a repository with git, or a bare diff."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from orchestrator.subjects.bare_diff import read_bare_diff
from orchestrator.subjects.change import (
    CapturedChange,
    CapturedFile,
    Mask,
    Put,
    mask_nothing,
    old_name,
    readable,
    status_of,
    store,
)
from orchestrator.subjects.comparisons import (
    INDEX,
    WORKTREE,
    StateComparison,
)
from orchestrator.subjects.entries import (
    ABSENT,
    NARROW,
    ChangedEntry,
    diff_too_large,
    measure_blobs,
    read_blobs,
    read_patch,
    size_on_disk,
)
from orchestrator.subjects.kinds import HARMLESS, HEAD_BYTES, LOADED, inner_target, language_of
from orchestrator.subjects.location import Located, locate
from orchestrator.subjects.notebooks import with_cells
from orchestrator.subjects.request import ChangeRequest
from orchestrator.subjects.screening import (
    BINARY,
    EXECUTABLE,
    PLAIN,
    SUBMODULE,
    SYMLINK,
    Unread,
    head_inside,
    is_executable,
    read_inside,
    screen_content,
    screen_modes,
    screen_path,
    too_large,
)
from orchestrator.subjects.secrets import entry_secrets
from orchestrator.subjects.started import is_started, move_starts
from shared.errors import SubjectError
from shared.git.hunks import apply_hunks, new_file_patch
from shared.git.patch import FilePatch, parse_patch
from shared.git.repository import Repository
from shared.models.coverage import UNREADABLE, UnreadReason
from shared.models.subject import Origin, SecretLine, Subject


def read_repository(request: ChangeRequest, located: Located | None = None) -> CapturedChange:
    """The change that the request means, wherever it was located."""
    there = located or locate(request)
    reading = _RepositoryReading(request, there.repository, there.comparison, there.pathspecs)
    return reading.change(there.entries, there.untracked)


@dataclass(frozen=True)
class _RepositoryReading:
    """One comparison on its way to a change; `contents` are blobs by id."""

    request: ChangeRequest
    repository: Repository
    comparison: StateComparison
    pathspecs: tuple[str, ...]
    contents: dict[str, bytes] = field(default_factory=dict)

    def change(
        self, entries: tuple[ChangedEntry, ...], untracked: tuple[bytes, ...]
    ) -> CapturedChange:
        limits = self.request.limits
        if len(entries) + len(untracked) > limits.files:
            raise SubjectError(
                "The change is too large: {count} files, {unknown} of them not known to git; the limit is "
                "{files}. {advice}",
                count=len(entries) + len(untracked),
                unknown=len(untracked),
                files=limits.files,
                advice=NARROW,
            )
        skipped = self._screen(entries)
        left_out = sorted({name for entry in skipped for name in (entry.old, entry.path)})
        git = self.repository.git
        tracked = read_patch(git, self.comparison, self.pathspecs, left_out, limits)
        fresh = list(self._new_files(untracked, limits.diff_bytes - len(tracked)))
        diff = tracked + b"".join(file.patch.text for file in fresh if file.patch)
        files = [self._skipped(entry, unread) for entry, unread in skipped.items()]
        files += [*self._known_files(tracked, entries), *fresh]
        return CapturedChange(
            self._title(fresh), diff, tuple(sorted(files, key=lambda f: f.path)), self._origin()
        )

    def _known_files(
        self, diff: bytes, entries: tuple[ChangedEntry, ...]
    ) -> Iterator[CapturedFile]:
        by_path = {entry.path: entry for entry in entries}
        by_old = {entry.old: entry for entry in entries}
        for patch in parse_patch(diff) if diff else ():
            yield self._tracked(patch, by_path, by_old)

    def _new_files(self, untracked: tuple[bytes, ...], left: int) -> Iterator[CapturedFile]:
        """The files that git does not know. Raises SubjectError when their diff has more than `left` bytes."""
        for path in untracked:
            file = self._untracked(self.repository.place, path)
            left -= len(file.patch.text) if file.patch else 0
            if left < 0:
                raise diff_too_large(self.request.limits)
            yield file

    def _screen(self, entries: tuple[ChangedEntry, ...]) -> dict[ChangedEntry, Unread]:
        """The entries that are left out, with reasons; reads the contents of the others."""
        git, limits = self.repository.git, self.request.limits
        skipped = _reasons(entries, self._screen_name)
        rest = [entry for entry in entries if entry not in skipped]
        sizes = measure_blobs(git, (blob for entry in rest for blob in entry.blobs))
        skipped |= _reasons(rest, lambda entry: self._screen_size(entry, sizes))
        rest = [entry for entry in rest if entry not in skipped]
        wanted = {blob: sizes[blob] for entry in rest for blob in entry.blobs}
        self.contents.update(read_blobs(git, wanted, limits))
        return skipped | _reasons(rest, self._screen_contents)

    def _screen_name(self, entry: ChangedEntry) -> Unread | None:
        screen = self.request.screen
        return (
            screen_path(entry.path, screen)
            or screen_path(entry.old, screen)
            or screen_modes(entry.old_mode, entry.new_mode)
        )

    def _screen_size(self, entry: ChangedEntry, sizes: Mapping[str, int]) -> Unread | None:
        limit = self.request.limits.file_bytes
        largest = max((*(sizes[blob] for blob in entry.blobs), self._size_on_disk(entry)))
        return too_large(largest, limit) if largest > limit else None

    def _size_on_disk(self, entry: ChangedEntry) -> int:
        if entry.on_disk and self.repository.top is not None:
            return size_on_disk(self.repository.top, entry.path)
        return 0

    def _screen_contents(self, entry: ChangedEntry) -> Unread | None:
        states = [self.contents[blob] for blob in entry.blobs]
        if entry.on_disk and self.repository.top is not None:
            read = read_inside(self.repository.top, entry.path, self.request.limits.file_bytes)
            if isinstance(read, Unread):
                return read
            states.append(read)
        return next((reason for state in states if (reason := screen_content(state))), None)

    def _tracked(
        self,
        patch: FilePatch,
        by_path: dict[bytes, ChangedEntry],
        by_old: dict[bytes, ChangedEntry],
    ) -> CapturedFile:
        # The names of the patch count: without the files left out, git may pair renames otherwise.
        entry = by_path.get(patch.path)
        former = by_old.get(patch.old) if patch.old is not None else None
        if entry is None or (patch.old is not None and former is None):
            raise _moving_target()
        before = self.contents[former.old_id] if former and former.old_id else None
        after = None if patch.new is None else self._after(entry, before, patch)
        return CapturedFile(
            path=readable(patch.path),
            status=status_of(patch),
            old_path=old_name(patch),
            before=before,
            after=after,
            patch=patch,
            executable=entry.new_mode == EXECUTABLE,
            became_executable=entry.new_mode == EXECUTABLE and entry.old_mode != EXECUTABLE,
        )

    def _after(self, entry: ChangedEntry, before: bytes | None, patch: FilePatch) -> bytes | None:
        if entry.new_id is not None:
            return self.contents[entry.new_id]
        if entry.new_mode == ABSENT:
            return None
        # What git compared, line endings as it stores them, and not a file that changes meanwhile.
        after = apply_hunks(before or b"", patch.hunks)
        if after is None:
            raise _moving_target()
        return after

    def _untracked(self, top: Path, path: bytes) -> CapturedFile:
        name = readable(path)
        executable = is_executable(top, path)
        if path.endswith(b"/"):
            own = Unread("it is a separate repository", UnreadReason.REPOSITORY)
            return CapturedFile(name, "added", left_out=own)
        content = screen_path(path, self.request.screen) or read_inside(
            top, path, self.request.limits.file_bytes
        )
        unread = content if isinstance(content, Unread) else screen_content(content)
        if isinstance(content, Unread) or unread is not None:
            mode = EXECUTABLE if executable else PLAIN
            entry = ChangedEntry("A", ABSENT, mode, None, None, path, path)
            return self._skipped(entry, unread or BINARY)
        patch = parse_patch(new_file_patch(path, content, executable))[0]
        return CapturedFile(name, "added", after=content, patch=patch, executable=executable)

    def _skipped(self, entry: ChangedEntry, left_out: Unread) -> CapturedFile:
        patch = FilePatch(
            entry.old if entry.status != "A" else None, entry.path if entry.status != "D" else None
        )
        return CapturedFile(
            readable(entry.path),
            status_of(patch),
            old_name(patch),
            left_out=left_out,
            head=self._head(entry.path, entry.new_id, left_out),
            executable=entry.new_mode == EXECUTABLE,
            became_executable=entry.new_mode == EXECUTABLE and entry.old_mode != EXECUTABLE,
            same=entry.old_id is not None and entry.old_id == entry.new_id,
            harmless=self._pointer(entry),
            secrets=self._secrets(entry, left_out),
        )

    def _secrets(self, entry: ChangedEntry, left_out: Unread) -> tuple[SecretLine, ...]:
        if left_out.code is not UnreadReason.NEVER_SENT:
            return ()
        return entry_secrets(self.repository, entry)

    def _pointer(self, entry: ChangedEntry) -> str | None:
        """What an entry is that only points to something which is reviewed where it lies.

        Under a name that starts something it is more than that, and so is a link that led elsewhere before: whatever
        uses the link gets something else from now on.
        """
        if is_started(readable(entry.path)) or is_started(readable(entry.old)):
            return None
        if entry.old_mode == entry.new_mode == SUBMODULE:
            return "submodule"
        if entry.new_mode != SYMLINK or entry.status not in ("A", "R"):
            return None
        target = inner_target(entry.path, self._head_of_link(entry))
        return "link" if target and self._is_prose_or_data(target, readable(entry.path)) else None

    def _is_prose_or_data(self, target: str, link: str) -> bool:
        """Whether a plain file of the reviewed state lies there that is no program, by either name."""
        head = self._plain_head(target)
        if head is None or screen_path(target.encode(), self.request.screen) is not None:
            return False
        suffixes = {PurePosixPath(name).suffix.lower() for name in (target, link)} - {""}
        if len(suffixes) > 1 or suffixes & LOADED or move_starts(target, link, is_code=False):
            return False
        return language_of(link) is None and language_of(target, head) is None

    def _plain_head(self, path: str) -> bytes | None:
        """How a file of the reviewed state begins; None unless it is plain and not executable there.

        A path that git lists as a file has no link among its folders; those of the working tree are looked at.
        """
        git, reviewed = self.repository.git, self.comparison.reviewed
        listing = ["ls-files", "--stage", "-z", "--", f":(top,literal){path}"]
        if reviewed not in (INDEX, WORKTREE):
            listing = ["ls-tree", "-z", "--full-tree", reviewed, "--", path]
        facts, _, name = git.run(*listing).removesuffix(b"\0").partition(b"\t")
        if name != path.encode() or not facts.startswith(PLAIN):
            return None
        if reviewed == WORKTREE:
            top = self.repository.place
            read = read_inside(top, name, self.request.limits.file_bytes)
            return None if isinstance(read, Unread) or is_executable(top, name) else read
        blob = next(word for word in facts.decode("ascii").split() if len(word) >= 40)
        return git.head("cat-file", "blob", blob, size=HEAD_BYTES)

    def _head_of_link(self, entry: ChangedEntry) -> bytes:
        if entry.new_id is not None:
            return self.repository.git.head("cat-file", "blob", entry.new_id, size=HEAD_BYTES)
        try:
            return os.readlink(os.path.join(os.fsencode(self.repository.place), entry.path))
        except OSError:
            return b""

    def _head(self, path: bytes, blob: str | None, left_out: Unread) -> bytes:
        """The first bytes of a file that was left out, where they say what it is: nobody else sees into it."""
        suffix = os.path.splitext(path)[1].decode("ascii", "replace").lower()
        if suffix not in HARMLESS and left_out.code not in UNREADABLE:
            return b""
        if blob is not None and blob in self.contents:
            return self.contents[blob][:HEAD_BYTES]
        if blob is not None:
            return self.repository.git.head("cat-file", "blob", blob, size=HEAD_BYTES)
        return head_inside(self.repository.place, path, HEAD_BYTES)

    def _title(self, fresh: list[CapturedFile]) -> str:
        if not fresh:
            return self.comparison.title
        count = len(fresh)
        return f"{self.comparison.title}, with {count} new file{'' if count == 1 else 's'}"

    def _origin(self) -> Origin:
        uncommitted = self.comparison.reviewed in (INDEX, WORKTREE)
        return Origin(
            repository=str(self.repository.address),
            base=self.comparison.base,
            reviewed=self.comparison.reviewed,
            head=self.comparison.head if uncommitted else None,
        )


def _reasons(
    entries: Iterable[ChangedEntry], screen: Callable[[ChangedEntry], Unread | None]
) -> dict[ChangedEntry, Unread]:
    return {entry: reason for entry in entries if (reason := screen(entry))}


def _moving_target() -> SubjectError:
    return SubjectError("The working tree changed while it was captured. Run the command again.")


def capture(
    request: ChangeRequest, put: Put, mask: Mask = mask_nothing, located: Located | None = None
) -> Subject:
    """The change that `request` names, as a subject whose title says in words what was picked.

    `located` is where it was found before, so that nothing is looked for twice.
    Raises SubjectError for what cannot be reviewed, with what to do instead, and EnvironmentFault for git
    itself and for permissions; nothing is stored then.
    """
    if request.diff is not None:
        return store(with_cells(read_bare_diff(request, request.diff)), put, mask)
    return store(with_cells(read_repository(request, located)), put, mask)
