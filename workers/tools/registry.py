"""The tools by name. A tool is a module with `name`, `summary` and `run`; adding one is one line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from pydantic import JsonValue

from shared.errors import ToolError
from shared.models.wire import ForeignWire


class Documents(Protocol):
    """The content-addressed store, as a tool sees it."""

    def get(self, sha256: str) -> bytes:
        """The document of that hash; raises `ToolError` when there is none."""

    def put(self, data: bytes) -> str:
        """Store `data` and return its sha256 in hex; storing it twice is the same as once."""


@dataclass(frozen=True)
class ToolContext:
    """All that a tool may use besides its inputs. `deadline_s`: seconds that this run may take.

    `confirm` is called at the last moment before something of a person's is changed. It raises `ToolError` when the
    step was given to somebody else meanwhile, or its run was ended: what that one did may be undone by now.
    """

    documents: Documents
    deadline_s: float
    confirm: Callable[[], None] = lambda: None


class Tool(Protocol):
    """A module of this package: `inputs` are small values and document hashes.

    `run` returns an instance of the reply model that its docstring names and raises `ToolError` for
    everything that can be expected, hostile inputs included.
    """

    name: str
    summary: str

    def run(self, inputs: Mapping[str, JsonValue], context: ToolContext) -> ForeignWire:
        """Do the work once; the same inputs give the same reply."""


TOOLS: dict[str, str] = {
    "ruff": "workers.tools.analysers.ruff",
    "bandit": "workers.tools.analysers.bandit",
    "complexity": "workers.tools.analysers.complexity",
    "diffcheck": "workers.tools.analysers.diffcheck",
    "fixes.check": "workers.tools.fixes.check_fixes",
    "apply": "workers.tools.fixes.apply",
    "undo": "workers.tools.fixes.undo",
}


def lookup(name: str) -> Tool:
    """The tool called `name`, its module loaded on first use; raises `ToolError` for an unknown one."""
    try:
        module = TOOLS[name]
    except KeyError:
        known = ", ".join(sorted(TOOLS))
        raise ToolError(f"There is no tool called {name!r}; known are: {known}.") from None
    return cast(Tool, importlib.import_module(module))
