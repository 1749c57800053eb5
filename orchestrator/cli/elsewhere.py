"""Which commands work through the service that `--server` names, and what the others say.

A command works there unless it stands in one of the two tables here, alone or with its group.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import click

from orchestrator.workflows import GRAPH, UNDO

SERVER = "QUORATE_SERVER"


class CommandReach(StrEnum):
    """Where a command works."""

    SERVICE = "through a service"
    ALONE = "without any server"
    HERE = "on this machine only"


ALONE = frozenset(
    {
        *("batch from-git", "batch schema", "batch validate", "config", "docs", GRAPH),
        *("init", "keys", "prompts", "trust"),
    }
)
"""What asks no servers at all, named or not."""

_FILES = "works on files of its own machine"
_PROCESSES = "starts, stops or looks at processes of its own machine"
_STORED = "computes with what is stored on its own machine's servers"
_ACCESS = "gives access to the installation, which only its own machine may"
HERE: Mapping[str, str] = {
    "agent": _FILES,
    "case": _FILES,
    UNDO: "changes files of the machine that the fix was applied on",
    "ci": "labels a run with its pipeline, which the API does not take: submit with `quorate review --server` instead",
    **dict.fromkeys(("agent-modes", "agent-trace", "diff", "eval", "fork", "replay"), _STORED),
    **dict.fromkeys(
        ("db", "backup", "restore", "encryption", "export", "import", "purge", "hold"),
        "looks after the stored data where it is",
    ),
    **dict.fromkeys(
        ("doctor", "up", "down", "logs", "flower", "orchestrator", "scheduler", "supervise"),
        _PROCESSES,
    ),
    **dict.fromkeys(
        ("status", "health", "metrics"),
        "looks at processes of its own machine: /api/v1/status, /readyz and /metrics of the service say the same",
    ),
    **dict.fromkeys(("serve", "mcp"), "serves the runs of its own machine"),
    "tokens": _ACCESS,
    "webhooks": "holds addresses and secrets of the installation: /api/v1/webhooks of the service changes them",
    "participants list": "looks for programs and keys of its own machine: /api/v1/participants lists the service's",
    "participants models": "reads the configuration of its own machine",
    "participants allow": _ACCESS,
    "participants login": "opens a browser on its own machine",
}
"""Why a command works on this machine only, as the end of a sentence that begins with its name."""


def server_of(environ: Mapping[str, str]) -> str | None:
    """The service that commands speak to instead of servers of their own."""
    return environ.get(SERVER) or None


def reach_of(words: Sequence[str]) -> tuple[CommandReach, str]:
    """Where the command works that these words begin with, and why no further; its group's rule is its own."""
    for name in (" ".join(words[:2]), " ".join(words[:1])):
        if name in ALONE:
            return CommandReach.ALONE, ""
        if name in HERE:
            return CommandReach.HERE, HERE[name]
    return CommandReach.SERVICE, ""


def refuse_configuration(config: Path | None) -> None:
    """Raise click.UsageError for a configuration of this machine: a service has its own."""
    if config is not None:
        from shared.sentences import Sentence  # the help of a command loads no models

        raise click.UsageError(
            Sentence("--config: the service has a configuration of its own: leave it out")
        )


def refuse_elsewhere(words: Sequence[str]) -> None:
    """Raise click.UsageError where a service is named and the command needs servers of its own."""
    reach, why = reach_of(words)
    if reach is CommandReach.HERE and (url := server_of(os.environ)) is not None:
        named = " ".join(words[:2] if " ".join(words[:2]) in HERE else words[:1])
        raise click.UsageError(
            f"`quorate {named}` {why}. It does not work through {url}: leave --server out and unset {SERVER}"
        )
