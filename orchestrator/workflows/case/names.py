"""What the parts of a case are called in the reader's language: nodes and tools, checks, concepts, quantities."""

from __future__ import annotations

from orchestrator.core.views.context import ViewContext
from orchestrator.workflows.case.result import CaseResult

CaseView = ViewContext[CaseResult]


def node(view: CaseView, name: str) -> str:
    """A part of the graph, or a tool."""
    return view.word(f"case_node_{name}", name)


def by_whom(view: CaseView, name: str) -> str:
    """A tool or a role by its word; a participant by its name."""
    return view.word(f"case_by_{name}", node(view, name))


def check(view: CaseView, code: str) -> str:
    """A check of a lens."""
    return view.word(f"case_check_{code}", code.replace("_", " "))


def concept(view: CaseView, text: str) -> str:
    """A problem, a drug, a test, with whatever follows it: `metformin 500 mg`; any other text as it is."""
    words = text.split(" ")
    for length in range(len(words), 0, -1):
        word = view.word(f"concept_{' '.join(words[:length])}", "")
        if word:
            return " ".join((word, *words[length:]))
    return text


def quantity(view: CaseView, name: str) -> str:
    """What was measured."""
    return view.word(f"quantity_{name}", name.replace("_", " "))
