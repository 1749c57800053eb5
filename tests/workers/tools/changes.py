"""Subjects and repositories that the tests of the tools make themselves."""

from __future__ import annotations

import difflib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from shared.models.review_replies import CheckedFixes, RedTeamCritique, ReviewCritique
from shared.models.subject import FileChange, LineRange, Origin, Subject
from workers.tools.analysers.edits import file_patch
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

Contents = str | bytes | None


def as_bytes(content: Contents) -> bytes | None:
    return content.encode() if isinstance(content, str) else content


def changed_lines(before: bytes | None, after: bytes) -> tuple[LineRange, ...]:
    old = (before or b"").split(b"\n")[: -1 if before else None]
    new = after.split(b"\n")
    if new and not new[-1]:
        new.pop()
    blocks = difflib.SequenceMatcher(None, old if before else [], new, autojunk=False).get_opcodes()
    return tuple(
        LineRange(first=start + 1, last=end)
        for kind, _, _, start, end in blocks
        if kind != "equal" and end > start
    )


def subject_of(
    documents: MemoryDocuments,
    files: Mapping[str, tuple[Contents, Contents]],
    origin: Origin | None = None,
) -> Subject:
    """A subject whose files go from the first to the second content (None: absent)."""
    changes = []
    for path, (old, new) in files.items():
        before, after = as_bytes(old), as_bytes(new)
        status: Literal["added", "deleted", "modified"] = "deleted" if after is None else "modified"
        if before is None:
            status = "added"
        changes.append(
            FileChange(
                path=path,
                status=status,
                changed=changed_lines(before, after) if after is not None else (),
                before=documents.put(before) if before is not None else None,
                after=documents.put(after) if after is not None else None,
            )
        )
    return Subject(
        title="A change",
        diff=documents.put(b"a diff"),
        files=tuple(changes),
        origin=origin or Origin(),
    )


def stored(documents: MemoryDocuments, subject: Subject) -> str:
    return documents.put(subject.model_dump_json().encode())


def added(documents: MemoryDocuments, **files: Contents) -> str:
    """The hash of a subject that adds `a_py="..."` as a.py."""
    named = {name.replace("__", "/").replace("_py", ".py"): (None, c) for name, c in files.items()}
    return stored(documents, subject_of(documents, named))


def review(tool: str, documents: MemoryDocuments, subject: str) -> ReviewCritique:
    inputs = {"subject": subject, "reply_model": "critique.review"}
    reply = run_tool(tool, inputs, ToolContext(documents, 60.0))
    assert isinstance(reply, ReviewCritique)
    return reply


def red_team(tool: str, documents: MemoryDocuments, subject: str) -> RedTeamCritique:
    inputs = {"subject": subject, "reply_model": "critique.red-team"}
    reply = run_tool(tool, inputs, ToolContext(documents, 60.0))
    assert isinstance(reply, RedTeamCritique)
    return reply


def rules(reply: ReviewCritique | RedTeamCritique) -> list[str]:
    return [finding.rule or "" for finding in reply.findings]


def check(documents: MemoryDocuments, subject: str, *patches: str) -> CheckedFixes:
    """The reply of fixes.check for patches that mend F1, F2, ..."""
    fixes: list[JsonValue] = [
        {"findings": [f"F{n}"], "patch": patch, "source": "test"}
        for n, patch in enumerate(patches, 1)
    ]
    reply = run_tool(
        "fixes.check", {"subject": subject, "fixes": fixes}, ToolContext(documents, 60.0)
    )
    assert isinstance(reply, CheckedFixes)
    return reply


def patch_of(path: str, before: str, after: str) -> str:
    patch = file_patch(path, before, after)
    assert patch is not None
    return patch


@dataclass(frozen=True)
class Repo:
    """A real repository."""

    root: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, Contents]) -> None:
        for path, content in files.items():
            target = self.root / path
            data = as_bytes(content)
            if data is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    def commit(self, files: Mapping[str, Contents], message: str = "work") -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def read(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")

    def state(self) -> tuple[str, str, str]:
        """What must not change when something is applied on a branch."""
        return self.git("status", "--porcelain"), self.git("rev-parse", "HEAD"), self.git("diff")


def new_repo(root: Path, *, object_format: str = "sha1") -> Repo:
    root.mkdir(parents=True)
    repo = Repo(root.resolve())
    repo.git("init", "-q", "-b", "main", f"--object-format={object_format}")
    repo.git("config", "user.name", "홍길동")
    repo.git("config", "user.email", "hong@example.org")
    return repo
