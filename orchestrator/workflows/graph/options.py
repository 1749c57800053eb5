"""What can be chosen in a question about the graph of a repository's code."""

from __future__ import annotations

from pydantic import Field

from shared.models.panel import Participant
from shared.models.wire import Wire
from shared.tools.graph_question import GraphQuestion

EMBEDDING = "embedding"
"""The role of whoever makes vectors of code."""


class GraphOptions(Wire):
    """What is asked, as the tool `graph.query` takes it."""

    question: GraphQuestion = GraphQuestion.BUILD
    names: tuple[str, ...] = ()
    text: str = ""
    depth: int = Field(default=1, ge=1)
    limit: int = Field(default=100, ge=1)
    embedder: Participant | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whose vectors find code, besides names and words; only for a search."""
