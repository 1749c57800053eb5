"""What can be asked of the graph of a repository's code: apart from the tools, for commands that only offer it."""

from __future__ import annotations

from enum import StrEnum


class GraphQuestion(StrEnum):
    """What can be asked of a graph."""

    BUILD = "build"
    CALLERS = "callers"
    CALLEES = "callees"
    CHAIN = "chain"
    IMPACT = "impact"
    SEARCH = "search"
