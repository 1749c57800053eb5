"""`quorate graph export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from orchestrator.application.backend import Backend
from orchestrator.application.code_graph import graph_of
from orchestrator.cli.commands.graph.asking import Asking, answer_with, state_options
from orchestrator.cli.options import example, language_option, quiet_option
from orchestrator.cli.work_options import output_obstacle
from orchestrator.presentation.code_graph_export import FORMATS, exported
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows.graph.options import GraphOptions
from shared.models.code_answers import GraphAnswer
from shared.sentences import Sentence


@click.command(
    epilog=example("quorate graph export dot -o shop.dot", "quorate graph export | jq .edges")
)
@click.argument("format_", metavar="[json|dot|graphml]", type=click.Choice(FORMATS), default="json")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A file instead of standard output."
)
@state_options
@language_option
@quiet_option
def export(format_: str, output: Path | None, **asking: Any) -> int:
    """The whole graph: nodes, and edges with file and line. `external` nodes are outside of the repository."""
    if output is not None and (obstacle := output_obstacle(output)) is not None:
        raise click.UsageError(Sentence("-o {path}: {why}", path=str(output), why=obstacle))

    def deliver(backend: Backend, answer: GraphAnswer, _terminal: Terminal) -> None:
        rows = exported(graph_of(backend, answer), format_)
        if output is None:
            sys.stdout.writelines(rows)
        else:
            with output.open("w", encoding="utf-8") as file:
                file.writelines(rows)

    return answer_with(GraphOptions(), Asking(**asking), deliver)
