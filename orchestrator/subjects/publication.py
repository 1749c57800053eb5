"""Where a reviewed commit can be seen on the web, so that a result can link to its lines."""

from __future__ import annotations

import re

from orchestrator.core.forges import FORGES, PublishedCommit
from shared.git.process import Git
from shared.patterns import regex

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# `https://host/owner/name.git`, `git@host:owner/name`, `ssh://git@host/owner/name`: what stands before the host is
# left out, since it may be a password.
_ADDRESS = regex(
    r"(?:(?:https|ssh|git)://(?:[^@/\s]+@)?(?P<host>[\w.-]+)(?::\d+)?/|(?:[^@/\s]+@)?(?P<scp>[\w.-]+):)"
    r"(?P<project>[\w.-]+(?:/[\w.-]+)+)/?",
    re.ASCII,
)

# Where a forge's runner keeps what it fetched for a pull or merge request.
_MADE_BY_FORGES = (
    "--glob=refs/remotes/pull/*",
    "--glob=refs/merge-requests/*",
    "--glob=refs/pipelines/*",
)


def published(git: Git, commit: str | None) -> PublishedCommit | None:
    """Where the commit is; None for uncommitted states, unknown hosts, and what no remote branch has yet.

    A pipeline for a pull request works on a commit that the forge itself made, and has it under a name of its own.
    """
    if commit is None or not _COMMIT.fullmatch(commit):
        return None
    remote = (git.ask("remote") or "").split()
    name = "origin" if "origin" in remote else next(iter(remote), None)
    address = git.ask("remote", "get-url", name) if name is not None else None
    project = project_page(address or "")
    # Its name is an answer when no remote branch leads to it; None, when git cannot tell.
    unknown = git.ask(
        "rev-list", "--max-count=1", commit, "--not", f"--remotes={name}", *_MADE_BY_FORGES
    )
    if project is None or unknown != "":
        return None
    return PublishedCommit(project=project, commit=commit)


def project_page(address: str) -> str | None:
    """The page of a remote's project; None where nothing is known of its host."""
    found = _ADDRESS.fullmatch(address.strip())
    host = (found["host"] or found["scp"]).lower() if found else ""
    if found is None or host not in FORGES:
        return None
    return f"https://{host}/{found['project'].removesuffix('.git')}"
