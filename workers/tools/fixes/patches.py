"""What a proposed patch may do, judged on its text before git sees it.

Its author may have counted badly, so it is read loosely, and then written again: git never sees a header that its
proposer wrote. The second door is `combination`, which looks at what git made of it: nothing depends on this alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from shared.git.hunks import CONTEXT, edited_file_patch
from shared.git.patch import Hunk, HunkLine, hunk_of
from shared.models.placeholders import MASKED
from shared.text.notebooks import SUFFIX
from workers.tools.snapshot import path_problem

MAX_PATCH = 256 * 1024
BLANK = HunkLine(b" ", b"\n")
# Headers that ask for more than changed lines. A line of a hunk never starts so.
REFUSED_HEADERS: dict[str, str] = {
    "GIT binary patch": "it is a binary patch",
    "Binary files ": "it is a binary patch",
    "rename ": "it renames a file",
    "copy ": "it copies a file",
    "similarity index ": "it renames or copies a file",
    "old mode ": "it changes a file's mode",
    "new mode ": "it changes a file's mode",
    "new file mode ": "it creates a file",
    "deleted file mode ": "it deletes a file",
    "Subproject commit ": "it changes a submodule",
}
# Folders and files that make machines act: only people change them. Compared without case.
GUARDED_FOLDERS = frozenset(
    (
        ".git .github .gitlab .gitea .forgejo .circleci .buildkite .teamcity .woodpecker .husky "
        ".githooks .ci .vscode .idea .devcontainer .hg .svn .jj .cargo .claude .cursor .gemini "
        ".codex .semaphore .tekton .azure-pipelines"
    ).split()
)
GUARDED_FILES = frozenset(
    (
        ".gitattributes .gitmodules .gitconfig .gitlab-ci.yml .travis.yml .drone.yml .cirrus.yml "
        ".woodpecker.yml .appveyor.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml "
        "cloudbuild.yml buildspec.yml jenkinsfile .pre-commit-config.yml lefthook.yml .envrc "
        ".quorate.yml .npmrc .yarnrc.yml .pnpmfile.cjs .mise.toml .mcp.json .devcontainer.json "
        ".bazelrc"
    ).split()
)


SHOWN_AS_CELLS = "a notebook is shown as its cells, which no patch fits: edit the cell itself"


def guarded(path: str) -> str | None:
    """Why no fix may touch `path` whatever it says, or None."""
    problem = path_problem(path)
    if problem is not None:
        return problem
    if '"' in path or "\\" in path:
        return "a patch would have to quote its name"
    file = PurePosixPath(path.casefold())
    folders = GUARDED_FOLDERS.intersection(file.parts[:-1])
    if folders:
        return f"files in {min(folders)}/ are changed by people only"
    spelled = file.with_suffix(".yml").name if file.suffix == ".yaml" else file.name
    if {file.name, spelled} & GUARDED_FILES or file.name.startswith("jenkinsfile"):
        return f"{PurePosixPath(path).name} is changed by people only"
    return None


@dataclass(frozen=True)
class ProposedFile:
    """The hunks for one file. What their headers count is what the proposer said, and may be wrong."""

    path: str
    hunks: tuple[Hunk, ...]

    @property
    def text(self) -> bytes:
        """As git takes it: names, hunks that count right, and nothing else."""
        return edited_file_patch(self.path.encode(), self.hunks)

    @property
    def says_where(self) -> bool:
        """Whether each hunk shows lines that have to be there; a number alone is no place."""
        return all(hunk.counts[0] for hunk in self.hunks)

    def repaired(self, *, crlf: bool) -> ProposedFile:
        """As it was before somebody trimmed it: the ends of hunks, and line ends where the file has CRLF."""
        return ProposedFile(self.path, tuple(_repaired(hunk, crlf=crlf) for hunk in self.hunks))


Proposal = tuple[ProposedFile, ...]
"""A patch that may be tried: modifications of text files of the change, and nothing else."""


def parse(patch: str, allowed: Collection[str]) -> Proposal | str:
    """The patch as it may be tried, or why it is refused. `allowed` are the paths that a fix may change."""
    problem = _text_refusal(patch)
    if problem is not None:
        return problem
    sections = _sections(patch.strip("\n").split("\n"))
    if not sections:
        return "it names no file"
    files = tuple(ProposedFile(new, hunks_of(body)) for _, new, body in sections)
    for (old, new, _), file in zip(sections, files, strict=True):
        problem = (
            _name_refusal(old, new, allowed) or _placeholder_refusal(file) or _place_refusal(file)
        )
        if problem is not None:
            return problem
    return files if any(file.hunks for file in files) else "it changes nothing"


def _place_refusal(file: ProposedFile) -> str | None:
    """git would put lines without any context at the end of the file, wherever they were meant to be."""
    nowhere = any(hunk.old_start and not (hunk.old_count or hunk.counts[0]) for hunk in file.hunks)
    return "it adds lines without showing where" if nowhere else None


def unreadable(patch: str) -> str | None:
    """Why nothing of a patch is read: it is empty, too large, or no text."""
    if not patch.strip():
        return "the patch is empty"
    if len(patch.encode("utf-8", "replace")) > MAX_PATCH:
        return f"the patch is larger than {MAX_PATCH // 1024} KiB"
    if "\0" in patch or any("\ud800" <= character <= "\udfff" for character in patch):
        return "it is a binary patch"
    return None


def _text_refusal(patch: str) -> str | None:
    if refusal := unreadable(patch):
        return refusal
    reasons = (
        reason
        for line in patch.strip("\n").split("\n")
        for start, reason in REFUSED_HEADERS.items()
        if line.startswith(start)
    )
    return next(reasons, None)


def _repaired(hunk: Hunk, *, crlf: bool) -> Hunk:
    """The header says how many lines there are; missing ones were blank context lines.

    Models also count badly, so this is the second try.
    """
    old, new = hunk.counts
    missing = hunk.old_count - old
    lines = hunk.lines
    if missing == hunk.new_count - new:
        lines = _with_context(lines, missing)
    return replace(hunk, lines=tuple(map(_with_crlf, lines)) if crlf else lines)


def _with_context(lines: tuple[HunkLine, ...], missing: int) -> tuple[HunkLine, ...]:
    """With the blank lines at the end that are missing, or without those that are too many."""
    if 0 < missing <= CONTEXT:
        return lines + (BLANK,) * missing
    while missing < 0 and lines and lines[-1] == BLANK:
        lines, missing = lines[:-1], missing + 1
    return lines


def _with_crlf(line: HunkLine) -> HunkLine:
    """The line with a carriage return, unless it has no end at all."""
    if not line.text.endswith(b"\n"):
        return line
    return replace(line, text=line.text.removesuffix(b"\n").removesuffix(b"\r") + b"\r\n")


def _sections(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """(old name, new name, lines after them) for every pair of `---` and `+++`."""
    sections: list[tuple[str, str, list[str]]] = []
    skip = False
    for number, line in enumerate(lines):
        following = lines[number + 1 : number + 3]
        if skip:
            skip = False
        elif line.startswith("--- ") and following and following[0].startswith("+++ "):
            if len(following) == 2 and following[1].startswith("@@ "):
                sections.append((name_of(line), name_of(following[0]), []))
                skip = True
        elif sections:
            sections[-1][2].append(line)
    return sections


def name_of(header: str) -> str:
    """The name in a `---` or `+++` line, without its prefix and what follows a tab."""
    name = header[4:].split("\t", maxsplit=1)[0].rstrip("\r")
    return name[2:] if name.startswith(("a/", "b/")) else name


def hunks_of(lines: list[str]) -> tuple[Hunk, ...]:
    """The hunks among the lines; prose around them is left out."""
    hunks: list[Hunk] = []
    inside = False
    for line in lines:
        if hunk := hunk_of(line.encode()):
            hunks.append(replace(hunk, heading=b""))
            inside = True
        elif inside and (not line or line[0] in " +-\\"):
            hunks[-1] = _with_line(hunks[-1], line)
        else:
            inside = False
    return tuple(hunks)


def _with_line(hunk: Hunk, line: str) -> Hunk:
    if not line.startswith("\\"):
        # Editors and models strip the mark of an empty context line.
        line = line or " "
        return replace(
            hunk, lines=(*hunk.lines, HunkLine(line[0].encode(), f"{line[1:]}\n".encode()))
        )
    # "No newline at end of file" is about the line before.
    last = [replace(known, text=known.text.removesuffix(b"\n")) for known in hunk.lines[-1:]]
    return replace(hunk, lines=(*hunk.lines[:-1], *last))


def _name_refusal(old: str, new: str, allowed: Collection[str]) -> str | None:
    if "/dev/null" in (old, new):
        return "a fix may not create or delete files"
    if old != new:
        return "it renames a file"
    unknown = SHOWN_AS_CELLS if new.endswith(SUFFIX) else "it is not a text file of the change"
    problem = guarded(new) or (None if new in allowed else unknown)
    return f"{new}: {problem}" if problem else None


def _placeholder_refusal(file: ProposedFile) -> str | None:
    """Refuse to write what the masking put in a secret's place; what the file itself holds may move."""
    marks = [
        (line.tag == b"+", mark)
        for hunk in file.hunks
        for line in hunk.lines
        for mark in MASKED.findall(line.text.decode())
    ]
    kept = {mark for is_added, mark in marks if not is_added}
    written = next((mark for is_added, mark in marks if is_added and mark not in kept), None)
    if written is None:
        return None
    return (
        f"{file.path}: it would write {written} into the file, which stands for a secret that its author was not "
        "shown: a person has to change these lines"
    )
