"""A review's spec, subject and documents, small enough to read, for tests of workflow, engine and workers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.core.replay.materials import Materials
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.workflow import VERSION
from shared.git.diff_pieces import FileText, cut_change
from shared.models.panel import Panel, Participant
from shared.models.run import NEWEST_RULES, Budget, DecisionPolicy, RunSpec
from shared.models.subject import FileChange, LineRange, Origin, Subject

PATCH = "--- a/app.py\n+++ b/app.py\n@@ -2 +2 @@\n-    return eval(x)\n+    return int(x)\n"
BEFORE = b"def f(x):\n    return int(x)\n"
AFTER = b"def f(x):\n    return eval(x)\n"
DIFF = "--- a/app.py\n+++ b/app.py\n@@ -2 +2 @@\n-    return int(x)\n+    return eval(x)\n"


def sha(content: bytes) -> str:
    """A document's name."""
    return hashlib.sha256(content).hexdigest()


def documents_of_change(
    diff: str = DIFF, title: str = "app.py: eval"
) -> tuple[str, dict[str, bytes]]:
    """A captured change: the subject's name, and every document that it needs."""
    subject = Subject(
        title=title,
        diff=sha(diff.encode()),
        files=(
            FileChange(
                path="app.py",
                status="modified",
                changed=(LineRange(first=2, last=2),),
                before=sha(BEFORE),
                after=sha(AFTER),
            ),
        ),
        origin=Origin(repository="/nowhere", base="a" * 40, reviewed="b" * 40, head="b" * 40),
    )
    body = subject.model_dump_json().encode()
    return sha(body), {sha(c): c for c in (body, diff.encode(), BEFORE, AFTER)}


def large_change(files: int = 40, lines: int = 80, last: str = "") -> tuple[str, dict[str, bytes]]:
    """A captured change of many new files, about ten tokens a line; every file ends with `last`."""
    documents: dict[str, bytes] = {}

    def put(content: bytes) -> str:
        documents[sha(content)] = content
        return sha(content)

    diffs, changes = [], []
    for number in range(files):
        path = f"pkg/part{number:03}.py"
        after = (
            "".join(f"value_{number}_{line} = compute({line})\n" for line in range(lines)) + last
        )
        count = after.count("\n")
        body = "".join(f"+{line}\n" for line in after.splitlines())
        head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        diffs.append(FileText(path, f"{head}@@ -0,0 +1,{count} @@\n{body}".encode()))
        changes.append(
            FileChange(
                path=path,
                status="added",
                changed=(LineRange(first=1, last=count),),
                after=put(after.encode()),
            )
        )
    subject = Subject(
        title="commit: many files",
        diff=put(b"".join(part.text for part in diffs)),
        files=tuple(changes),
        pieces=cut_change(diffs, put),
        counts_unread=True,
    )
    return put(subject.model_dump_json().encode()), documents


@dataclass(frozen=True)
class Submission:
    """What `Engine.submit` takes."""

    spec: RunSpec
    documents: Mapping[str, bytes]

    @property
    def materials(self) -> Materials:
        """The same as a workflow sees it."""
        return Materials(self.documents.__getitem__, "r1")


def participant(name: str, provider: str = "scripted", **fields: Any) -> Participant:
    """Somebody who speaks."""
    return Participant(name=name, provider=provider, model="stub", **fields)


def submission(
    *,
    critics: int = 2,
    options: ReviewOptions | None = None,
    decision: DecisionPolicy | None = None,
    budget: Budget | None = None,
    panel: Panel | None = None,
    version: int = VERSION,
    diff: str = DIFF,
    change: tuple[str, dict[str, bytes]] | None = None,
) -> Submission:
    """A review of a one-line change (or of `change`) by `critics` scripted critics."""
    subject, documents = change or documents_of_change(diff)
    templates = json.dumps(prompts.load("review", "en")).encode()
    if panel is None:
        names = [f"critic{number}" for number in range(1, critics + 1)]
        panel = Panel(
            critics=tuple(participant(name) for name in names),
            author=participant("author"),
            chair=participant("chair"),
        )
    options = options or ReviewOptions()
    if "callers" not in options.model_fields_set:  # the repository is nowhere
        options = options.model_copy(update={"callers": False})
    spec = RunSpec(
        workflow="review",
        workflow_version=version,
        rules_version=NEWEST_RULES,
        subject=subject,
        prompts=sha(templates),
        panel=panel,
        options=options.model_dump(mode="json"),
        decision=decision or DecisionPolicy(),
        budget=budget or Budget(),
        seed="seed",
    )
    return Submission(spec, {**documents, sha(templates): templates})
