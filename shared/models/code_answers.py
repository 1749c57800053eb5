"""What the tools answer that are asked about the graph of a repository's code."""

from __future__ import annotations

from shared.models.agent import CodeHit
from shared.models.findings import Place
from shared.models.notices import Notice
from shared.models.wire import ForeignWire


class CodeSymbol(ForeignWire):
    """A definition by its full name; what is outside of the repository has no place."""

    symbol: str
    kind: str
    place: Place | None = None
    text: str = ""


class CodeLink(CodeSymbol):
    """What was reached: the `chain` of names that leads there in the direction of its edges.

    `sites` are the lines of the last step: where the caller calls, or the callee is called.
    """

    chain: tuple[str, ...] = ()
    sites: tuple[Place, ...] = ()


class GraphAnswer(ForeignWire):
    """An answer from the graph, which `document` holds.

    `portions` is not 0 where nothing is answered before so many portions of the code are read (`graph.read`).
    `unclear` is a name that no definition has or several have, and `candidates` are those that may be meant.
    `total` counts what was reached or found, of which no more than the limit is here. `left_out` counts files of code
    beyond the most that a graph is made of, and `read` those that were read for this answer.
    """

    document: str = ""
    portions: int = 0
    files: int = 0
    symbols: int = 0
    edges: int = 0
    read: int = 0
    left_out: int = 0
    query_ms: float = 0.0
    problems: tuple[Notice, ...] = ()
    unclear: str | None = None
    candidates: tuple[CodeSymbol, ...] = ()
    asked: tuple[CodeSymbol, ...] = ()
    links: tuple[CodeLink, ...] = ()
    hits: tuple[CodeHit, ...] = ()
    paths: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    total: int = 0


class CodeRead(ForeignWire):
    """A portion of the code that was read: how many of its files were new."""

    files: int = 0
    read: int = 0


class CallersEvidence(ForeignWire):
    """Who calls what a change touches, as a text in `document`: None where there is nothing to say.

    `graph` is the document of the graph that answered.
    """

    document: str | None = None
    symbols: int = 0
    callers: int = 0
    tests: int = 0
    graph: str = ""


class CodeTexts(ForeignWire):
    """Definitions whose vectors belong together: the `keys` of their parts of files, and how many each has."""

    keys: tuple[tuple[str, int], ...] = ()
    texts: tuple[str, ...] = ()


class UnembeddedCode(ForeignWire):
    """Definitions without a vector of that space, as documents that each hold a `CodeTexts` for one turn.

    `left_out` counts definitions beyond the most that are asked for at once.
    """

    portions: tuple[str, ...] = ()
    left_out: int = 0


class CodeEmbedded(ForeignWire):
    """How many vectors of definitions were stored."""

    kept: int = 0


CODE_REPLIES: dict[str, type[ForeignWire]] = {
    "graph.answer": GraphAnswer,
    "graph.read": CodeRead,
    "graph.callers": CallersEvidence,
    "graph.unembedded": UnembeddedCode,
    "graph.embedded": CodeEmbedded,
}
