"""`quorate graph impact`."""

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
from orchestrator.presentation.code_graph import impact_lines
from orchestrator.workflows.graph.options import GraphOptions
from shared.tools.graph_question import GraphQuestion


@click.command(
    epilog=example("quorate graph impact shop/models.py", "quorate graph impact User.save --json")
)
@click.argument("symbol", metavar="SYMBOL|FILE")
@depth_option(5)
@limit_option
@question_options
def impact(symbol: str, depth: int, limit: int, **asking: Any) -> int:
    """Who depends on a symbol or on anything in a file: callers, what inherits from it, their files, and tests."""
    question = GraphQuestion.IMPACT
    options = GraphOptions(question=question, names=(symbol,), depth=depth, limit=limit)
    return ask(options, Asking(**asking), impact_lines)
