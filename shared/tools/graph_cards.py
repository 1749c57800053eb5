"""The cards of what answers questions about the graph of a repository's code (docs/design/code-graph.md)."""

from __future__ import annotations

from pydantic import Field

from shared.models.code_answers import (
    CallersEvidence,
    CodeEmbedded,
    CodeRead,
    GraphAnswer,
    UnembeddedCode,
)
from shared.models.embeddings import SearchVector
from shared.models.wire import Wire
from shared.tools.agent_inputs import WorkspaceInput
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits
from shared.tools.graph_question import GraphQuestion
from shared.tools.inputs import Hash

MOST_PORTIONS = 64


class GraphInput(WorkspaceInput):
    """A question: `names` are symbols, files or places (`path:line`), `text` is what is searched for.

    `divides`: code of which much was never read is not read now; the answer says how many portions it has.
    """

    question: GraphQuestion = GraphQuestion.BUILD
    names: tuple[str, ...] = ()
    text: str = ""
    depth: int = Field(default=1, ge=1, le=50)
    limit: int = Field(default=100, ge=1, le=5000)
    divides: bool = False
    meaning: SearchVector | None = None
    """The text as a vector, where somebody makes some."""


class CodeReadInput(WorkspaceInput):
    """One portion of the files of code, of so many."""

    portion: int = Field(default=0, ge=0)
    portions: int = Field(default=1, ge=1, le=MOST_PORTIONS)


class UnembeddedCodeInput(WorkspaceInput):
    """Which vectors of a workspace's definitions are missing; at most so many, and none of files that are withheld."""

    space: str
    most: int = Field(default=16_384, ge=1)
    never_sent: tuple[str, ...] = ()
    may_be_sent: tuple[str, ...] = ()


class EmbeddedPortion(Wire):
    """A `CodeTexts`, by its document, with a vector for each text."""

    document: Hash
    vectors: tuple[str, ...]


class CodeVectorsInput(Wire):
    """Vectors to be stored."""

    portions: tuple[EmbeddedPortion, ...]


class CallersInput(Wire):
    """A subject, and how many tokens may be said about who calls what it touches."""

    subject: Hash
    tokens: int = Field(default=1500, ge=50, le=20_000)


_LIMITS = ToolLimits(timeout_s=600.0)

GRAPH_CARDS = (
    ToolCard(
        name="graph.read",
        purpose="Reads a portion of a repository's code for its graph, and stores what it says.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.graph_read",
        inputs=CodeReadInput,
        reply=CodeRead,
        cost=ToolCost(seconds=5),
        limits=_LIMITS,
    ),
    ToolCard(
        name="graph.query",
        purpose="Answers from the graph of a repository's code: callers, callees, chains, impact and search.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.graph_query",
        inputs=GraphInput,
        reply=GraphAnswer,
        cost=ToolCost(seconds=2),
        limits=_LIMITS,
    ),
    ToolCard(
        name="graph.unembedded",
        purpose="Names the definitions of a repository's code that have no vector yet.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.graph_unembedded",
        inputs=UnembeddedCodeInput,
        reply=UnembeddedCode,
        cost=ToolCost(seconds=2),
        limits=_LIMITS,
    ),
    ToolCard(
        name="graph.embedded",
        purpose="Stores vectors of definitions.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.graph_embedded",
        inputs=CodeVectorsInput,
        reply=CodeEmbedded,
        cost=ToolCost(seconds=1),
    ),
    ToolCard(
        name="graph.callers",
        purpose="Tells reviewers who calls what a change touches, and which tests reach it.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.graph_callers",
        inputs=CallersInput,
        reply=CallersEvidence,
        cost=ToolCost(seconds=2),
    ),
)
"""What reads code, and answers from what was read."""
