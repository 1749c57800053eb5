"""Which files of a repository import which others: Python by modules, JavaScript and TypeScript by relative paths."""

from __future__ import annotations

import ast
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from workers.tools.agent.foreign_imports import JS_SUFFIXES, javascript_files
from workers.tools.agent.repository_files import RepositoryFiles, is_foreign, is_sample
from workers.tools.code_graph.module_names import python_modules

ImportNode = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class ModuleImport:
    """A file imports another one. `deferred`: only when something is called, or under a condition."""

    source: str
    target: str
    line: int
    deferred: bool = False


@dataclass(frozen=True)
class ModuleGraph:
    """The files that were read, in order, and what they import of one another."""

    paths: tuple[str, ...]
    imports: tuple[ModuleImport, ...]

    @cached_property
    def imported(self) -> Mapping[str, frozenset[str]]:
        """The files that each file imports."""
        return _grouped((each.source, each.target) for each in self.imports)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """The files that import each file."""
        return _grouped((each.target, each.source) for each in self.imports)


def module_graph(files: RepositoryFiles) -> ModuleGraph:
    """The graph of the read files; what others wrote and samples of tests are left out."""
    sources = [
        path
        for path in files.texts
        if path.endswith((".py", *JS_SUFFIXES)) and not is_foreign(path) and not is_sample(path)
    ]
    imports = (*_python(files, sources), *_javascript(files, sources))
    return ModuleGraph(
        tuple(sources), tuple(each for each in imports if each.source != each.target)
    )


def circles(nodes: Iterable[str], reached: Mapping[str, Collection[str]]) -> list[tuple[str, ...]]:
    """The groups of nodes that all reach one another, two at least (Tarjan, SIAM J. Comput. 1972), without recursion.

    A group stands after those that it reaches.
    """
    return [group for group in layers(nodes, reached) if len(group) > 1]


def layers(nodes: Iterable[str], reached: Mapping[str, Collection[str]]) -> list[tuple[str, ...]]:
    """Every node, with those that it is in a circle with; what is reached comes before what reaches it."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[tuple[str, ...]] = []
    for start in nodes:
        if start in number:
            continue
        work = [(start, iter(sorted(reached.get(start, ()))))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while work:
            node, left = work[-1]
            following = next(left, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    groups.append(_popped(stack, node, low))
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                work.append((following, iter(sorted(reached.get(following, ())))))
            else:
                # A node that has left the stack has the number of none that is on it.
                low[node] = min(low[node], low[following])
    return groups


def _popped(stack: list[str], node: str, low: dict[str, int]) -> tuple[str, ...]:
    group = []
    while True:
        last = stack.pop()
        low[last] = 1 << 60
        group.append(last)
        if last == node:
            return tuple(sorted(group))


def _grouped(pairs: Iterable[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for key, value in pairs:
        groups[key].add(value)
    return {key: frozenset(values) for key, values in groups.items()}


# ---- Python -------------------------------------------------------------------------------------


def _python(files: RepositoryFiles, sources: Iterable[str]) -> Iterator[ModuleImport]:
    nodes = dict(_read_imports(files, sources))
    tops = {name for rows in nodes.values() for name in _top_names(node for node, _ in rows)}
    modules = python_modules(nodes, tops)
    by_module = {module: path for path, module in modules.items()}
    for path, rows in nodes.items():
        package = _package(path, modules[path])
        for node, deferred in rows:
            targets = _targets(node, package, by_module)
            yield from (ModuleImport(path, target, node.lineno, deferred) for target in targets)


def _read_imports(
    files: RepositoryFiles, sources: Iterable[str]
) -> Iterator[tuple[str, list[tuple[ImportNode, bool]]]]:
    for path in sources:
        tree = files.tree(path) if path.endswith(".py") else None
        if tree is not None:
            yield path, list(_import_nodes(tree))


def _package(path: str, module: str) -> str:
    """What relative imports of the file start from."""
    return module if path.endswith("/__init__.py") else module.rpartition(".")[0]


def _import_nodes(tree: ast.Module) -> Iterator[tuple[ImportNode, bool]]:
    """Imports, and whether loading the file may do without them."""
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, deferred = stack.pop()
        if isinstance(node, ImportNode):
            yield node, deferred
        elif isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
            inside = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.If)
            stack.extend((child, inside) for child in ast.iter_child_nodes(node))


def _top_names(nodes: Iterable[ImportNode]) -> frozenset[str]:
    """The first parts of what is imported absolutely."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return frozenset(names)


def _targets(node: ImportNode, package: str, by_module: Mapping[str, str]) -> Iterator[str]:
    """The files that an import loads; of `from a import b` the module `a.b` where there is one, else `a`."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        parts = package.split(".") if package else []
        above = parts[: len(parts) - node.level + 1] if node.level else []
        base = ".".join((*above, *filter(None, [node.module])))
        joined = [f"{base}.{alias.name}".strip(".") for alias in node.names]
        names = [name if name in by_module else base for name in joined]
    yield from dict.fromkeys(by_module[name] for name in names if name in by_module)


# ---- JavaScript and TypeScript ------------------------------------------------------------------


def _javascript(files: RepositoryFiles, sources: Iterable[str]) -> Iterator[ModuleImport]:
    known = frozenset(files.paths)
    for path in sources:
        if path.endswith(JS_SUFFIXES) and ".min." not in path:
            for name, line in javascript_files(files.texts[path]):
                target = _file_of(posixpath.normpath(f"{posixpath.dirname(path)}/{name}"), known)
                if target is not None:
                    yield ModuleImport(path, target, line)


def _file_of(plain: str, known: Collection[str]) -> str | None:
    plain = plain.lstrip("/")
    stem = plain.removesuffix(".js")
    candidates = (plain, *(f"{stem}{end}" for end in JS_SUFFIXES))
    indices = (f"{plain}/index{end}" for end in JS_SUFFIXES)
    return next((path for path in (*candidates, *indices) if path in known), None)
