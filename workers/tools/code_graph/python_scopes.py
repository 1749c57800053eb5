"""Which names a function binds, and the nodes that stand for what names hold.

A scope reads its own names by their newest version: what straight-line code assigned last hides the versions before.
Functions inside it, and other modules, read every version.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
MODULE, CLASS, FUNCTION = "module", "class", "function"


@dataclass
class FlowScope:
    """A module, class or function while it is read. `name` is the id of its symbol.

    `bound` are the names of a function; `declared` those that it says are its module's (True) or an outer function's.
    """

    kind: str
    name: str
    outer: FlowScope | None = None
    bound: frozenset[str] = frozenset()
    declared: dict[str, bool] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    overlay: dict[str, int] = field(default_factory=dict)
    """Names of the comprehensions that are open; `comprehending` while one is given its names."""
    comprehending: bool = False
    given: frozenset[str] = frozenset()
    """Parameters without a default that the function never binds anew."""
    receiver: int | None = None
    """The node of `self` or `cls`."""
    branches: int = 0
    """How many branches and loops are open: within them an assignment hides nothing."""
    lambdas: int = 0

    def owner(self) -> FlowScope | None:
        """The class whose method this scope is, or stands in."""
        scope: FlowScope | None = self
        while scope is not None and scope.kind != CLASS:
            scope = scope.outer
        return scope

    def method(self) -> FlowScope:
        """The outermost function of the class that this scope stands in."""
        scope = self
        while scope.outer is not None and scope.outer.kind == FUNCTION:
            scope = scope.outer
        return scope

    def closures(self) -> Iterator[FlowScope]:
        """The functions around this scope, the nearest first."""
        scope = self.outer
        while scope is not None:
            if scope.kind == FUNCTION:
                yield scope
            scope = scope.outer


def bound_names(node: Function) -> tuple[frozenset[str], dict[str, bool]]:
    """The names that a function binds, and those that it declares as its module's or an outer function's."""
    names: set[str] = set(parameter_names(node.args))
    declared: dict[str, bool] = {}
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    for inner in _own(body):
        if isinstance(inner, ast.Global | ast.Nonlocal):
            declared.update(dict.fromkeys(inner.names, isinstance(inner, ast.Global)))
        else:
            names.update(_bound(inner))
    return frozenset(names - declared.keys()), declared


def unchanged_parameters(node: Function) -> frozenset[str]:
    """Parameters without a default that the function itself does not bind anew."""
    args = node.args
    positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    without = positional[: len(positional) - len(args.defaults)]
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    anew = {name for inner in _own(body) for name in _bound(inner)}
    return frozenset(without) - anew


def parameter_names(args: ast.arguments) -> list[str]:
    """All names of parameters, `*` and `**` included."""
    listed = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [arg.arg for arg in listed if arg is not None]


def _own(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What belongs to a function itself, not to those inside it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _NESTED):
            waiting += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return (name,)
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return (name,)
    return ()
