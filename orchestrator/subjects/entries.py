"""The files of a comparison as git lists them, and the contents of their blobs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.subjects.comparisons import StateComparison
from orchestrator.subjects.request import CaptureLimits
from orchestrator.subjects.screening import megabytes
from shared.errors import EnvironmentFault, SubjectError
from shared.git.process import Git, OutputTooLarge

ABSENT = b"000000"
NARROW = (
    "Narrow it: give a path or a smaller range (`quorate review src/`, `quorate review HEAD~1..HEAD`), "
    "stage only what should be reviewed, or exclude generated files (review.exclude)."
)

# Every option that a configuration file could turn is named, so that the output is always the same.
DIFF_OPTIONS = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--full-index",
    "--find-renames",
    "--ignore-submodules=dirty",
    "--submodule=short",
    f"-O{os.devnull}",
)
# `--text`: an attribute of the repository must not hide a text file as binary; real ones are left out by name.
PATCH_OPTIONS = (
    *DIFF_OPTIONS,
    "--text",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=default",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


@dataclass(frozen=True)
class ChangedEntry:
    """One changed file: git's status letter, modes, blob ids (None: absent, or only on disk) and names."""

    status: str
    old_mode: bytes
    new_mode: bytes
    old_id: str | None
    new_id: str | None
    old: bytes
    path: bytes

    @property
    def blobs(self) -> tuple[str, ...]:
        """The ids of the states that git has stored."""
        return tuple(blob for blob in (self.old_id, self.new_id) if blob is not None)

    @property
    def on_disk(self) -> bool:
        """True when the new state is a file of the working tree that git has not stored."""
        return self.new_mode != ABSENT and self.new_id is None


def list_entries(
    git: Git, comparison: StateComparison, pathspecs: tuple[str, ...]
) -> tuple[ChangedEntry, ...]:
    """The changed files. Raises SubjectError for unmerged ones."""
    raw = git.run(
        "diff", "--raw", "-z", "--no-abbrev", *DIFF_OPTIONS, *comparison.states, "--", *pathspecs
    )
    words = iter(raw.split(b"\0"))
    entries = []
    for word in words:
        if not word.startswith(b":"):
            continue
        old_mode, new_mode, old_id, new_id, status = word[1:].split(b" ")
        old = next(words)
        path = next(words) if status[:1] in b"RC" else old
        entries.append(
            ChangedEntry(
                status[:1].decode("ascii"), old_mode, new_mode, _id(old_id), _id(new_id), old, path
            )
        )
    unmerged = sorted({os.fsdecode(entry.path) for entry in entries if entry.status == "U"})
    if unmerged:
        raise SubjectError(
            "A merge is not finished: {unmerged} still has conflicts. Resolve and stage them before "
            "a review.",
            unmerged=", ".join(unmerged[:5]),
        )
    return tuple(entries)


def list_untracked(git: Git, pathspecs: tuple[str, ...]) -> tuple[bytes, ...]:
    """The files that git neither knows nor ignores; a trailing slash marks a repository inside."""
    listed = git.run(
        "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", *pathspecs
    )
    return tuple(name for name in listed.split(b"\0") if name)


def read_patch(
    git: Git,
    comparison: StateComparison,
    pathspecs: tuple[str, ...],
    left_out: Iterable[bytes],
    limits: CaptureLimits,
) -> bytes:
    """The unified diff without the files that are left out. Raises SubjectError over the limit."""
    excluded = [f":(top,exclude,literal){os.fsdecode(path)}" for path in left_out]
    try:
        return git.run(
            "diff", *PATCH_OPTIONS, *comparison.states, "--", *pathspecs, *excluded,
            limit=limits.diff_bytes,
        )  # fmt: skip
    except OutputTooLarge as error:
        raise diff_too_large(limits) from error


def diff_too_large(limits: CaptureLimits) -> SubjectError:
    """The sentence for a diff over the limit."""
    return SubjectError(
        "The change is too large: its diff is over {size}. {advice}",
        size=megabytes(limits.diff_bytes),
        advice=NARROW,
    )


def measure_blobs(git: Git, ids: Iterable[str]) -> dict[str, int]:
    """The size in bytes of each blob. Raises EnvironmentFault when one is missing."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    answer = git.run("cat-file", "--batch-check", given="\n".join(wanted).encode("ascii") + b"\n")
    sizes = {}
    for line in answer.decode("ascii", "replace").splitlines():
        words = line.split()
        if len(words) != 3:
            raise EnvironmentFault(
                "The repository lacks the object {object}. It is damaged or a partial clone: `git fsck` "
                "tells which.",
                object=words[0],
            )
        sizes[words[0]] = int(words[2])
    return sizes


def read_blobs(git: Git, sizes: Mapping[str, int], limits: CaptureLimits) -> dict[str, bytes]:
    """The contents of the blobs. Raises SubjectError when they are over the limit together."""
    if sum(sizes.values()) > limits.contents_bytes:
        raise SubjectError(
            "The changed files are too large together: {size}; the limit is {limit}. {advice}",
            size=megabytes(sum(sizes.values())),
            limit=megabytes(limits.contents_bytes),
            advice=NARROW,
        )
    if not sizes:
        return {}
    answer = git.run("cat-file", "--batch", given="\n".join(sizes).encode("ascii") + b"\n")
    contents, at = {}, 0
    for blob, size in sizes.items():
        start = answer.index(b"\n", at) + 1
        contents[blob] = answer[start : start + size]
        at = start + size + 1
    return contents


def size_on_disk(top: Path, path: bytes) -> int:
    """The size of a file of the working tree; 0 when it cannot be seen."""
    try:
        return os.lstat(os.path.join(os.fsencode(top), path)).st_size
    except OSError:
        return 0


def _id(word: bytes) -> str | None:
    return None if word.strip(b"0") == b"" else word.decode("ascii")
