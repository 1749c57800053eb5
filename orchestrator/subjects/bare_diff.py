"""A change given as a bare unified diff, with or without the repository that it belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from orchestrator.subjects.change import CapturedChange, CapturedFile, old_name, readable, status_of
from orchestrator.subjects.entries import diff_too_large, measure_blobs, read_blobs
from orchestrator.subjects.request import CaptureLimits, ChangeRequest
from orchestrator.subjects.revisions import find_commit
from orchestrator.subjects.screening import (
    BINARY,
    EXECUTABLE,
    SUBMODULE,
    Unread,
    read_inside,
    screen_modes,
    screen_path,
)
from orchestrator.subjects.secrets import added_secrets
from orchestrator.subjects.started import is_started
from shared.errors import EnvironmentFault, SubjectError
from shared.git.hunks import apply_hunks, revert_hunks
from shared.git.patch import BrokenPatch, FilePatch, parse_patch
from shared.git.repository import Repository, open_repository
from shared.models.coverage import UnreadReason
from shared.models.subject import Origin
from shared.patterns import regex

_NOT_SHOWN = Unread("the diff does not show what it holds", UnreadReason.NO_CONTENT)
_UTF8_MARK = b"\xef\xbb\xbf"
_COLOUR = regex(rb"\s*\x1b\[[0-9;]*m")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class _States:
    """Both states of every file, by the path of its patch, and where they were found."""

    states: dict[bytes, tuple[bytes | None, bytes | None]]
    origin: Origin
    where: str


def read_bare_diff(request: ChangeRequest, data: bytes) -> CapturedChange:
    """The change that a diff describes; its files' states are known only when a repository here holds them.

    Raises SubjectError for a binary, too large or broken diff (with the line).
    """
    if (request.staged, request.base, request.target) != (False, None, None):
        raise SubjectError("A diff is the whole change: leave --staged, --base and the target out.")
    patches = _parse(data, request.limits)
    reasons = {patch: _reason(patch, request) for patch in patches}
    readable_patches = [patch for patch, reason in reasons.items() if reason is None]
    states = _given(request, readable_patches) or _find_states(request, readable_patches)
    files = [_file(patch, reason, states) for patch, reason in reasons.items()]
    return CapturedChange(
        title=f"given diff{states.where}",
        diff=b"".join(file.patch.text for file in files if file.patch is not None),
        files=tuple(sorted(files, key=lambda file: file.path)),
        origin=states.origin,
    )


def _parse(data: bytes, limits: CaptureLimits) -> tuple[FilePatch, ...]:
    if len(data) > limits.diff_bytes:
        raise diff_too_large(limits)
    if data.startswith(_UTF16_MARKS):
        raise SubjectError("The diff is in UTF-16 (Windows shells write that). Save it as UTF-8.")
    data = data.removeprefix(_UTF8_MARK)
    if not data.strip():
        return ()
    if _COLOUR.match(data):
        raise SubjectError("The diff is coloured: make it without (`git diff --no-color`).")
    if b"\0" in data[:8000]:
        raise SubjectError("The diff is binary: it holds NUL bytes, and no text diff does.")
    try:
        patches = parse_patch(data)
    except BrokenPatch as error:
        raise SubjectError(
            "The diff is broken at line {line}: {reason}", line=error.line, reason=error.reason
        ) from error
    paths: set[bytes] = set()
    for patch in patches:
        if patch.path in paths:
            raise SubjectError(
                "The diff changes {path} twice, as a series of patches does. Review the patches one by "
                "one, or make one diff of them all.",
                path=readable(patch.path),
            )
        paths.add(patch.path)
    return patches


def _reason(patch: FilePatch, request: ChangeRequest) -> Unread | None:
    named = next((r for name in _names(patch) if (r := screen_path(name, request.screen))), None)
    return (
        named or screen_modes(patch.old_mode, patch.new_mode) or (BINARY if patch.binary else None)
    )


def _file(patch: FilePatch, left_out: Unread | None, known: _States) -> CapturedFile:
    executable = patch.new_mode == EXECUTABLE
    file = CapturedFile(
        readable(patch.path),
        status_of(patch),
        old_name(patch),
        left_out=left_out,
        executable=executable,
        became_executable=executable and patch.old_mode != EXECUTABLE,
        harmless=_harmless(patch),
        secrets=added_secrets(patch)
        if left_out and left_out.code is UnreadReason.NEVER_SENT
        else (),
    )
    if left_out is not None:
        return file
    before, after = known.states.get(patch.path, (None, None))
    if after is None and _is_new_to_readers(file, patch):
        return replace(file, left_out=_NOT_SHOWN)
    return replace(file, before=before, after=after, patch=patch)


def _harmless(patch: FilePatch) -> str | None:
    """Why a diff that shows no line of a file has left nothing out."""
    if patch.old is None or patch.new is None:
        return None
    if patch.old_mode == patch.new_mode == SUBMODULE:
        started = any(is_started(readable(name)) for name in _names(patch))
        return None if started else "submodule"
    if patch.hunks or patch.binary:
        return None
    return "unchanged" if patch.old == patch.new else "renamed"


def _is_new_to_readers(file: CapturedFile, patch: FilePatch) -> bool:
    """True when all of the file counts as new, and the diff shows only what was edited."""
    became_executable = file.became_executable and file.status != "added"
    return patch.copied or became_executable or file.used_otherwise


def _find_states(request: ChangeRequest, patches: list[FilePatch]) -> _States:
    """Look for the states where a diff usually comes from: applied in the working tree, or not yet."""
    unknown = _States(_shown_whole(patches), Origin(), "")
    # Without a hunk nothing proves that a file is the one that the diff means.
    patches = [patch for patch in patches if patch.hunks]
    try:
        repository = open_repository(request.path, request.environ)
    except (SubjectError, EnvironmentFault):
        return unknown
    if not patches:
        return unknown
    head = find_commit(repository.git, "HEAD")
    place = str(repository.place)
    if repository.top is not None:
        states = _reverted(repository.top, patches, request.limits)
        if states is not None:
            origin = Origin(repository=place, reviewed="worktree", base=head, head=head)
            return _States(states, origin, ", as it stands in the working tree")
    if head is not None:
        states = _applied(_at_head(repository, patches, request.limits), patches)
        if states is not None:
            origin = Origin(repository=place, base=head)
            return _States(states, origin, f", on top of {head[:10]}")
    return unknown


def _given(request: ChangeRequest, patches: list[FilePatch]) -> _States | None:
    """The states that follow from the files that came with the diff; None: they are to be looked for.

    Raises SubjectError when the diff does not fit the files.
    """
    if request.files is None:
        return None
    if not request.files:
        return _States(_shown_whole(patches), Origin(), "")
    known = {os.fsencode(path): content for path, content in request.files.items()}
    states = _applied(known, [patch for patch in patches if patch.hunks])
    if states is None:
        raise SubjectError("The diff does not apply to the files that were given with it.")
    return _States(states, Origin(), ", on top of the files given with it")


def _shown_whole(patches: list[FilePatch]) -> dict[bytes, tuple[bytes | None, bytes | None]]:
    """The states of files that were not there or empty: the diff shows all of them, whatever else is known."""
    states: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    for patch in patches:
        if not patch.hunks or not (patch.old is None or _was_empty(patch)):
            continue
        content = apply_hunks(b"", patch.hunks)
        if content is not None:
            states[patch.path] = (None if patch.old is None else b"", content)
    return states


def _was_empty(patch: FilePatch) -> bool:
    """As `diff -N` writes a file that only the new side has: under both names, from line 0."""
    first, *more = patch.hunks
    return patch.new is not None and not more and first.old_start == first.old_count == 0


def _reverted(
    top: Path, patches: list[FilePatch], limits: CaptureLimits
) -> dict[bytes, tuple[bytes | None, bytes | None]] | None:
    states: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    for patch in patches:
        after: bytes | None = None
        if patch.new is not None:
            read = read_inside(top, patch.new, limits.file_bytes)
            if isinstance(read, Unread):
                return None
            after = read
        elif os.path.lexists(os.path.join(os.fsencode(top), patch.path)):
            return None
        before = revert_hunks(after or b"", patch.hunks)
        if before is None or (patch.old is None and before):
            return None
        states[patch.path] = (before if patch.old is not None else None, after)
    return states


def _applied(
    known: dict[bytes, bytes], patches: list[FilePatch]
) -> dict[bytes, tuple[bytes | None, bytes | None]] | None:
    states: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    for patch in patches:
        if patch.old is None:
            before = None
            fits = patch.path not in known
        else:
            before = known.get(patch.old)
            fits = before is not None
        after = apply_hunks(before or b"", patch.hunks) if fits else None
        if after is None or (patch.new is None and after):
            return None
        states[patch.path] = (before, after if patch.new is not None else None)
    return states


def _at_head(
    repository: Repository, patches: list[FilePatch], limits: CaptureLimits
) -> dict[bytes, bytes]:
    """The contents at HEAD of the plain files that the patches name, as far as the limits allow."""
    names = set(chain.from_iterable(_names(patch) for patch in patches))
    listed = repository.git.run(
        "ls-tree", "-z", "--full-tree", "HEAD", "--", *sorted(map(os.fsdecode, names))
    )
    ids = {name: blob for row in listed.split(b"\0") for name, blob in _plain_file(row)}
    ids = {name: blob for name, blob in ids.items() if name in names}
    sizes = measure_blobs(repository.git, ids.values())
    small = {blob: size for blob, size in sizes.items() if size <= limits.file_bytes}
    contents = read_blobs(repository.git, small, limits)
    return {name: contents[blob] for name, blob in ids.items() if blob in contents}


def _names(patch: FilePatch) -> Iterator[bytes]:
    return (name for name in (patch.new, patch.old) if name is not None)


def _plain_file(row: bytes) -> Iterator[tuple[bytes, str]]:
    """Name and blob of a line of `git ls-tree`, if it is about a plain file."""
    facts, _, name = row.partition(b"\t")
    words = facts.split()
    if words[:1] in ([b"100644"], [b"100755"]):
        yield name, words[2].decode("ascii")
