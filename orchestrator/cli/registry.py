"""The commands by name. `quorate --help` reads this table and imports none of them."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.workflows import ROWS, UNDO


@dataclass(frozen=True)
class CommandEntry:
    """A command: where it is, and what it does in one line."""

    target: str
    help: str
    hidden: bool = False


def _in(module: str, help_text: str, *, hidden: bool = False) -> CommandEntry:
    return CommandEntry(f"orchestrator.cli.commands.{module}", help_text, hidden)


def _workflows() -> dict[str, CommandEntry]:
    commands: dict[str, CommandEntry] = {}
    for row in ROWS:
        if row.summary:
            target = f"workflow:{row.name}"
            commands[row.name] = _in(target, row.summary)
            other = f"Another name of {row.name}."
            commands |= {alias: _in(target, other, hidden=True) for alias in row.aliases}
    return commands


COMMANDS: dict[str, CommandEntry] = {
    **_workflows(),
    "list": _in("list:list_", "The runs, newest first."),
    "show": _in("show:show", "A run's result, rounds, prompts or events."),
    "replay": _in("replay:replay", "What a run would have come to under other rules."),
    "fork": _in("fork:fork", "Continue a run another way, from one of its steps."),
    "diff": _in("diff:diff", "What differs between two runs."),
    "eval": _in("eval:eval_", "Measure panels on cases with labelled defects."),
    "cost": _in("cost:cost", "What was spent, by participant, run or day."),
    "watch": _in("watch:watch", "Follow a run until it ends or asks."),
    "inbox": _in("inbox:inbox", "The decisions that wait for a person."),
    "decide": _in("decide:decide", "Answer a decision: apply_fix or skip, revise or accept."),
    "answer": _in("answer:answer", "Take your turn as a participant."),
    UNDO: _in("undo:undo", "Take back an applied fix."),
    "cancel": _in("cancel:cancel", "End a run; no further step starts."),
    "resume": _in("resume:resume", "Try a blocked run again."),
    "participants": _in("participants:participants", "Who can take part here."),
    "config": _in("config:config", "The settings that apply here, and the presets."),
    "prompts": _in("prompts:prompts", "The prompts, and how to override them."),
    "keys": _in("keys:keys", "Keys in the keyring: set, list, rm."),
    "up": _in("up:up", "Start the embedded servers and the workers."),
    "down": _in("down:down", "Stop them."),
    "status": _in("status:status", "Servers, processes and runs at a glance."),
    "doctor": _in("doctor:doctor", "Check this machine and say what is missing."),
    "logs": _in("logs:logs", "The logs of servers and workers."),
    "db": _in("db:db", "The database's schema: upgrade, current."),
    "serve": _in("serve:serve", "Runs and decisions as JSON over HTTP, on loopback."),
    "flower": _in("flower:flower", "The Flower dashboard, on loopback."),
    "orchestrator": _in("orchestrator:orchestrator", "Run an orchestrator process (a service)."),
    "supervise": _in("supervise:supervise", "Keep the embedded processes alive.", hidden=True),
}

DISCUSSIONS = frozenset(name for row in ROWS if row.discusses for name in (row.name, *row.aliases))
"""Commands whose words are a subject that participants are paid to work on; `ask` takes everything."""
