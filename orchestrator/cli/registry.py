"""The commands by name. `quorate --help` reads this table and imports none of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A command: where it is, and what it does in one line."""

    target: str
    help: str
    hidden: bool = False


def _in(module: str, help_text: str, *, hidden: bool = False) -> Entry:
    return Entry(f"orchestrator.cli.commands.{module}", help_text, hidden)


COMMANDS: dict[str, Entry] = {
    "review": _in("review:review", "Review a change: panel, synthesis, your decision, fix."),
    "list": _in("list:list_", "The runs, the newest first."),
    "show": _in("show:show", "A run's result, rounds, prompts or events."),
    "cost": _in("cost:cost", "What was spent, by participant, run or day."),
    "watch": _in("watch:watch", "Follow a run until it ends or asks."),
    "inbox": _in("inbox:inbox", "The decisions that wait for a person."),
    "decide": _in("decide:decide", "Answer a decision: apply_fix or skip."),
    "answer": _in("answer:answer", "Take your turn as a participant."),
    "undo": _in("undo:undo", "Take an applied fix back."),
    "cancel": _in("cancel:cancel", "End a run; nothing of it starts any more."),
    "resume": _in("resume:resume", "Look at a blocked run again."),
    "participants": _in("participants:participants", "Who can take part here."),
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
