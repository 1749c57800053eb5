"""What a tool says about itself, so that a workflow or a router can pick it without loading it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from shared.delivery.contracts import QUEUE_TOOLS
from shared.models.wire import ForeignWire, Wire


class ToolKind(StrEnum):
    """What a tool is for."""

    ANALYSER = "analyser"
    """Takes part in a discussion: it answers with a critique."""
    COMMAND = "command"
    """Takes part in a discussion, too: a program that somebody configured, or that is known and installed."""
    REPORT = "report"
    """Takes part in a discussion, too: what a linter found elsewhere, as somebody handed it in."""
    CHECK = "check"
    """Judges what somebody proposed."""
    FIX = "fix"
    """Changes a person's files, or takes that back."""
    STAGE = "stage"
    """Reads or compares texts for its workflow, always."""
    LENS = "lens"
    """Looks at a text from one point of view, where a router picks it."""


@dataclass(frozen=True)
class ToolScope:
    """What a tool can read: files of a language, known by their names' ends; everything when none is named."""

    language: str | None = None
    suffixes: tuple[str, ...] = ()

    def reads(self, path: str, language: str | None = None) -> bool:
        """True for a file that the tool can read. Its `language` may be known from elsewhere than its name."""
        if not self.suffixes:
            return True
        return path.endswith(self.suffixes) or (language is not None and language == self.language)

    def reads_any(self, paths: Collection[str]) -> bool:
        """True when one of the files can be read."""
        return any(self.reads(path) for path in paths)


@dataclass(frozen=True)
class ToolLimits:
    """What a run of a tool may use: time, and for each of its programs address space and processors."""

    timeout_s: float = 120.0
    memory_mb: int = 4096
    processors: int = 2


ORDINARY = ToolLimits()


@dataclass(frozen=True)
class ToolCost:
    """What a run on a change of some files usually takes: seconds of one processor, and money."""

    seconds: float
    usd: float = 0.0


@dataclass(frozen=True)
class ToolCard:
    """One tool. `purpose` is one sentence, for people and for a router's prompt.

    `module` is loaded by a worker on first use and has `run(inputs, context)`, which takes an instance of `inputs` and
    returns one of `reply`. `packages` are the distributions that it calls. A tool that is not `read_only` touches what
    belongs to a person: it runs where nothing else does, and only after that person's decision. `command` is the input
    that a person's program is named in: a worker runs only what was entered on its machine.
    """

    name: str
    purpose: str
    kind: ToolKind
    module: str
    inputs: type[Wire]
    reply: type[ForeignWire]
    cost: ToolCost
    scope: ToolScope = ToolScope()
    limits: ToolLimits = ORDINARY
    packages: tuple[str, ...] = ()
    queue: str = QUEUE_TOOLS
    read_only: bool = True
    command: str | None = None
