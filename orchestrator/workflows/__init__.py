"""The workflows: a folder each, one row each. `registry.py` loads them; this table alone loads nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkflowRow:
    """A workflow: its name, the module whose `WORKFLOW` describes it, and what it does in one line.

    Without a `summary` no command of that name submits it. `former_names` and `former_flags` work, are in no help,
    and are answered with the new name. The words after one that `discusses` are a subject that participants are paid to
    work on, so a mistyped command is looked for there.
    `korean` are the words that are typed for it. With one of the `flags` a question without a workflow is for this one.
    Words that begin with one of the `asides` are no subject: `agent modes` is the hidden command `agent-modes`.
    Runs of one that `titles` them are called after what they look at, in words of ours, not by what somebody typed.
    """

    name: str
    module: str
    summary: str = ""
    former_names: tuple[str, ...] = ()
    discusses: bool = False
    korean: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    former_flags: tuple[str, ...] = ()
    flags_help: str = ""
    asides: tuple[str, ...] = ()
    titles: bool = False


UNDO = "undo"
"""Takes back what a run applied; the command that submits it takes a run."""

GRAPH = "graph"
"""Answers a question about the code of a repository; the command of that name has its own subcommands."""

ROWS = (
    WorkflowRow(
        "ask",
        "orchestrator.workflows.ask.workflow",
        'Ask a panel; same as `quorate "question"`.',
    ),
    WorkflowRow(
        "forum",
        "orchestrator.workflows.forum.workflow",
        "Let a panel discuss a question until it agrees.",
        former_names=("debate",),
        discusses=True,
        korean=("토론",),
        flags=("-d", "--forum"),
        former_flags=("--debate",),
        flags_help="Let them discuss it, as `quorate forum` does.",
    ),
    WorkflowRow(
        "plan",
        "orchestrator.workflows.plan.workflow",
        "Have a plan challenged; revise or accept it.",
        discusses=True,
        korean=("계획",),
    ),
    WorkflowRow(
        "panel",
        "orchestrator.workflows.panel.workflow",
        "Debate a question before a judge.",
        discusses=True,
    ),
    WorkflowRow(
        "review",
        "orchestrator.workflows.review.workflow",
        "Review a change: panel, synthesis, your decision, fix.",
        korean=("검토", "리뷰", "실행"),
        titles=True,
    ),
    WorkflowRow(
        "case",
        "orchestrator.workflows.case.workflow",
        "Check a clinical case: lenses, critics, solutions.",
        korean=("증례",),
    ),
    WorkflowRow(
        "agent",
        "orchestrator.workflows.agent.workflow",
        "Have a task done in a repository, under your approval.",
        discusses=True,
        korean=("에이전트",),
        asides=("modes", "trace"),
    ),
    WorkflowRow(UNDO, "orchestrator.workflows.undo", titles=True),
    WorkflowRow(GRAPH, "orchestrator.workflows.graph.workflow"),
)

DEFAULT = ROWS[0].name
"""The workflow that a question means which names none."""
