"""`quorate graph callers`."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.graph.asking import (
    Asking,
    ask,
    depth_option,
    limit_option,
    question_options,
)
from orchestrator.cli.options import example
from orchestrator.presentation.code_graph import link_lines
from orchestrator.workflows.graph.options import GraphOptions
from shared.tools.graph_question import GraphQuestion


@click.command(epilog=example("quorate graph callers User.save --depth 3"))
@click.argument("symbol")
@depth_option(1)
@limit_option
@question_options
def callers(symbol: str, depth: int, limit: int, **asking: Any) -> int:
    """Who calls SYMBOL, or makes objects of the class; with --depth also who calls those."""
    question = GraphQuestion.CALLERS
    options = GraphOptions(question=question, names=(symbol,), depth=depth, limit=limit)
    return ask(options, Asking(**asking), link_lines)
