"""The commands by name. `quorate --help` reads this table and imports none of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.workflows import GRAPH, ROWS, UNDO


class CommandGroup(StrEnum):
    """What a command is for: the headings of help, in their order."""

    WORK = "Start work"
    DECIDE = "Decide"
    RUNS = "Look at runs"
    COMPARE = "Compare and measure"
    CODE = "Look at code"
    SET_UP = "Set up"
    OPERATE = "Operate"
    OTHER = "Commands"


@dataclass(frozen=True)
class CommandEntry:
    """A command: where it is, what it does in one line, and under which heading help lists it."""

    target: str
    help: str
    group: CommandGroup = CommandGroup.OTHER
    hidden: bool = False


def _in(
    module: str,
    help_text: str,
    group: CommandGroup = CommandGroup.OTHER,
    *,
    hidden: bool = False,
) -> CommandEntry:
    return CommandEntry(f"orchestrator.cli.commands.{module}", help_text, group, hidden)


def _workflows() -> dict[str, CommandEntry]:
    commands: dict[str, CommandEntry] = {}
    for row in ROWS:
        if row.summary:
            target = f"workflow:{row.name}"
            commands[row.name] = _in(target, row.summary, CommandGroup.WORK)
            other = f"A former name of {row.name}."
            commands |= {name: _in(target, other, hidden=True) for name in row.former_names}
    return commands


COMMANDS: dict[str, CommandEntry] = {
    **_workflows(),
    "batch": _in("batch:batch", "Many runs from one file.", CommandGroup.WORK),
    "ci": _in("ci:ci", "Review the change of a pipeline.", CommandGroup.WORK),
    "inbox": _in("inbox:inbox", "The decisions that wait for a person.", CommandGroup.DECIDE),
    "decide": _in(
        "decide:decide",
        "Answer a decision: apply_fix or skip, revise or accept.",
        CommandGroup.DECIDE,
    ),
    "answer": _in("answer:answer", "Take your turn as a participant.", CommandGroup.DECIDE),
    UNDO: _in("undo:undo", "Take back an applied fix.", CommandGroup.DECIDE),
    "list": _in("list:list_", "The runs, newest first.", CommandGroup.RUNS),
    "show": _in("show:show", "A run's result, rounds, prompts or events.", CommandGroup.RUNS),
    "watch": _in("watch:watch", "Follow a run until it ends or asks.", CommandGroup.RUNS),
    "wait": _in("wait:wait", "Wait for a run in a pipeline.", CommandGroup.RUNS),
    "cost": _in("cost:cost", "What was spent, by participant, run or day.", CommandGroup.RUNS),
    "cancel": _in("cancel:cancel", "End a run; no further step starts.", CommandGroup.RUNS),
    "resume": _in("resume:resume", "Try a blocked run again.", CommandGroup.RUNS),
    "replay": _in(
        "replay:replay",
        "What a run would have come to under other rules.",
        CommandGroup.COMPARE,
    ),
    "fork": _in(
        "fork:fork", "Continue a run another way, from one of its steps.", CommandGroup.COMPARE
    ),
    GRAPH: _in(
        "graph:graph", "What calls, imports and reaches what in a repository.", CommandGroup.CODE
    ),
    "diff": _in("diff:diff", "What differs between two runs.", CommandGroup.COMPARE),
    "agent-modes": _in("agent:modes", "The modes of an agent.", hidden=True),
    "agent-trace": _in("agent:trace", "The path of an agent's run.", hidden=True),
    "eval": _in(
        "eval:eval_", "Measure panels on cases with labelled defects.", CommandGroup.COMPARE
    ),
    "init": _in("init:init", "Write a configuration for what is found here.", CommandGroup.SET_UP),
    "participants": _in(
        "participants:participants", "Who can take part here.", CommandGroup.SET_UP
    ),
    "config": _in(
        "config:config", "The settings that apply here: show, check, presets.", CommandGroup.SET_UP
    ),
    "trust": _in(
        "trust:trust", "Repositories whose own configuration you trust.", CommandGroup.SET_UP
    ),
    "prompts": _in(
        "prompts:prompts", "The prompts, and how to override them.", CommandGroup.SET_UP
    ),
    "keys": _in("keys:keys", "Keys in the keyring: set, list, rm.", CommandGroup.SET_UP),
    "doctor": _in(
        "doctor:doctor", "Check this machine and say what is missing.", CommandGroup.SET_UP
    ),
    "docs": _in("docs:docs", "The documentation, a page at a time.", CommandGroup.SET_UP),
    "up": _in("up:up", "Start the embedded servers and the workers.", CommandGroup.OPERATE),
    "down": _in("down:down", "Stop them.", CommandGroup.OPERATE),
    "status": _in(
        "status:status", "Servers, processes and runs at a glance.", CommandGroup.OPERATE
    ),
    "health": _in("health:health", "Whether runs go on: a probe.", CommandGroup.OPERATE),
    "metrics": _in("metrics:metrics", "What Prometheus reads of it.", CommandGroup.OPERATE),
    "logs": _in("logs:logs", "The logs of servers and workers.", CommandGroup.OPERATE),
    "db": _in("db:db", "The database's schema: upgrade, current.", CommandGroup.OPERATE),
    "backup": _in("backup:backup", "The embedded database in a file.", CommandGroup.OPERATE),
    "restore": _in("backup:restore", "Put a backup into an empty instance.", CommandGroup.OPERATE),
    "encryption": _in(
        "encryption:encryption", "Stored texts under a key of yours.", CommandGroup.OPERATE
    ),
    "export": _in(
        "export:export", "A run in a file, to be imported elsewhere.", CommandGroup.OPERATE
    ),
    "import": _in("export:import_", "Read a run from a file.", CommandGroup.OPERATE),
    "purge": _in("purge:purge", "Remove runs that ended long ago.", CommandGroup.OPERATE),
    "hold": _in("hold:hold", "Keep runs from every purge.", CommandGroup.OPERATE),
    "schedule": _in(
        "schedule:schedule", "Runs that start by themselves, at their times.", CommandGroup.OPERATE
    ),
    "webhooks": _in(
        "webhooks:webhooks", "Report what happened to other systems.", CommandGroup.OPERATE
    ),
    "serve": _in("serve:serve", "The HTTP API and the pages.", CommandGroup.OPERATE),
    "tokens": _in("tokens:tokens", "Who may use the HTTP API.", CommandGroup.OPERATE),
    "mcp": _in("mcp:mcp", "Runs and decisions for coding assistants (MCP).", CommandGroup.OPERATE),
    "flower": _in("flower:flower", "The Flower dashboard, on loopback.", CommandGroup.OPERATE),
    "orchestrator": _in(
        "orchestrator:orchestrator",
        "Run an orchestrator process (a service).",
        CommandGroup.OPERATE,
    ),
    "scheduler": _in(
        "scheduler:scheduler",
        "Run a process that starts scheduled runs (a service).",
        CommandGroup.OPERATE,
    ),
    "supervise": _in("supervise:supervise", "Keep the embedded processes alive.", hidden=True),
}

DISCUSSIONS = frozenset(
    name for row in ROWS if row.discusses for name in (row.name, *row.former_names)
)
"""Commands whose words are a subject that participants are paid to work on; `ask` takes everything."""
