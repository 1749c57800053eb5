"""Design: layers of modules, circles of imports, what is too large, and where a new thing would belong."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from statistics import quantiles

from shared.models.agent import CheckedItem, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.docstrings import FunctionNode, public_symbols
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.foreign_imports import JS_SUFFIXES
from workers.tools.agent.module_graph import (
    ModuleGraph,
    ModuleImport,
    circles,
    layers,
    module_graph,
)
from workers.tools.agent.repository_files import RepositoryFiles, is_product, is_test, parent_of
from workers.tools.agent.search_words import SearchQuery, SearchWord, quality, read_query
from workers.tools.registry import ToolContext

RULES = {
    "design.cycle": Severity.MINOR,
    "design.package-cycle": Severity.INFO,
    "design.imports-test": Severity.MINOR,
    "design.large-module": Severity.INFO,
    "design.many-imports": Severity.INFO,
    "design.large-class": Severity.INFO,
}
LARGE_LINES, MANY_IMPORTS, MANY_METHODS = 500, 20, 30
"""Below these nothing is an outlier, whatever the others are like."""
FENCE = 3.0
"""An outlier lies further above the third quartile than so many times the quartiles are apart (Tukey's far out)."""
MOST_NAMES, MOST_HUBS, MOST_CANDIDATES, MOST_SYMBOLS = 8, 5, 5, 8
LEAST_FIT = 0.5


def wanted(path: str) -> bool:
    """Sources whose imports are understood."""
    return path.endswith((".py", *JS_SUFFIXES))


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on the structure. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Look at the modules, their imports and what the task names."""
    points = Points(RULES)
    graph = module_graph(files)
    product = [path for path in graph.paths if is_product(path)]
    _check_circles(points, graph)
    _check_packages(points, graph)
    _check_tests(points, graph)
    _check_sizes(points, files, graph, product)
    facts = list(_facts(graph, product))
    query = read_query(files.task)
    items = [*_interfaces(files, graph, query), *_candidates(files, graph, product, query)]
    return points.examination(facts or [notice("exam_design_none")], items)


# ---- imports ------------------------------------------------------------------------------------


def _check_circles(points: Points, graph: ModuleGraph) -> None:
    """Files that need one another when they are loaded."""
    loaded: defaultdict[str, set[str]] = defaultdict(set)
    for each in graph.imports:
        if not each.deferred and not each.target.endswith("/__init__.py"):
            loaded[each.source].add(each.target)
    for group in circles(graph.paths, loaded):
        members = set(group)
        first = next(
            each for each in graph.imports if each.source == group[0] and each.target in members
        )
        points.add("design.cycle", first.source, first.line, n=len(group), names=_named(group))


def _check_packages(points: Points, graph: ModuleGraph) -> None:
    """Two folders of the product that import from one another; the direction that is rarer is the odd one."""
    crossings: defaultdict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for each in graph.imports:
        pair = (parent_of(each.source), parent_of(each.target))
        if pair[0] != pair[1] and is_product(each.source) and not _within(*pair):
            crossings[pair].append((each.source, each.line))
    for (source, target), places in crossings.items():
        back = crossings.get((target, source), [])
        if back and (len(places), source) < (len(back), target):
            path, line = places[0]
            points.add(
                "design.package-cycle",
                path,
                line,
                source=source,
                target=target,
                n=len(places),
                back=len(back),
            )


def _within(source: str, target: str) -> bool:
    return f"{source}/".startswith(f"{target}/") or f"{target}/".startswith(f"{source}/")


def _check_tests(points: Points, graph: ModuleGraph) -> None:
    for each in graph.imports:
        if is_product(each.source) and is_test(each.target):
            points.add("design.imports-test", each.source, each.line, name=each.target)


# ---- sizes --------------------------------------------------------------------------------------


def _check_sizes(
    points: Points, files: RepositoryFiles, graph: ModuleGraph, product: Sequence[str]
) -> None:
    lines = {path: files.texts[path].count("\n") for path in product}
    most = _fence(lines.values(), LARGE_LINES)
    for path, count in lines.items():
        if count > most:
            points.add("design.large-module", path, n=count, most=round(most))
    imports = {path: len(graph.imported.get(path, ())) for path in product}
    most = _fence(imports.values(), MANY_IMPORTS)
    for path, count in imports.items():
        if count > most:
            points.add("design.many-imports", path, n=count, most=round(most))
    for path in product:
        for name, line, methods in _classes(files, path):
            if methods > MANY_METHODS:
                points.add("design.large-class", path, line, name=name, n=methods)


def _fence(values: Iterable[int], least: int) -> float:
    known = sorted(values)
    if len(known) < 4:
        return least
    first, _, third = quantiles(known, n=4)
    return max(least, third + FENCE * (third - first))


def _classes(files: RepositoryFiles, path: str) -> Iterator[tuple[str, int, int]]:
    for node in _top_level(files, path):
        if isinstance(node, ast.ClassDef):
            yield node.name, node.lineno, sum(isinstance(each, FunctionNode) for each in node.body)


# ---- facts --------------------------------------------------------------------------------------


def _facts(graph: ModuleGraph, product: Sequence[str]) -> Iterator[Notice]:
    if not product:
        return
    shipped = set(product)
    within = [each for each in graph.imports if {each.source, each.target} <= shipped]
    yield notice("exam_design_modules", n=len(product), imports=len(within))
    order = _order(product, within)
    if len(order) > 1:
        yield notice("exam_design_layers", names=" > ".join(order[: 2 * MOST_NAMES]))
    used = Counter(each.target for each in dict.fromkeys(within))
    for path, _ in sorted(used.items(), key=lambda row: (-row[1], row[0]))[:MOST_HUBS]:
        yield notice("exam_design_hub", path=path, n=len(graph.importers[path] & shipped))


def _order(product: Sequence[str], within: Iterable[ModuleImport]) -> list[str]:
    """The folders from those that nobody imports down to those that import nothing; a circle is one entry."""
    folders: defaultdict[str, set[str]] = defaultdict(set)
    for each in within:
        if _top(each.source) != _top(each.target):
            folders[_top(each.source)].add(_top(each.target))
    groups = layers(sorted(set(map(_top, product))), folders)
    return [" + ".join(group) for group in reversed(groups)]


def _top(path: str) -> str:
    """The folder that a file belongs to at a glance: two levels at most."""
    folders = path.split("/")[:-1]
    return "/".join(folders[:2]) or "."


def _named(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:MOST_NAMES])
    return f"{shown}, ..." if len(paths) > MOST_NAMES else shown


# ---- what the task names ------------------------------------------------------------------------


def _interfaces(
    files: RepositoryFiles, graph: ModuleGraph, query: SearchQuery
) -> list[CheckedItem]:
    """What others may use of the classes and functions that the task names."""
    names = {name.rpartition(".")[2] for name in query.names}
    items = [
        CheckedItem(
            item=_interface(node),
            state="interface",
            places=(Place(path=path, line=node.lineno),),
            reason=notice("exam_design_users", n=len(graph.importers.get(path, ()))),
        )
        for path in (graph.paths if names else ())
        for node in _top_level(files, path)
        if node.name in names and not is_test(path)
    ]
    return items[:MOST_SYMBOLS]


def _top_level(files: RepositoryFiles, path: str) -> list[FunctionNode | ast.ClassDef]:
    tree = files.tree(path) if path.endswith(".py") else None
    body: Sequence[ast.stmt] = tree.body if tree else ()
    return [node for node in body if isinstance(node, FunctionNode | ast.ClassDef)]


def _interface(node: FunctionNode | ast.ClassDef) -> str:
    if isinstance(node, FunctionNode):
        return f"{node.name}({ast.unparse(node.args)})"[:300]
    alone = ast.Module(body=[node], type_ignores=[])
    members = [each.node for each in public_symbols(alone) if each.node is not node]
    shown = (
        f"{member.name}({ast.unparse(member.args)})"
        for member in members
        if isinstance(member, FunctionNode)
    )
    return f"class {node.name}: {'; '.join(shown) or '-'}"[:600]


def _candidates(
    files: RepositoryFiles, graph: ModuleGraph, product: Sequence[str], query: SearchQuery
) -> Iterator[CheckedItem]:
    """Beside which files a new thing would belong: those that have the task's words, rare ones and paths above all."""
    fits = {path: _fits(files, path, query.words) for path in product if query.words}
    common = Counter(word for known in fits.values() for word in known)
    scores = {
        path: sum(fit * log(len(fits) / common[word]) for word, fit in known.items())
        for path, known in fits.items()
    }
    best = sorted(
        (path for path in fits if scores[path] > 0), key=lambda path: (-scores[path], path)
    )
    for path in best[:MOST_CANDIDATES]:
        yield CheckedItem(
            item=path,
            state="candidate",
            places=(Place(path=path, line=1),),
            reason=notice(
                "exam_design_belongs",
                words=", ".join(sorted(fits[path])),
                n=len(graph.importers.get(path, ())),
            ),
        )


def _fits(files: RepositoryFiles, path: str, words: Sequence[SearchWord]) -> Mapping[str, float]:
    """How well a file has each word: in its path, or half as well in the name of what it defines."""
    symbols = [node.name for node in _top_level(files, path)]
    fits = {}
    for word in words:
        inside = max((quality(word, name) for name in symbols), default=0.0)
        fit = max(quality(word, path), inside / 2) * word.weight
        if fit >= LEAST_FIT / 2:
            fits[word.variants[0]] = fit
    return fits
