"""Trying patches on the captured state, each by itself, in a repository of our own.

Only its index is used: no working tree exists in which a path or a link could lead anywhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from shared.errors import ToolError
from workers.tools.fixes.merging import LineEdit
from workers.tools.fixes.patches import FilePatch, Patch, guarded, parse
from workers.tools.git import Git, own_repository
from workers.tools.sandbox.sandbox import Countdown

REGULAR = "100644"
APPLY = ("apply", "--cached", "--recount", "--whitespace=nowarn")
DIFF = ("diff-index", "--cached", "-p", "--full-index", "--no-renames", "--no-color", "--text")
SAFE = ("--no-ext-diff", "--no-textconv")
# With -R git swaps the prefixes too.
FORWARD = ("--src-prefix=a/", "--dst-prefix=b/")
REVERSE = ("-R", "--src-prefix=b/", "--dst-prefix=a/")
BARE_END = re.compile(rb"(?<!\r)\n")
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+")
NO_END = b"\\ No newline"


@dataclass(frozen=True)
class Trial:
    """What one patch does to the captured state: the edits by path, or the problem."""

    problem: str | None
    edits: Mapping[str, tuple[LineEdit, ...]]


@dataclass(frozen=True)
class Bench:
    """The captured state: `blobs` are its text files that no rule guards, `crlf` those with CRLF lines."""

    git: Git
    blobs: Mapping[str, str]
    crlf: Collection[str]

    def try_all(self, patches: Sequence[str]) -> list[Trial]:
        """Apply each patch to the captured state by itself.

        Each gets its own copy of the files (`0/path`, `1/path`, ...), so that one call of git tries many.
        """
        parsed = [parse(patch, self.blobs.keys()) for patch in patches]
        tried = {n: _in_folder(p, n) for n, p in enumerate(parsed) if not isinstance(p, str)}
        copies = {
            file.path: (REGULAR, self.blobs[file.path.partition("/")[2]])
            for patch in tried.values()
            for file in patch.files
        }
        git = self.git.with_new_index()
        git.stage(copies)
        base = git.line("write-tree")
        problems = self._apply_all(git, tried)
        after = git.entries()
        if after.keys() != copies.keys() or any(mode != REGULAR for mode, _ in after.values()):
            raise ToolError(
                "git understood a fix otherwise than it was checked: no fix is offered."
            )
        edits = _edits(git.run(*DIFF, *SAFE, *FORWARD, "-U0", base))
        return [
            Trial(outcome, {})
            if (outcome := p if isinstance(p, str) else problems[n])
            else _trial(edits.get(n, {}))
            for n, p in enumerate(parsed)
        ]

    def _apply_all(self, git: Git, patches: Mapping[int, Patch]) -> dict[int, str | None]:
        """All in one call, which is all or nothing; when that fails, one half and then the other."""
        if not patches:
            return {}
        numbers = list(patches)
        complaint = _apply(git, "".join(patch.text() for patch in patches.values()))
        if complaint is None:
            return dict.fromkeys(numbers)
        if len(numbers) == 1:
            crlf = {f"{numbers[0]}/{path}" for path in self.crlf}
            if _apply(git, patches[numbers[0]].repaired(crlf).text()) is None:
                return {numbers[0]: None}
            return {numbers[0]: "it does not apply to the reviewed state"}
        half = len(numbers) // 2
        first = self._apply_all(git, {number: patches[number] for number in numbers[:half]})
        return first | self._apply_all(git, {number: patches[number] for number in numbers[half:]})

    def diff(self, after: Mapping[str, bytes]) -> tuple[str, str]:
        """The patch from the captured state to `after`, and the one that takes it back."""
        git = self.git.with_new_index()
        git.stage({path: (REGULAR, self.blobs[path]) for path in after})
        base = git.line("write-tree")
        git.write_blobs(after.values())
        git.stage({path: (REGULAR, git_blob_id(data)) for path, data in after.items()})
        forward = git.run(*DIFF, *SAFE, *FORWARD, base).decode("utf-8")
        reverse = git.run(*DIFF, *SAFE, *REVERSE, base).decode("utf-8")
        git.run("read-tree", base)
        if forward and _apply(git, forward, "--check") is not None:
            raise ToolError("The combined patch does not apply to the reviewed state.")
        return forward, reverse


@contextmanager
def bench(files: Mapping[str, bytes], countdown: Countdown) -> Iterator[Bench]:
    """A bench with those contents; files that are no text or that no fix may touch are left out."""
    texts = {path: data for path, data in files.items() if guarded(path) is None and is_text(data)}
    with own_repository(countdown, isolate=True) as git:
        git.write_blobs(texts.values())
        blobs = {path: git_blob_id(data) for path, data in texts.items()}
        crlf = {path for path, data in texts.items() if b"\n" in data and not BARE_END.search(data)}
        yield Bench(git, blobs, crlf)


def git_blob_id(data: bytes, object_format: str = "sha1") -> str:
    """git's name for that content."""
    if object_format not in ("sha1", "sha256"):
        raise ToolError(f"git's object format {object_format!r} is not known.")
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data) + data)
    return digest.hexdigest()


def is_text(data: bytes) -> bool:
    """True for UTF-8 without NUL: what a patch can say."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _in_folder(patch: Patch, number: int) -> Patch:
    return Patch(tuple(FilePatch(f"{number}/{file.path}", file.hunks) for file in patch.files))


def _apply(git: Git, text: str, *options: str) -> str | None:
    finished = git.attempt(*APPLY, *options, "-", stdin=text.encode("utf-8"))
    return None if finished.code == 0 else finished.complaint


def _trial(edits: Mapping[str, tuple[LineEdit, ...]]) -> Trial:
    return Trial(None if edits else "it changes nothing", edits)


def _edits(diff: bytes) -> dict[int, dict[str, tuple[LineEdit, ...]]]:
    """The edits of a diff without context lines, by the number of the copy and by path."""
    found: dict[int, dict[str, tuple[LineEdit, ...]]] = {}
    for section in re.split(rb"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(rb"^(?=@@ -)", section, flags=re.MULTILINE)
        name = head.partition(b"\n+++ b/")[2].split(b"\n")[0].split(b"\t")[0]
        number, _, path = name.decode("utf-8").partition("/")
        found.setdefault(int(number), {})[path] = tuple(_edit(hunk) for hunk in hunks)
    return found


def _edit(hunk: bytes) -> LineEdit:
    header, *lines = hunk.split(b"\n")[:-1]
    match = HUNK.match(header)
    if match is None:
        raise ToolError("git wrote a diff that is not understood.")
    start, size = int(match[1]), int(match[2] or 1)
    start -= 1 if size else 0  # "-5,0" is an insertion after line 5
    fresh = [line[1:] + b"\n" for line in lines if line.startswith(b"+")]
    if len(lines) > 1 and lines[-1].startswith(NO_END) and lines[-2].startswith(b"+"):
        fresh[-1] = fresh[-1].removesuffix(b"\n")
    return LineEdit(start, start + size, tuple(fresh))
