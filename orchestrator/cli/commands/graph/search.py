"""`quorate graph search`."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.graph.asking import Asking, ask, question_options
from orchestrator.cli.options import example
from orchestrator.presentation.code_graph import hit_lines
from orchestrator.workflows.graph import GraphOptions
from shared.errors import UserError
from shared.tools.graph_cards import GraphQuestion


@click.command(
    epilog=example(
        'quorate graph search "where is the login"', 'quorate graph search "로그인 기능"'
    )
)
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, metavar="N", help="Show N at most (20)."
)
@question_options
def search(words: tuple[str, ...], limit: int, **asking: Any) -> int:
    """Find code in English or Korean words: by names, text, paths and structure, the best first."""
    text = " ".join(words).strip()
    if not text:
        raise UserError("There is nothing to look for: quorate graph search TEXT")
    options = GraphOptions(question=GraphQuestion.SEARCH, text=text, limit=limit)
    return ask(options, Asking(**asking), hit_lines)
