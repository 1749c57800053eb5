"""What a patch may do, judged on its text before git sees it, and what a git diff says.

A patch is understood first and then written anew, so git never sees a header that its proposer wrote. The
second door is `combination`, which looks at what git made of it: nothing depends on this parser alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from shared.errors import ToolError
from shared.models.placeholders import MASKED
from shared.models.subject import LineRange
from workers.tools.snapshot import path_problem

MAX_PATCH = 256 * 1024
CONTEXT = 3
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
WRITTEN_NAME = re.compile(r"^\+\+\+ b/([^\t\n]+)", re.MULTILINE)
WRITTEN_IDS = re.compile(r"^index ([0-9a-f]+)\.\.([0-9a-f]+)", re.MULTILINE)
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
    {
        ".git",
        ".github",
        ".gitlab",
        ".gitea",
        ".forgejo",
        ".circleci",
        ".buildkite",
        ".teamcity",
        ".woodpecker",
        ".husky",
        ".githooks",
        ".ci",
        ".vscode",
        ".idea",
        ".devcontainer",
        ".hg",
        ".svn",
        ".jj",
        ".cargo",
        ".claude",
        ".cursor",
        ".gemini",
        ".codex",
        ".semaphore",
        ".tekton",
        ".azure-pipelines",
    }
)
GUARDED_FILES = frozenset(
    {
        ".gitattributes",
        ".gitmodules",
        ".gitconfig",
        ".gitlab-ci.yml",
        ".travis.yml",
        ".drone.yml",
        ".cirrus.yml",
        ".woodpecker.yml",
        ".appveyor.yml",
        "appveyor.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml",
        "cloudbuild.yml",
        "buildspec.yml",
        "jenkinsfile",
        ".pre-commit-config.yml",
        "lefthook.yml",
        ".envrc",
        ".quorate.yml",
        ".npmrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        ".mise.toml",
        ".mcp.json",
        ".devcontainer.json",
        ".bazelrc",
    }
)


@dataclass(frozen=True)
class PatchFile:
    """One file of a git diff: its part of the text, the blob ids before and after, its added lines."""

    path: str
    text: str
    blobs: tuple[str, str]
    changed: tuple[LineRange, ...]
    added: int
    removed: int


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
class Hunk:
    """A hunk's header and lines, each with its mark."""

    header: str
    lines: tuple[str, ...]

    def repaired(self, *, crlf: bool) -> Hunk:
        """As it was before somebody trimmed it: its end, and its line ends where the file has CRLF.

        The header says how many lines there are; missing ones were blank context lines. A model counts badly
        too, so this is the second try.
        """
        match = HUNK.match(self.header)
        if match is None:
            return self
        body = [line for line in self.lines if not line.startswith("\\")]
        missing = int(match[2] or 1) - sum(1 for line in body if not line.startswith("+"))
        lines = self.lines
        if missing == int(match[4] or 1) - sum(1 for line in body if not line.startswith("-")):
            if 0 < missing <= CONTEXT:
                lines += (" ",) * missing
            while missing < 0 and lines and lines[-1] == " ":
                lines, missing = lines[:-1], missing + 1
        return Hunk(self.header, _with_crlf(lines) if crlf else lines)


@dataclass(frozen=True)
class FilePatch:
    """The hunks for one file."""

    path: str
    hunks: tuple[Hunk, ...]

    def text(self) -> str:
        """As git takes it: names, hunks, and nothing else."""
        tab = "\t" if " " in self.path else ""
        head = f"diff --git a/{self.path} b/{self.path}"
        lines = [head, f"--- a/{self.path}{tab}", f"+++ b/{self.path}{tab}"]
        for hunk in self.hunks:
            lines += [hunk.header, *hunk.lines]
        return "\n".join(lines) + "\n"

    def repaired(self, *, crlf: bool) -> FilePatch:
        """With its hunks repaired."""
        return FilePatch(self.path, tuple(hunk.repaired(crlf=crlf) for hunk in self.hunks))


@dataclass(frozen=True)
class Patch:
    """A patch that may be tried: modifications of text files of the change, and nothing else."""

    files: tuple[FilePatch, ...]

    def text(self) -> str:
        """Written anew from what was understood: git sees none of the proposer's headers."""
        return "".join(file.text() for file in self.files)

    def repaired(self, crlf: Collection[str]) -> Patch:
        """With its hunks repaired; `crlf` are the paths of files whose lines end with CRLF."""
        return Patch(tuple(file.repaired(crlf=file.path in crlf) for file in self.files))


def parse(patch: str, allowed: Collection[str]) -> Patch | str:
    """The patch as it may be tried, or why it is refused. `allowed` are the paths that a fix may change."""
    if not patch.strip():
        return "the patch is empty"
    if len(patch.encode("utf-8", "replace")) > MAX_PATCH:
        return f"the patch is larger than {MAX_PATCH // 1024} KiB"
    if "\0" in patch or any("\ud800" <= character <= "\udfff" for character in patch):
        return "it is a binary patch"
    lines = patch.strip("\n").split("\n")
    for line in lines:
        for start, reason in REFUSED_HEADERS.items():
            if line.startswith(start):
                return reason
    sections = _sections(lines)
    if not sections:
        return "it names no file"
    files: list[FilePatch] = []
    for old, new, body in sections:
        file = FilePatch(new, _hunks(body))
        problem = _name_refusal(old, new, allowed) or _placeholder_refusal(file)
        if problem is not None:
            return problem
        files.append(file)
    return Patch(tuple(files)) if any(file.hunks for file in files) else "it changes nothing"


def _with_crlf(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Each line with a carriage return, but for markers and for a last line that has no end at all."""
    following = (*lines[1:], "")
    return tuple(
        line if line.startswith("\\") or after.startswith("\\") else line.removesuffix("\r") + "\r"
        for line, after in zip(lines, following, strict=True)
    )


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
                sections.append((_name(line), _name(following[0]), []))
                skip = True
        elif sections:
            sections[-1][2].append(line)
    return sections


def _name(header: str) -> str:
    name = header[4:].split("\t", maxsplit=1)[0].rstrip("\r")
    return name[2:] if name.startswith(("a/", "b/")) else name


def _hunks(lines: list[str]) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    inside = False
    for line in lines:
        if HUNK.match(line):
            hunks.append(Hunk(line, ()))
            inside = True
        elif inside and (not line or line[0] in " +-\\"):
            # Editors and models strip the mark of an empty context line.
            hunks[-1] = Hunk(hunks[-1].header, (*hunks[-1].lines, line or " "))
        else:
            inside = False
    return tuple(hunks)


def _name_refusal(old: str, new: str, allowed: Collection[str]) -> str | None:
    if "/dev/null" in (old, new):
        return "a fix may not create or delete files"
    if old != new:
        return "it renames a file"
    problem = guarded(new) or (None if new in allowed else "it is not a text file of the change")
    return f"{new}: {problem}" if problem else None


def _placeholder_refusal(file: FilePatch) -> str | None:
    """Refuse to write what the masking put in a secret's place; what the file itself holds may move."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    held = {found for line in lines if line[:1] != "+" for found in MASKED.findall(line)}
    added = (found for line in lines if line[:1] == "+" for found in MASKED.findall(line))
    written = next((found for found in added if found not in held), None)
    if written is None:
        return None
    return (
        f"{file.path}: it would write {written} into the file, which stands for a secret that its author was not "
        "shown: a person has to change these lines"
    )


def files_of(diff: str) -> tuple[PatchFile, ...]:
    """The files of a diff that git itself wrote (full ids, no renames, no quoted paths, contents only)."""
    starts = [match.start() for match in re.finditer(r"^diff --git ", diff, re.MULTILINE)]
    return tuple(
        _measured(diff[start:end])
        for start, end in zip(starts, [*starts[1:], len(diff)], strict=True)
    )


def _measured(section: str) -> PatchFile:
    named, ids = WRITTEN_NAME.search(section), WRITTEN_IDS.search(section)
    if named is None or ids is None:
        raise ToolError("The patch is not one that git wrote.")
    ranges: list[LineRange] = []
    number = added = removed = 0
    in_hunk = False
    for line in section.split("\n"):
        match = HUNK.match(line)
        if match:
            number, in_hunk = int(match[3]), True
        elif in_hunk and line.startswith("+"):
            added += 1
            if ranges and ranges[-1].last == number - 1:
                ranges[-1] = LineRange(first=ranges[-1].first, last=number)
            else:
                ranges.append(LineRange(first=number, last=number))
            number += 1
        elif in_hunk and line.startswith("-"):
            removed += 1
        elif in_hunk and line.startswith(" "):
            number += 1
    return PatchFile(named[1], section, (ids[1], ids[2]), tuple(ranges), added, removed)
