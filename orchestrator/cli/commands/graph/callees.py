"""`quorate graph callees`."""

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


@click.command(epilog=example("quorate graph callees shop.checkout.pay --json"))
@click.argument("symbol")
@depth_option(1)
@limit_option
@question_options
def callees(symbol: str, depth: int, limit: int, **asking: Any) -> int:
    """What SYMBOL calls; with --depth also what those call."""
    question = GraphQuestion.CALLEES
    options = GraphOptions(question=question, names=(symbol,), depth=depth, limit=limit)
    return ask(options, Asking(**asking), link_lines)
