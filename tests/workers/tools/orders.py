"""Reviewed changes in real repositories, their approved fixes, and orders to apply them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import JsonValue

from shared.models.review_replies import Applied, CheckedFixes
from shared.models.subject import Origin
from tests.workers.tools.changes import Contents, Repo, check, patch_of, stored, subject_of
from workers.tools.fixes.combination import shown_hash
from workers.tools.registry import Documents, MemoryDocuments, ToolContext, run_tool

Reviewed = Literal["commit", "worktree", "index"]


@dataclass(frozen=True)
class Case:
    """A change under review in a repository, and fixes for it."""

    repo: Repo
    documents: MemoryDocuments
    subject: str
    fixes: list[JsonValue]
    patch: str

    def order(self, **changed: JsonValue) -> dict[str, JsonValue]:
        return {
            "subject": self.subject,
            "fixes": self.fixes,
            "only": None,
            "mode": "branch",
            "run": "run_01",
            "approved": shown_hash(self.patch),
            "effect": "run_01/apply/1",
            **changed,
        }

    def apply(self, **changed: JsonValue) -> Applied:
        return apply(self.order(**changed), self.documents)


def apply(order: Mapping[str, JsonValue], documents: Documents) -> Applied:
    reply = run_tool("apply", order, ToolContext(documents, 60.0))
    assert isinstance(reply, Applied)
    return reply


def reviewed(
    repo: Repo,
    before: Mapping[str, Contents],
    after: Mapping[str, Contents],
    mended: Mapping[str, str],
    state: Reviewed = "commit",
) -> Case:
    """The change `before` -> `after`, and one fix a file that leads to `mended` (F1, F2, ...)."""
    head = repo.commit(before, "before")
    if state == "commit":
        origin = Origin(repository=str(repo.root), base=head, reviewed=repo.commit(after, "after"))
    else:
        repo.write(after)
        if state == "index":
            repo.git("add", "-A")
        origin = Origin(repository=str(repo.root), base=head, reviewed=state, head=head)
    documents = MemoryDocuments()
    changed = {path: (before.get(path), content) for path, content in after.items()}
    subject = stored(documents, subject_of(documents, changed, origin))
    patches = []
    for path, content in mended.items():
        old = after[path]
        patches.append(patch_of(path, old if isinstance(old, str) else "", content))
    checked = _checked(tuple(changed.items()), tuple(patches))
    assert [fix.problem for fix in checked.fixes] == [None] * len(patches)
    fixes: list[JsonValue] = [fix.model_dump(mode="json") for fix in checked.fixes]
    return Case(repo, documents, subject, fixes, checked.patch)


@cache
def _checked(
    changed: tuple[tuple[str, tuple[Contents, Contents]], ...], patches: tuple[str, ...]
) -> CheckedFixes:
    """What fixes.check says of these patches, which does not depend on the repository: once for all tests."""
    documents = MemoryDocuments()
    return check(documents, stored(documents, subject_of(documents, dict(changed))), *patches)


def show(repo: Repo, revision: str) -> str:
    done = subprocess.run(
        ["git", "cat-file", "blob", revision], cwd=repo.root, check=True, capture_output=True
    )
    return done.stdout.decode()
