"""The facts of a Python file: its definitions and imports by name, and how values flow through it. Nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from shared.models.code_graph import FileFacts, Import, Symbol, SymbolKind
from workers.tools.code_graph.python_flow import FlowReader, absolute

MOST_BYTES = 4_000_000
TOO_LARGE, NOT_TEXT, SYNTAX, TOO_DEEP = (
    "graph_file_too_large",
    "graph_file_not_text",
    "graph_file_syntax",
    "graph_file_too_deep",
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def outline_python(path: str, data: bytes, module: str) -> FileFacts:
    """The facts of the file; with a `problem` where it cannot be read."""
    if len(data) > MOST_BYTES:
        return _failed(path, module, TOO_LARGE, None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data, filename=path)
        return _read(path, module, tree, max(1, data.count(b"\n")))
    except SyntaxError as error:
        null = b"\0" in data
        return _failed(path, module, NOT_TEXT if null else SYNTAX, error.lineno)
    except (RecursionError, MemoryError):
        return _failed(path, module, TOO_DEEP, None)
    except (ValueError, LookupError):
        return _failed(path, module, NOT_TEXT, None)


def _failed(path: str, module: str, problem: str, line: int | None) -> FileFacts:
    whole = (Symbol("", SymbolKind.MODULE, 1, 1),)
    return FileFacts(path, module, "python", whole, problem=problem, problem_line=line)


def _read(path: str, module: str, tree: ast.Module, lines: int) -> FileFacts:
    is_package = path.rpartition("/")[2].startswith("__init__.")
    package = module if is_package else module.rpartition(".")[0]
    outline = _Outline(package)
    outline.read(tree.body, "", in_class=False)
    flow = FlowReader(module, package)
    flow.read_module(tree)
    lambdas = (
        Symbol(name[len(module) + 1 :], SymbolKind.FUNCTION, line, end)
        for name, line, end in flow.lambdas
    )
    whole = Symbol("", SymbolKind.MODULE, 1, lines, "", _summary(tree))
    return FileFacts(
        path,
        module,
        "python",
        (whole, *outline.symbols, *lambdas),
        tuple(outline.imports),
        is_package=is_package,
        program=flow.program(),
    )


class _Outline:
    """What was read so far. `package` is what relative imports start from."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.symbols: list[Symbol] = []
        self.imports: list[Import] = []

    def read(self, body: Iterable[ast.AST], scope: str, *, in_class: bool) -> None:
        """Statements of a scope."""
        for node in body:
            self._read_node(node, scope, in_class)

    def _read_node(self, node: ast.AST, scope: str, in_class: bool) -> None:
        match node:
            case ast.ClassDef():
                self._define(node, SymbolKind.CLASS, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node, SymbolKind.METHOD if in_class else SymbolKind.FUNCTION, scope)
            case ast.Import() | ast.ImportFrom():
                self.imports.extend(self._imported(node, scope))
            case ast.expr():
                # No definition stands in an expression but a lambda, which the flow reads.
                pass
            case _:
                if isinstance(node, ast.Assign | ast.AnnAssign) and (in_class or not scope):
                    self._assign(node, scope)
                self.read(ast.iter_child_nodes(node), scope, in_class=in_class)

    def _define(self, node: ast.ClassDef | _Function, kind: SymbolKind, scope: str) -> None:
        name = _joined(scope, node.name)
        end = node.end_lineno or node.lineno
        signature = _signature(node)
        self.symbols.append(Symbol(name, kind, node.lineno, end, signature, _summary(node)))
        self.read(node.body, name, in_class=kind == SymbolKind.CLASS)

    def _assign(self, node: ast.Assign | ast.AnnAssign, scope: str) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                name = _joined(scope, target.id)
                end = node.end_lineno or node.lineno
                self.symbols.append(Symbol(name, SymbolKind.VARIABLE, node.lineno, end))

    def _imported(self, node: ast.Import | ast.ImportFrom, scope: str) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield Import(scope, alias.name, "", bound, 0, node.lineno)
            return
        module = absolute(self.package, node.module or "", node.level)
        for alias in node.names:
            yield Import(scope, module, alias.name, alias.asname or alias.name, 0, node.lineno)


def _joined(scope: str, name: str) -> str:
    return ".".join(part for part in (scope, name) if part)


def _signature(node: ast.ClassDef | _Function) -> str:
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}({', '.join(ast.unparse(base) for base in node.bases)})"
    return f"def {node.name}({ast.unparse(node.args)})"[:300]


def _summary(node: ast.Module | ast.ClassDef | _Function) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0][:200]
