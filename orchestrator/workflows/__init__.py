"""The workflows: a folder each, one row each. `registry.py` loads them; this table alone loads nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkflowRow:
    """A workflow: its name, the module whose `WORKFLOW` describes it, and what it does in one line.

    Without a `summary` no command of that name submits it.
    """

    name: str
    module: str
    summary: str = ""


ROWS = (
    WorkflowRow(
        "ask", "orchestrator.workflows.ask.workflow", 'Ask a panel; so does `quorate "question"`.'
    ),
    WorkflowRow(
        "forum",
        "orchestrator.workflows.forum.workflow",
        "Let a panel discuss a question until it agrees.",
    ),
    WorkflowRow(
        "plan",
        "orchestrator.workflows.plan.workflow",
        "Have a plan challenged; revise or accept it.",
    ),
    WorkflowRow(
        "panel", "orchestrator.workflows.panel.workflow", "Debate a question before a judge."
    ),
    WorkflowRow(
        "review",
        "orchestrator.workflows.review.workflow",
        "Review a change: panel, synthesis, your decision, fix.",
    ),
    WorkflowRow("undo", "orchestrator.workflows.undo"),
)
