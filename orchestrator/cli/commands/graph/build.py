"""`quorate graph build`."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.graph.asking import Asking, ask, question_options
from orchestrator.cli.options import example
from orchestrator.presentation.code_graph import figure_lines
from orchestrator.workflows.graph.options import GraphOptions


@click.command(epilog=example("quorate graph build", "quorate graph build --rev v1.2 --json"))
@question_options
def build(**asking: Any) -> int:
    """Read the code and make its graph. Files that any commit had before are not read again.

    Questions make the graph themselves where there is none yet.
    """
    return ask(GraphOptions(), Asking(**asking), figure_lines)
