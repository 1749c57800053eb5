"""What the fault tests let Quorate work on: reviews of a small change by a panel behind the stand-in server."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from orchestrator.settings.builtin_prompts import load
from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.panel import Panel, Participant
from shared.models.run import NEWEST_RULES, Budget, DecisionPolicy, RunSpec
from shared.store.documents import address

KEY_VARIABLE = "STAND_IN_KEY"
CANARIES = {
    "diff": "canary_in_the_diff_5d1f",
    "prompt": "canary in the persona 8c2a",
    "key": "sk-canary-key-77b0",
    "answer": "canary in the answer 3e9d",
}

_BEFORE = "def total(items):\n    return sum(items)\n"
_AFTER = f"""import os


def total(items, seen=[]):
    {CANARIES["diff"]} = os.environ
    return sum(items) + len(seen)
"""
_PATCH = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,6 +1,6 @@\n import os\n \n \n"
    "-def total(items, seen=[]):\n+def total(items, seen=()):\n"
    "     canary_in_the_diff_5d1f = os.environ\n     return sum(items) + len(seen)\n"
)

CRITICS = ("ada", "bob", "cyd")
REVIEW_STEPS = frozenset(
    {
        *(f"critique/{number}/{name}" for number in (1, 3) for name in CRITICS),
        "rebuttal/2/eve",
        "synthesis/fay",
        "fix/eve",
    }
)
"""The steps of a review in which everybody answers; all of them are paid turns."""

FIX_STEPS = frozenset(
    {
        *(f"critique/1/{name}" for name in CRITICS),
        "synthesis/fay",
        "fix/eve",
        "patches/check",
        "fixes/check",
        "apply",
    }
)
"""The steps of a one-round review whose first critic brings a patch that a person has applied."""


def git(repository: Path, *words: str) -> str:
    """Run git and return what it prints."""
    done = subprocess.run(
        ["git", *words], cwd=repository, check=True, capture_output=True, text=True
    )
    return done.stdout


@dataclass(frozen=True)
class Subject:
    """A change that was captured once, with everything that a run needs stored beside it."""

    repository: Path
    title: str
    name: str
    prompts: str
    documents: dict[str, bytes] = field(repr=False)


def make_subject(folder: Path) -> Subject:
    """A repository with one changed file, captured as the command line would."""
    repository = folder / f"repo-{uuid4().hex[:6]}"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "app.py").write_text(_BEFORE)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    (repository / "app.py").write_text(_AFTER)
    documents: dict[str, bytes] = {}

    def put(content: bytes) -> str:
        documents[address(content)] = content
        return address(content)

    subject = capture(ChangeRequest(path=repository), put)
    name = put(subject.model_dump_json().encode())
    prompts = put(json.dumps(load("review", "en")).encode())
    return Subject(repository, subject.title, name, prompts, documents)


def critique_with_patch() -> str:
    """What a critic answers that has found something and knows how to mend it."""
    finding = {
        "title": "a list as default is shared between calls",
        "severity": "MAJOR",
        "place": {"path": "app.py", "line": 4},
        "quote": "def total(items, seen=[]):",
        "suggestion": "use an empty tuple",
        "patch": _PATCH,
    }
    return json.dumps(
        {"verdict": "NEEDS_FIX", "summary": CANARIES["answer"], "findings": [finding]}
    )


def make_spec(
    subject: Subject,
    base_url: str,
    *,
    mode: str = "skip",
    timeout_s: float | None = 3600.0,
    turn_timeout_s: float = 120.0,
    models: dict[str, str] | None = None,
    budget: Budget | None = None,
    rounds: int = 3,
    apply: str = "branch",
    watched: bool = False,
) -> RunSpec:
    """A review by three critics over three rounds. `models` gives a participant another model name."""

    def member(name: str) -> Participant:
        return Participant(
            name=name,
            provider="openai",
            model=(models or {}).get(name, name),
            family=name,
            persona=CANARIES["prompt"],
            timeout_s=turn_timeout_s,
            options={"base_url": base_url, "api_key_env": KEY_VARIABLE},
        )

    return RunSpec(
        workflow="review",
        workflow_version=1,
        rules_version=NEWEST_RULES,
        subject=subject.name,
        prompts=subject.prompts,
        panel=Panel(
            critics=tuple(member(name) for name in CRITICS),
            author=member("eve"),
            chair=member("fay"),
        ),
        options=ReviewOptions(rounds=rounds, max_reviews=1, apply=apply).model_dump(mode="json"),
        decision=DecisionPolicy(mode=mode, timeout_s=timeout_s, on_timeout="skip"),
        budget=budget or Budget(),
        watched=watched,
        seed=uuid4().hex,
    )
