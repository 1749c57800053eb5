"""`quorate agent modes` and `quorate trace`: the machine of the agent, and the path that a run took through it."""

from __future__ import annotations

import os

import click

from orchestrator.application.backend import connected
from orchestrator.application.report import report_of
from orchestrator.cli.options import example, json_option, language_option, run_argument
from orchestrator.cli.reader import words_for, words_in
from orchestrator.core.document import Block, Grid, Heading, Item, Items
from orchestrator.presentation.formats.text import as_lines
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows.agent.modes import INTENTS, AgentMode
from orchestrator.workflows.agent.records import TransitionRecord
from orchestrator.workflows.agent.transitions import DONE, TRANSITIONS, available
from orchestrator.workflows.agent.transitions import diagram as drawn
from orchestrator.workflows.agent.workflow import WORKFLOW
from shared.errors import UserError


@click.command(
    epilog=example("quorate agent modes", "quorate agent modes --json | jq .transitions")
)
@click.option("--diagram", is_flag=True, help="The machine as a Mermaid diagram.")
@json_option
@language_option
def modes(diagram: bool, as_json: bool, language: str | None) -> int:
    """The modes of the agent, and what leads from each to the next."""
    terminal = Terminal.of(os.environ)
    if diagram:
        terminal.result(drawn())
        return 0
    if as_json:
        rows = [
            {
                "from": row.from_mode,
                "to": row.to_mode,
                "trigger": row.trigger,
                "condition": row.condition,
                "priority": row.priority,
            }
            for row in TRANSITIONS
        ]
        whole = {"schema_version": SCHEMA_VERSION, "modes": list(AgentMode), "transitions": rows}
        terminal.result(dumps(whole))
        return 0
    words = words_in(language)
    items = tuple(
        Item(_ways(mode) or words.message("agent_begins_here"), mode, _named(mode, words))
        for mode in AgentMode
    )
    terminal.result(as_lines([Items(items)], terminal.columns))
    return 0


def _named(mode: AgentMode, words: Translator) -> str:
    """`Debugging, by error_intent`"""
    return ", ".join(filter(None, (words.message(f"agent_mode_{mode}"), INTENTS.get(mode))))


def _ways(mode: AgentMode) -> str:
    """`target_found > implementation, ...`, without the ways that every mode has."""
    rows = (row for row in available(mode) if row.trigger != DONE and mode is not AgentMode.IDLE)
    return ", ".join(
        f"{row.trigger}{f' [{row.condition}]' if row.condition else ''} > {row.to_mode}"
        for row in rows
    )


@click.command(epilog=example("quorate agent trace last", "quorate agent trace r3k --json"))
@run_argument
@json_option
@language_option
def trace(run: str, as_json: bool, language: str | None) -> int:
    """The path of an agent's run through its modes, also while it goes on."""
    with connected(os.environ, workers=False) as backend:
        report = report_of(backend, run)
    if report.run.workflow != WORKFLOW.name:
        raise UserError(
            "{run} is a run of {workflow}: only one of {agent} has a path through modes",
            run=report.run.id,
            workflow=report.run.workflow,
            agent=WORKFLOW.name,
        )
    rows = [
        TransitionRecord.model_validate(record.body)
        for record in report.records
        if record.kind == TransitionRecord.kind
    ]
    terminal = Terminal.of(os.environ)
    if as_json:
        path = [row.model_dump(mode="json") for row in rows]
        terminal.result(
            dumps({"schema_version": SCHEMA_VERSION, "run": report.run.id, "path": path})
        )
        return 0
    words = words_for(language, report.spec.language)
    heads = ("agent_head_mode", "agent_head_trigger", "agent_head_why", "agent_head_version")
    table = tuple(
        (
            words.message(f"agent_mode_{row.to_mode}"),
            row.trigger if row.condition is None else f"{row.trigger} [{row.condition}]",
            "" if row.why is None else words.translate(row.why),
            str(row.context.version),
        )
        for row in rows
    )
    shown: list[Block] = [
        Heading(words.message("agent_path")),
        Grid(tuple(map(words.message, heads)), table),
    ]
    terminal.result(as_lines(shown, terminal.columns))
    return 0
