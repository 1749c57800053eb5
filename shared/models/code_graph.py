"""The code graph: what one file says by itself (`FileFacts`), and what whole programs come to (`CodeGraph`).

Facts depend on nothing but a file's bytes and its module's name, so they are stored by that and shared by commits. They
are dataclasses of tuples instead of pydantic models: a large package has 10^5 of them, and is read in a fraction of a
second. docs/design/code-graph.md says what a symbol's id is and what an edge means.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple

FACTS_VERSION = 5
"""Changes whenever the same bytes give other facts: stored ones of another version are not used."""


class SymbolKind(StrEnum):
    """What a symbol is."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    VARIABLE = "variable"
    EXTERNAL = "external"
    """Something that no file of the project defines: `json.loads`, `builtins.len`. In graphs only."""


class ReferenceKind(StrEnum):
    """What a file does with a name."""

    CALL = "call"
    INHERIT = "inherit"
    READ = "read"


class EdgeKind(IntEnum):
    """What an edge says of its source and its target."""

    CONTAINS = 0
    IMPORTS = 1
    INHERITS = 2
    CALLS = 3
    INSTANTIATES = 4
    TESTS = 5


class Symbol(NamedTuple):
    """A definition. `name` is qualified inside its module: `Class.method`; the module itself has the name ''."""

    name: str
    kind: str
    line: int
    end_line: int
    signature: str = ""
    summary: str = ""
    """The first line of its documentation."""


class Import(NamedTuple):
    """An import by the symbol `scope`: of `module` as it is written, or of `name` in it ('*': of everything).

    `level` counts the leading dots of a relative import. `alias` is the name that is bound, as it stands in the scope.
    """

    scope: str
    module: str
    name: str
    alias: str
    level: int
    line: int


class Reference(NamedTuple):
    """The symbol `scope` uses `name`, dotted as it is written (`self.save`, `models.User`)."""

    scope: str
    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file says. With a `problem` (a code of a notice and where it is) there is no more than the module.

    `references` are for languages that are resolved by names. A language with a resolver of its own keeps what that one
    needs in `program`, which holds only what JSON can say, and leaves them empty; a script keeps there the modules that
    it hands on, a manifest what it says.
    """

    path: str
    module: str
    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    references: tuple[Reference, ...] = ()
    problem: str | None = None
    problem_line: int | None = None
    is_package: bool = False
    program: Any = None

    def to_json(self) -> bytes:
        """These facts as JSON; the same facts give the same bytes."""
        columns = [getattr(self, name) for name in self.__slots__]
        return json.dumps(columns, separators=(",", ":"), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )

    @classmethod
    def from_json(cls, data: bytes) -> FileFacts:
        """The facts that `to_json` wrote. Raises `ValueError` or `TypeError` for anything else."""
        path, module, language, symbols, imports, references, *rest = json.loads(
            data.decode("utf-8", "surrogatepass")
        )
        return cls(
            path,
            module,
            language,
            tuple(Symbol(*symbol) for symbol in symbols),
            tuple(Import(*entry) for entry in imports),
            tuple(Reference(*reference) for reference in references),
            *rest,
        )


class Node(NamedTuple):
    """A symbol of the whole program. `id` is its full name, unique in its graph; `file` is '' for an external one."""

    id: str
    kind: str
    file: str
    line: int
    end_line: int
    signature: str = ""
    summary: str = ""


class Edge(NamedTuple):
    """`source` and `target` are ids; `file` and `line` are the place of the call, the import or the definition."""

    source: str
    target: str
    kind: EdgeKind
    file: str
    line: int


class FileProblem(NamedTuple):
    """A file that could not be read; the others were."""

    path: str
    problem: str
    line: int | None


@dataclass(frozen=True, slots=True)
class CodeGraph:
    """Nodes, and edges in columns of integers: 21 bytes an edge. Both are in order, so equal programs are equal here.

    `sources` and `targets` are places in `nodes`, `files` places in `paths`. Edges are in the order of their sources:
    those from the node at `place` begin at `source_starts[place]` and end before the next node's. Those to it are
    named by `by_target` from `target_starts[place]` on, so that nothing has to be prepared before a question.
    """

    nodes: tuple[Node, ...]
    paths: tuple[str, ...]
    sources: array[int] = field(default_factory=lambda: array("I"))
    targets: array[int] = field(default_factory=lambda: array("I"))
    kinds: array[int] = field(default_factory=lambda: array("B"))
    files: array[int] = field(default_factory=lambda: array("I"))
    lines: array[int] = field(default_factory=lambda: array("I"))
    by_target: array[int] = field(default_factory=lambda: array("I"))
    source_starts: array[int] = field(default_factory=lambda: array("I"))
    target_starts: array[int] = field(default_factory=lambda: array("I"))
    problems: tuple[FileProblem, ...] = ()

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self.sources)

    def edges(self, kinds: Iterable[EdgeKind] = tuple(EdgeKind)) -> Iterator[Edge]:
        """The edges of these kinds."""
        wanted = frozenset(kinds)
        for source, target, kind, file, line in zip(
            self.sources, self.targets, self.kinds, self.files, self.lines, strict=True
        ):
            if kind in wanted:
                yield Edge(
                    self.nodes[source].id,
                    self.nodes[target].id,
                    EdgeKind(kind),
                    self.paths[file],
                    line,
                )
