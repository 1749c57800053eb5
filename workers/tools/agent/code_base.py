"""The code of a workspace as a graph: facts of files from the store, those that are missing read, and all resolved.

A process keeps the facts that it read last, so of a tree that changed only the changed files are read. A graph that any
worker made is a stored document under the name of all that is in it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from shared.models.code_graph import FACTS_VERSION, FileFacts, Symbol, SymbolKind
from shared.models.code_graph_document import from_document, to_document
from shared.models.code_graph_index import GraphIndex
from workers.tools.agent.workspace import WorkspaceTree
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.collector import uncollected
from workers.tools.code_graph.extraction import CodeFile, extract_all
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.manifests import MANIFEST, is_manifest
from workers.tools.code_graph.module_names import module_names
from workers.tools.code_graph.python_resolution import PythonResolution
from workers.tools.registry import ToolContext

READERS_VERSION = 7
"""Changes whenever the same files give another graph for a reason that FACTS_VERSION does not say."""
MOST_FILES = 20_000
MOST_MANIFESTS = 2_000
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


@dataclass(frozen=True)
class CodeBase:
    """The graph of a workspace: the name of its document, and its answers.

    `read` counts the files that were read for it now, `left_out` those beyond the most that a graph is made of; `files`
    are those that it is made of.
    """

    document: str
    index: GraphIndex
    read: int = 0
    left_out: int = 0
    files: tuple[KeyedFile, ...] = ()


@dataclass(frozen=True)
class UnreadCode:
    """Too many files were never read before: so many bytes."""

    size: int


@dataclass
class GraphMemory:
    """What a process remembers: facts and the calls of Python by repository, and graphs that were asked for."""

    facts: OrderedDict[str, Known] = field(default_factory=OrderedDict)
    python: OrderedDict[str, PythonResolution] = field(default_factory=OrderedDict)
    graphs: OrderedDict[str, CodeBase] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def whole(self, tree: WorkspaceTree, context: ToolContext) -> CodeBase:
        """The graph of a workspace, whatever has to be read for it."""
        code = self.code_base(tree, context, most_unread=None)
        assert isinstance(code, CodeBase)
        return code

    def index(self, tree: WorkspaceTree, context: ToolContext) -> GraphIndex:
        """The answers of that graph."""
        return self.whole(tree, context).index

    def code_base(
        self, tree: WorkspaceTree, context: ToolContext, most_unread: int | None
    ) -> CodeBase | UnreadCode:
        """The graph of a workspace, if no more bytes have to be read for it; one at a time is made in a process."""
        with uncollected():
            return self._code_base(tree, context, most_unread)

    def _code_base(
        self, tree: WorkspaceTree, context: ToolContext, most_unread: int | None
    ) -> CodeBase | UnreadCode:
        files, left_out = code_files(tree)
        name = _hash(str(READERS_VERSION), *(file.key for file in files))
        with self.lock:
            known = self.graphs.get(name)
            if known is not None:
                known = replace(known, read=0)
            else:
                stored = context.code.graph(name)
                if stored is not None:
                    graph = from_document(context.documents.get(stored))
                    known = CodeBase(stored, GraphIndex(graph))
                else:
                    made = self._make(name, files, tree, context, most_unread)
                    if isinstance(made, UnreadCode):
                        return made
                    known = made
            _remember(self.graphs, name, known, KEPT_GRAPHS)
        return replace(known, left_out=left_out, files=files)

    def _make(
        self,
        name: str,
        files: Sequence[KeyedFile],
        tree: WorkspaceTree,
        context: ToolContext,
        most_unread: int | None,
    ) -> CodeBase | UnreadCode:
        repository = tree.workspace.repository
        known = self._remembered(repository, files)
        known |= stored_facts([file for file in files if file.path not in known], context)
        unread = [file for file in files if file.path not in known]
        size = sum(tree.size(file.path) for file in unread)
        if most_unread is not None and size > most_unread:
            return UnreadCode(size)
        known |= read_facts(unread, tree, context)
        kept = {file.path: (file.key, known[file.path]) for file in files}
        _remember(self.facts, repository, kept, KEPT_PROGRAMS)
        python = self.python.get(repository, PythonResolution())
        graph = make_graph([known[path] for path in sorted(known)], python)
        _remember(self.python, repository, python, KEPT_PROGRAMS)
        document = context.documents.put(to_document(graph))
        context.code.keep_graph(name, document)
        return CodeBase(document, GraphIndex(graph), len(unread))

    def _remembered(self, repository: str, files: Sequence[KeyedFile]) -> dict[str, FileFacts]:
        kept = self.facts.get(repository, {})
        asked = {(file.path, file.key) for file in files}
        return {path: facts for path, (key, facts) in kept.items() if (path, key) in asked}


MEMORY = GraphMemory()
"""That of this process: what it holds can be made again from the store at any time."""


class CodeFiles(NamedTuple):
    """The files of code of a workspace in the order of their paths, and how many more there are; then its manifests."""

    files: tuple[KeyedFile, ...]
    left_out: int


def code_files(tree: WorkspaceTree) -> CodeFiles:
    """The files of code of a workspace, with the names that they have in its graph."""
    listed = [path for path in tree.paths() if language_of(path) is not None]
    manifests = [path for path in tree.paths() if is_manifest(path)][:MOST_MANIFESTS]
    present = frozenset(listed)
    # A stub beside its module says the same again.
    paths = [path for path in listed if not (path.endswith(".pyi") and path[:-1] in present)]
    names = module_names(paths[:MOST_FILES], imported_names(tree))
    files = [_keyed(path, names[path], tree.blob(path)) for path in sorted(names)]
    left_out = len(paths) - len(files)
    files += [_keyed(path, path, tree.blob(path)) for path in manifests]
    return CodeFiles(tuple(files), left_out)


def _keyed(path: str, module: str, blob: str) -> KeyedFile:
    language = MANIFEST if is_manifest(path) else language_of(path) or ""
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


def stored_facts(files: Sequence[KeyedFile], context: ToolContext) -> dict[str, FileFacts]:
    """The facts of files by their paths; those that are not stored are missing."""
    stored = context.code.facts([file.key for file in files])
    return {
        file.path: FileFacts.from_json(stored[file.key]) for file in files if file.key in stored
    }


def read_facts(
    files: Sequence[KeyedFile],
    tree: WorkspaceTree,
    context: ToolContext,
    programs: int | None = None,
) -> dict[str, FileFacts]:
    """The facts of files by their paths: read by so many programs at once, and stored."""
    made = {file.path: _too_large(file) for file in files if tree.size(file.path) > LARGEST_FILE}
    fitting = {file.path: file for file in files if file.path not in made}
    for each in extract_all(_contents(fitting, tree), tree.countdown, programs):
        made[each.path] = each
    context.code.keep_facts({file.key: made[file.path].to_json() for file in files})
    return made


def _too_large(file: KeyedFile) -> FileFacts:
    whole = (Symbol("", SymbolKind.MODULE, 1, 1),)
    return FileFacts(file.path, file.module, file.language, whole, problem="graph_file_too_large")


def _contents(files: Mapping[str, KeyedFile], tree: WorkspaceTree) -> Iterator[CodeFile]:
    paths = list(files)
    for start in range(0, len(paths), 500):
        for path, data in tree.read_all(paths[start : start + 500]).items():
            file = files[path]
            yield CodeFile(path, file.module, file.language, data)


def _remember(memory: OrderedDict[str, V], name: str, value: V, most: int) -> None:
    memory[name] = value
    memory.move_to_end(name)
    while len(memory) > most:
        memory.popitem(last=False)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
