"""How deep a review goes: one cheap reviewer first, the whole panel where that is not enough (docs/design/depth.md).

Pure: what follows from the change (`risks`) and from the first replies (`doubts.py`) is a list of reasons. Without a
reason one reviewer is enough; with any the panel is asked, so nothing is rejected or found by one cheap voice alone.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import ClassVar

from orchestrator.core.discussion.estimate import Price
from orchestrator.core.replay.commands import RecordBody
from shared.models.notices import Notice, notice
from shared.models.panel import Panel, Participant
from shared.models.subject import FileChange, Subject
from shared.patterns import regex

MOST_FILES = 10
MOST_LINES = 300
TYPICAL_TOKENS = (4_000, 1_000)
"""In and out, of the call by which prices are compared."""


class Depth(StrEnum):
    """Who reads a change: the whole panel, or one reviewer and the panel where it is needed."""

    FULL = "full"
    ADAPTIVE = "adaptive"


# Words in a path, each by itself, behind which a mistake costs most.
_WORDS = {
    "security": "auth authn authz authentication authorization login oauth sso session sessions password passwords "
    "passwd credential credentials secret secrets token tokens crypto cryptography encryption cipher signature "
    "signing certificate certificates tls ssl permission permissions acl rbac sandbox security sanitize sanitizer csrf "
    "cors firewall",
    "money": "payment payments billing invoice invoices checkout pricing refund refunds ledger wallet tax",
    "data": "migration migrations schema backup restore",
    "delivery": "deploy deployment terraform ansible kubernetes helm k8s infra infrastructure",
}
_GLOBS = {
    "data": ("*.sql",),
    "delivery": (
        *(
            ".github/*",
            ".gitlab-ci.yml",
            ".ci/*",
            "*Dockerfile*",
            "*docker-compose*",
            "*.tf",
            "Makefile",
        ),
        *("Jenkinsfile", "*/Makefile", "setup.py", "conftest.py", "*/conftest.py", "*.service"),
    ),
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_PARTS = regex(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")


class DepthRecord(RecordBody):
    """Who was asked first, and why the panel is asked; without a reason nobody else is."""

    kind: ClassVar[str] = "depth"

    first: tuple[str, ...]
    reasons: tuple[Notice, ...] = ()

    @property
    def deepens(self) -> bool:
        """Whether the whole panel is asked."""
        return bool(self.reasons)


def first_reviewer(panel: Panel, price: Price) -> str | None:
    """The cheapest model of the critics by its price; the first one where a price is not known or two are the same.

    None where there are not two readers to choose from: then the panel is as small as it can be.
    """
    readers = sum(not critic.rule_based for critic in panel.critics)
    models = [critic for critic in panel.critics if critic.is_model]
    if not models or readers < 2:
        return None
    costs = {model.name: price(model, *TYPICAL_TOKENS) for model in models}
    known = {name: cost for name, cost in costs.items() if cost is not None}
    return models[0].name if known != costs else min(known, key=lambda name: known[name])


def asked_first(panel: Panel, reviewer: str) -> tuple[Participant, ...]:
    """Who takes part without the panel: the reviewer, and the analysers, which cost nothing."""
    return tuple(c for c in panel.critics if c.rule_based or c.name == reviewer)


# ---- what the change says -----------------------------------------------------------------------


def risks(subject: Subject, globs: Sequence[str], *, mends: bool) -> Iterator[Notice]:
    """Why a change is for the panel before anybody has read it. `mends`: it is a fix that was applied in this run."""
    if mends:
        yield notice("deeper_fix")
    lines = subject.added_lines + subject.removed_lines
    if lines > MOST_LINES:
        yield notice("deeper_lines", n=lines, most=MOST_LINES)
    if len(subject.files) > MOST_FILES:
        yield notice("deeper_files", n=len(subject.files), most=MOST_FILES)
    for file in subject.files:
        if (kind := risk_of(file, globs)) is not None:
            yield notice(f"deeper_path_{kind}", path=file.path)


def risk_of(file: FileChange, globs: Sequence[str] = ()) -> str | None:
    """What kind of risk a file's path, or a former one, says: `named` where a glob of the configuration has it."""
    paths = [path for path in (file.path, file.old_path) if path is not None]
    if any(fnmatchcase(path, glob) for path in paths for glob in globs):
        return "named"
    return next(filter(None, map(_kind, paths)), None)


def _kind(path: str) -> str | None:
    for word in map(str.lower, _PARTS.findall(path)):
        kind = _KINDS.get(word) or _KINDS.get(word.rstrip(string.digits))  # oauth2 is oauth
        if kind is not None:
            return kind
    fitting = (
        kind for kind, globs in _GLOBS.items() if any(fnmatchcase(path, glob) for glob in globs)
    )
    return next(fitting, None)
