"""Trying patches on the captured state, each by itself, in a repository of our own.

Only its index is used: no working tree exists in which a path or a link could lead anywhere.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.errors import ToolError
from shared.git.patch import Hunk, parse_patch
from shared.git.process import Git
from workers.tools.fixes.merging import LineEdit
from workers.tools.fixes.patches import Proposal, ProposedFile, guarded, parse
from workers.tools.sandbox.git import own_repository
from workers.tools.sandbox.sandbox import Countdown

REGULAR = "100644"
APPLY = ("apply", "--cached", "--recount", "--whitespace=nowarn")
DIFF = ("diff-index", "--cached", "-p", "--full-index", "--no-renames", "--no-color", "--text")
SAFE = ("--no-ext-diff", "--no-textconv")
# With -R git swaps the prefixes too.
FORWARD = ("--src-prefix=a/", "--dst-prefix=b/")
REVERSE = ("-R", "--src-prefix=b/", "--dst-prefix=a/")
BARE_END = re.compile(rb"(?<!\r)\n")


@dataclass(frozen=True)
class FixTrial:
    """What one patch does to the captured state: the edits by path, or the problem."""

    problem: str | None
    edits: Mapping[str, tuple[LineEdit, ...]]


@dataclass(frozen=True)
class Bench:
    """The captured state: `blobs` are its text files that no rule guards, `crlf` those with CRLF lines."""

    git: Git
    home: Path
    blobs: Mapping[str, str]
    crlf: Collection[str]

    def try_all(self, patches: Sequence[str]) -> list[FixTrial]:
        """Apply each patch to the captured state by itself.

        Each gets its own copy of the files (`0/path`, `1/path`, ...), so that one call of git tries many.
        """
        proposals = [parse(patch, self.blobs.keys()) for patch in patches]
        problems = {n: p for n, p in enumerate(proposals) if isinstance(p, str)}
        tried = {n: _in_folder(p, n) for n, p in enumerate(proposals) if not isinstance(p, str)}
        tried_problems, edits = self._try(tried)
        problems |= tried_problems
        return [_trial(problems.get(n), edits.get(n, {})) for n in range(len(proposals))]

    def _try(
        self, tried: Mapping[int, Proposal]
    ) -> tuple[dict[int, str], dict[int, dict[str, tuple[LineEdit, ...]]]]:
        """The problems and the edits of patches whose files lie in folders of their numbers."""
        copies = {
            file.path: (REGULAR, self.blobs[file.path.partition("/")[2]])
            for patch in tried.values()
            for file in patch
        }
        git = self._with_new_index()
        git.stage(copies)
        base = git.line("write-tree")
        problems = self._apply_all(git, tried)
        after = git.entries()
        if after.keys() != copies.keys() or any(mode != REGULAR for mode, _ in after.values()):
            raise ToolError(
                "git read a fix differently from how it was checked: no fix is offered."
            )
        return problems, _edits(git.run(*DIFF, *SAFE, *FORWARD, "-U0", base))

    def _with_new_index(self) -> Git:
        return self.git.with_index(Path(tempfile.mkdtemp(dir=self.home)) / "index")

    def _apply_all(self, git: Git, patches: Mapping[int, Proposal]) -> dict[int, str]:
        """All in one call, which is all or nothing; when that fails, one half and then the other."""
        if not patches or _applies(git, b"".join(_text(patch) for patch in patches.values())):
            return {}
        numbers = list(patches)
        if len(numbers) == 1:
            repaired = self._applies_repaired(git, numbers[0], patches[numbers[0]])
            return {} if repaired else {numbers[0]: "it does not apply to the reviewed state"}
        half = len(numbers) // 2
        first = self._apply_all(git, {number: patches[number] for number in numbers[:half]})
        return first | self._apply_all(git, {number: patches[number] for number in numbers[half:]})

    def _applies_repaired(self, git: Git, number: int, patch: Proposal) -> bool:
        crlf = {f"{number}/{path}" for path in self.crlf}
        files = [file.repaired(crlf=file.path in crlf) for file in patch]
        # Models leave out what follows the change; git then wants the file to end there.
        bare = ("--unidiff-zero",) if all(file.says_where for file in files) else ()
        return _applies(git, _text(files), *bare)

    def diff(self, after: Mapping[str, bytes]) -> tuple[str, str]:
        """The patch from the captured state to `after`, and the one that takes it back."""
        git = self._with_new_index()
        git.stage({path: (REGULAR, self.blobs[path]) for path in after})
        base = git.line("write-tree")
        git.write_blobs(after.values())
        git.stage({path: (REGULAR, git_blob_id(data)) for path, data in after.items()})
        forward = git.run(*DIFF, *SAFE, *FORWARD, base)
        reverse = git.run(*DIFF, *SAFE, *REVERSE, base)
        git.run("read-tree", base)
        if forward and not _applies(git, forward, "--check"):
            raise ToolError("The combined patch does not apply to the reviewed state.")
        return forward.decode("utf-8"), reverse.decode("utf-8")


@contextmanager
def bench(files: Mapping[str, bytes], countdown: Countdown) -> Iterator[Bench]:
    """A bench with those contents; files that are no text or that no fix may touch are left out."""
    texts = {path: data for path, data in files.items() if guarded(path) is None and is_text(data)}
    with own_repository(countdown, isolate=True) as (git, home):
        git.write_blobs(texts.values())
        blobs = {path: git_blob_id(data) for path, data in texts.items()}
        crlf = {path for path, data in texts.items() if b"\n" in data and not BARE_END.search(data)}
        yield Bench(git, home, blobs, crlf)


def git_blob_id(data: bytes, object_format: str = "sha1") -> str:
    """git's name for that content."""
    if object_format not in ("sha1", "sha256"):
        raise ToolError(
            "git's object format {object_format!r} is not known.", object_format=object_format
        )
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


def _in_folder(proposal: Proposal, number: int) -> Proposal:
    return tuple(ProposedFile(f"{number}/{file.path}", file.hunks) for file in proposal)


def _text(proposal: Iterable[ProposedFile]) -> bytes:
    return b"".join(file.text for file in proposal)


def _applies(git: Git, patch: bytes, *options: str) -> bool:
    return git.attempt(*APPLY, *options, "-", given=patch).code == 0


def _trial(problem: str | None, edits: Mapping[str, tuple[LineEdit, ...]]) -> FixTrial:
    return FixTrial(problem or (None if edits else "it changes nothing"), {} if problem else edits)


def _edits(diff: bytes) -> dict[int, dict[str, tuple[LineEdit, ...]]]:
    """The edits of a diff without context lines, by the number of the copy and by path."""
    edits: dict[int, dict[str, tuple[LineEdit, ...]]] = {}
    for file in parse_patch(diff) if diff else ():
        number, _, path = file.path.decode("utf-8").partition("/")
        edits.setdefault(int(number), {})[path] = tuple(map(_edit, file.hunks))
    return edits


def _edit(hunk: Hunk) -> LineEdit:
    start = hunk.old_start - (hunk.old_count > 0)  # "-5,0" is an insertion after line 5
    fresh = tuple(line.text for line in hunk.lines if line.tag == b"+")
    return LineEdit(start, start + hunk.old_count, fresh)
