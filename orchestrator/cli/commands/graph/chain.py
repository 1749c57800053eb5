"""`quorate graph chain`."""

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
from orchestrator.presentation.code_graph import chain_lines
from orchestrator.workflows.graph.options import GraphOptions
from shared.tools.graph_question import GraphQuestion


@click.command(
    epilog=example("quorate graph chain main User.save", "quorate graph chain main --depth 3")
)
@click.argument("source", metavar="SYMBOL")
@click.argument("target", metavar="[SYMBOL]", required=False)
@depth_option(5)
@limit_option
@question_options
def chain(source: str, target: str | None, depth: int, limit: int, **asking: Any) -> int:
    """The shortest chain of calls from the first symbol to the second; without one, all chains from the first."""
    names = (source,) if target is None else (source, target)
    question = GraphQuestion.CHAIN
    options = GraphOptions(question=question, names=names, depth=depth, limit=limit)
    return ask(options, Asking(**asking), chain_lines)
