"""The workflows: a folder each, one row each. `registry.py` loads them; this table alone loads nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkflowRow:
    """A workflow: its name, the module whose `WORKFLOW` describes it, and what it does in one line.

    Without a `summary` no command of that name submits it. `aliases` are other names of the command. The words after
    one that `discusses` are a subject that participants are paid to work on, so a mistyped command is looked for there.
    With `own_command` a file in cli/commands writes it out; else it is made of the descriptor.
    """

    name: str
    module: str
    summary: str = ""
    aliases: tuple[str, ...] = ()
    discusses: bool = False
    own_command: bool = False


ROWS = (
    WorkflowRow(
        "ask",
        "orchestrator.workflows.ask.workflow",
        'Ask a panel; so does `quorate "question"`.',
        own_command=True,
    ),
    WorkflowRow(
        "forum",
        "orchestrator.workflows.forum.workflow",
        "Let a panel discuss a question until it agrees.",
        aliases=("debate",),
        discusses=True,
        own_command=True,
    ),
    WorkflowRow(
        "plan",
        "orchestrator.workflows.plan.workflow",
        "Have a plan challenged; revise or accept it.",
        discusses=True,
        own_command=True,
    ),
    WorkflowRow(
        "panel",
        "orchestrator.workflows.panel.workflow",
        "Debate a question before a judge.",
        discusses=True,
        own_command=True,
    ),
    WorkflowRow(
        "review",
        "orchestrator.workflows.review.workflow",
        "Review a change: panel, synthesis, your decision, fix.",
        own_command=True,
    ),
    WorkflowRow("undo", "orchestrator.workflows.undo"),
)
