"""The code of a workspace as a graph: facts of files from the store, those that are missing read, and all resolved.

A process keeps the facts that it read last, so of a tree that changed only the changed files are read. A graph that any
worker made is a stored document under the name of all that is in it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from shared.models.code_graph import FACTS_VERSION, CodeGraph, FileFacts
from workers.tools.agent.workspace import WorkspaceTree
from workers.tools.code_graph.assembly import from_document, make_graph, to_document
from workers.tools.code_graph.extraction import CodeFile, extract_all
from workers.tools.code_graph.index import GraphIndex
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.module_names import module_names
from workers.tools.registry import ToolContext

READERS_VERSION = 1
"""Changes whenever the same files give another graph for a reason that FACTS_VERSION does not say."""
MOST_FILES = 20_000
LARGEST_FILE = 4_000_000
V = TypeVar("V")
KEPT_PROGRAMS, KEPT_GRAPHS = 2, 4


@dataclass(frozen=True)
class KeyedFile:
    """A file of code. `key` is a hash of all that its facts depend on."""

    path: str
    module: str
    language: str
    key: str


Known = dict[str, tuple[str, FileFacts]]
"""By path, the key and the facts of a file."""


@dataclass
class GraphMemory:
    """What a process remembers: facts by repository, and graphs that were asked for, the newest last."""

    facts: OrderedDict[str, Known] = field(default_factory=OrderedDict)
    graphs: OrderedDict[str, GraphIndex] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def index(self, tree: WorkspaceTree, context: ToolContext) -> GraphIndex:
        """The graph of a workspace; one at a time is made in a process."""
        files = code_files(tree)
        name = _hash(str(READERS_VERSION), *(file.key for file in files))
        with self.lock:
            known = self.graphs.get(name)
            if known is None:
                known = GraphIndex(self._graph(name, files, tree, context))
            _remember(self.graphs, name, known, KEPT_GRAPHS)
        return known

    def _graph(
        self, name: str, files: Sequence[KeyedFile], tree: WorkspaceTree, context: ToolContext
    ) -> CodeGraph:
        document = context.code.graph(name)
        if document is not None:
            return from_document(context.documents.get(document))
        repository = tree.workspace.repository
        known = self.facts.get(repository, {})
        stale = [file for file in files if known.get(file.path, ("",))[0] != file.key]
        read = read_facts(stale, tree, context)
        fresh = {file.path: (file.key, read[file.path]) for file in stale if file.path in read}
        present = {file.path for file in files}
        kept = {path: each for path, each in (known | fresh).items() if path in present}
        _remember(self.facts, repository, kept, KEPT_PROGRAMS)
        graph = make_graph([facts for _, (_, facts) in sorted(kept.items())])
        context.code.keep_graph(name, context.documents.put(to_document(graph)))
        return graph


MEMORY = GraphMemory()
"""That of this process: what it holds can be made again from the store at any time."""


def code_files(tree: WorkspaceTree) -> tuple[KeyedFile, ...]:
    """The files of code of a workspace, with the names that they have in its graph."""
    listed = [path for path in tree.paths() if language_of(path) is not None]
    present = frozenset(listed)
    # A stub beside its module says the same again.
    paths = [path for path in listed if not (path.endswith(".pyi") and path[:-1] in present)]
    names = module_names(paths[:MOST_FILES], imported_names(tree))
    return tuple(_keyed(path, names[path], tree.blob(path)) for path in sorted(names))


def _keyed(path: str, module: str, blob: str) -> KeyedFile:
    language = language_of(path) or ""
    key = _hash(str(FACTS_VERSION), str(READERS_VERSION), language, path, module, blob)
    return KeyedFile(path, module, language, key)


def imported_names(tree: WorkspaceTree) -> frozenset[str]:
    """The first parts of what the repository's Python files import by absolute names."""
    pattern = r"^[[:space:]]*(from|import)[[:space:]]+[A-Za-z_][A-Za-z_0-9]*"
    git = tree.git.with_environment({"GIT_LITERAL_PATHSPECS": "0"})
    found = git.attempt(
        "grep", "--cached", "-h", "-o", "-I", "-E", "-e", pattern, "--", "*.py", "*.pyi"
    )
    rows = found.stdout.decode("utf-8", "replace").splitlines()
    return frozenset(row.split()[1] for row in rows if len(row.split()) > 1)


def read_facts(
    files: Sequence[KeyedFile], tree: WorkspaceTree, context: ToolContext
) -> dict[str, FileFacts]:
    """The facts of files by their paths: those that are stored, and the others read and stored."""
    stored = context.code.facts([file.key for file in files])
    facts = {
        file.path: FileFacts.from_json(stored[file.key]) for file in files if file.key in stored
    }
    missing = {file.path: file for file in files if file.key not in stored}
    made: dict[str, FileFacts] = {}
    for each in extract_all(_contents(missing, tree), tree.countdown):
        made[each.path] = each
    context.code.keep_facts({missing[path].key: each.to_json() for path, each in made.items()})
    return facts | made


def _contents(files: Mapping[str, KeyedFile], tree: WorkspaceTree) -> Iterator[CodeFile]:
    fitting = [path for path in files if tree.size(path) <= LARGEST_FILE]
    for start in range(0, len(fitting), 500):
        for path, data in tree.read_all(fitting[start : start + 500]).items():
            file = files[path]
            yield CodeFile(path, file.module, file.language, data)


def _remember(memory: OrderedDict[str, V], name: str, value: V, most: int) -> None:
    memory[name] = value
    memory.move_to_end(name)
    while len(memory) > most:
        memory.popitem(last=False)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
