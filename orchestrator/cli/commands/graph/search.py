"""`quorate graph search`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.application.code_graph import find_embedder
from orchestrator.cli.commands.graph.asking import Asking, ask, question_options
from orchestrator.cli.options import config_option, example
from orchestrator.cli.setting_options import holder_options
from orchestrator.presentation.code_graph import hit_lines
from orchestrator.workflows import GRAPH
from orchestrator.workflows.graph.options import GraphOptions
from shared.errors import UserError
from shared.tools.graph_question import GraphQuestion


@click.command(
    epilog=example(
        'quorate graph search "where is the login"', 'quorate graph search "로그인 기능"'
    )
)
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, metavar="N", help="Show N at most (20)."
)
@holder_options(GRAPH)
@config_option
@question_options
def search(
    words: tuple[str, ...], limit: int, embedder: str | None, config: Path | None, **asking: Any
) -> int:
    """Find code in English or Korean words: by names, text, paths and structure, the best first.

    With an embedding model on this machine (--embedder, `panel.embedder`) also by what it means.
    """
    text = " ".join(words).strip()
    if not text:
        raise UserError("There is nothing to look for: quorate graph search TEXT")
    asked = Asking(**asking)
    directory = Path(asked.repository or Path.cwd())
    found = find_embedder(embedder, config, os.environ, directory)
    question = GraphQuestion.SEARCH
    options = GraphOptions(question=question, text=text, limit=limit, embedder=found)
    return ask(options, asked, hit_lines)
