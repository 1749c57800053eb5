"""Functions of a Python file: what their parameters are given, what they return, and what annotations promise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from workers.tools.code_graph.python_expressions import ExpressionReader, dotted_parts
from workers.tools.code_graph.python_nodes import DICT, LIST, SET, TUPLE, UNKNOWN
from workers.tools.code_graph.python_scopes import (
    FUNCTION,
    FlowScope,
    Function,
    bound_names,
    unchanged_parameters,
)

_GENERICS = frozenset(
    ("Optional", "Union", "Annotated", "ClassVar", "Final", "Awaitable", "Coroutine")
)
"""Annotations that are what stands in them."""
_KINDS = {
    LIST: "list List",
    SET: "set Set frozenset FrozenSet",
    TUPLE: "tuple Tuple",
    DICT: "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict",
    "": "Sequence Iterable Iterator Collection Generator AsyncIterator AsyncIterable AsyncGenerator deque Deque",
}
_ELEMENTS = {name: kind for kind, names in _KINDS.items() for name in names.split()}


class DefinitionReader(ExpressionReader):
    """Definitions of functions, and annotations."""

    def define(self, node: Function, name: str, kind: str, outer: FlowScope) -> None:
        """A function: its parameters, what they are given by default, and its body."""
        bound, declared = bound_names(node)
        scope = FlowScope(FUNCTION, name, outer, bound, declared)
        scope.given = unchanged_parameters(node) - self.rebound
        self._declare(node.args, name, kind)
        self._read_parameters(node.args, scope, outer)
        self._read_defaults(node.args, name, outer)
        positional = self.functions[name][1]
        if kind in "mcp" and positional:
            letter = "c" if kind == "c" else "i"
            scope.receiver = scope.versions[positional[0]]
            self.flow(self.node("=", f"{letter}:{outer.name}"), scope.receiver)
        if isinstance(node, ast.Lambda):
            self.give_back(node.body, scope)
        else:
            self.read_body(node.body, scope)
        self._define_result(node, scope, outer)
        self.functions[name].append(sorted(self.handed_back.get(name, ())))

    def give_back(self, value: ast.expr, scope: FlowScope) -> None:
        """A function returns a value: a parameter goes back to who gave it, not to all who call."""
        if isinstance(value, ast.Name) and value.id in scope.given:
            self.handed_back.setdefault(scope.name, set()).add(value.id)
        else:
            self.flow(self.read(value, scope), self.slot(f"{scope.name}()"))

    def read_body(self, body: Sequence[ast.stmt], scope: FlowScope) -> None:
        """Statements one after the other."""
        raise NotImplementedError

    def _declare(self, args: ast.arguments, name: str, kind: str) -> None:
        positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        named = [arg.arg for arg in args.kwonlyargs]
        vararg, kwarg = (arg.arg if arg else "" for arg in (args.vararg, args.kwarg))
        self.functions[name] = [kind, positional, named, vararg, kwarg]

    def _read_parameters(self, args: ast.arguments, scope: FlowScope, outer: FlowScope) -> None:
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            self.bind(arg.arg, self.slot(f"{scope.name}({arg.arg})"), scope)
            hint = self.annotation(arg.annotation, outer)
            if hint is not None:
                self.flow(hint, scope.versions[arg.arg])
        for letter, extra, kind in (("*", args.vararg, TUPLE), ("**", args.kwarg, DICT)):
            if extra is not None:
                given = self.node("=", f"k:{kind}:{scope.name}({letter})")
                self.bind(extra.arg, given, scope)

    def _define_result(self, node: Function, scope: FlowScope, outer: FlowScope) -> None:
        result = self.slot(f"{scope.name}()")
        if scope.name in self.generators:
            self.flow(self.node("=", f"g:{scope.name}"), result)
        elif not isinstance(node, ast.Lambda):
            hint = self.annotation(node.returns, outer)
            if hint is not None:
                self.flow(hint, result)

    def _read_defaults(self, args: ast.arguments, name: str, outer: FlowScope) -> None:
        _, positional, named, *_ = self.functions[name]
        with_default = positional[len(positional) - len(args.defaults) :]
        defaults = (*args.defaults, *args.kw_defaults)
        for parameter, default in zip((*with_default, *named), defaults, strict=True):
            if default is not None:
                self.flow(self.read(default, outer), self.slot(f"{name}({parameter})"))

    # Annotations.

    def annotation(self, node: ast.expr | None, scope: FlowScope) -> int | None:
        """An instance of what an annotation names; None where it names nothing of use."""
        match node:
            case ast.Constant(value=str(text)):
                return self.annotation(_parsed(text), scope)
            case ast.Name(id="Self") | ast.Attribute(attr="Self"):
                owner = scope.owner()
                return self.node("=", f"i:{owner.name}") if owner is not None else None
            case ast.Name(id="Any") | ast.Attribute(attr="Any"):
                return None
            case ast.Name() | ast.Attribute():
                return self.node("n", self.read(node, scope))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.merge([*self._annotations((left, right), scope)])
            case ast.Subscript():
                return self._generic(node, scope)
        return None

    def _annotations(self, nodes: Sequence[ast.expr], scope: FlowScope) -> Iterator[int]:
        parts = (self.annotation(node, scope) for node in nodes)
        return (part for part in parts if part is not None)

    def _generic(self, node: ast.Subscript, scope: FlowScope) -> int | None:
        name = (dotted_parts(node.value) or ("",))[-1]
        if name in ("type", "Type"):
            return self.read(node.slice, scope)
        if not _is_generic(name):
            return self.annotation(node.value, scope) if name != "Callable" else None
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kind = _ELEMENTS.get(name, "")
        parts = inner[-1:] if kind == DICT or name == "Coroutine" else inner
        merged = self.merge([*self._annotations(parts, scope)])
        if merged is None or name in _GENERICS:
            return merged
        return self.container(kind, [(UNKNOWN, merged)])


def _is_generic(name: str) -> bool:
    return name in _GENERICS or name in _ELEMENTS


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
