"""Nodes of a Python file's flow, and the names that they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from workers.tools.code_graph.python_scopes import FUNCTION, MODULE, FlowScope

STR, LIST, TUPLE, DICT, SET = "str", "list", "tuple", "dict", "set"
ANY, UNKNOWN = "*", "?"
"""Keys of containers: whatever is in one, and what is written to it under a key that is not known."""


class FlowWriter:
    """What was written of a file so far."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.nodes: list[list[Any]] = []
        self.flows: list[int] = []
        self.stores: list[list[Any]] = []
        self.functions: dict[str, list[Any]] = {}
        self.lambdas: list[tuple[str, int, int]] = []
        self.slots: set[str] = set()
        self.set_names: set[str] = set()
        self.rebound: frozenset[str] = frozenset()
        """Names that inner functions bind anew: straight-line code does not say what they stand for."""
        self._known: dict[tuple[Any, ...], int] = {}
        self._history: dict[tuple[str, str], list[int]] = {}
        self.handed_back: dict[str, set[str]] = {}
        """Parameters that a function returns as it was given them."""
        self.generators: set[str] = set()

    # Nodes.

    def node(self, *operation: Any) -> int:
        """A new node."""
        self.nodes.append(list(operation))
        return len(self.nodes) - 1

    def shared(self, *operation: Any) -> int:
        """The node of an operation that is the same everywhere in a file."""
        if operation not in self._known:
            self._known[operation] = self.node(*operation)
        return self._known[operation]

    def slot(self, key: str) -> int:
        """The node of a place that other files know by its key."""
        return self.shared("o", key)

    def flow(self, source: int, target: int) -> None:
        """Whatever the source comes to, the target does."""
        self.flows += (source, target)

    def merge(self, nodes: Sequence[int]) -> int | None:
        """One node for several."""
        if len(nodes) < 2:
            return nodes[0] if nodes else None
        merged = self.node("v")
        for node in nodes:
            self.flow(node, merged)
        return merged

    def container(self, kind: str, elements: Sequence[tuple[str, int]]) -> int:
        """A new container with these elements by key."""
        node = self.node("=")
        site = f"{self.module}:{node}"
        self.nodes[node].append(f"k:{kind}:{site}")
        for key, element in elements:
            self.flow(element, self.slot(f"{site}[{key}]"))
            if key != ANY:
                self.flow(element, self.slot(f"{site}[{ANY}]"))
        return node

    def call(
        self,
        function: int,
        scope: FlowScope,
        place: ast.AST,
        args: Sequence[int] = (),
        keywords: Sequence[tuple[str, int]] = (),
        stars: tuple[Sequence[int], Sequence[int]] = ((), ()),
        quiet: str = "",
    ) -> int:
        """A call. `quiet` says what kind of call it is that does not stand there as one."""
        line = getattr(place, "lineno", 0)
        return self.node(
            "(", function, [*args], [list(pair) for pair in keywords], [*stars[0]], [*stars[1]], scope.name, line,
            quiet,
        )  # fmt: skip

    def implicit(
        self, base: int, method: str, scope: FlowScope, place: ast.AST, args: Sequence[int] = ()
    ) -> int:
        """A call of a special method, where the class of the program has one."""
        return self.node("d", base, method, [*args], scope.name, getattr(place, "lineno", 0))

    def iterate(self, base: int, scope: FlowScope, place: ast.AST, prefix: str = "") -> int:
        """What iteration gives. `prefix` is `a` where it is asynchronous."""
        return self.node("i", base, scope.name, getattr(place, "lineno", 0), prefix)

    def enter(self, base: int, scope: FlowScope, place: ast.AST, prefix: str = "") -> int:
        """What `with` gives."""
        return self.node("w", base, scope.name, getattr(place, "lineno", 0), prefix)

    # Names.

    def read_name(self, name: str, scope: FlowScope) -> int:
        """What a name stands for."""
        if name in scope.overlay:
            return scope.overlay[name]
        if name in scope.versions and name not in self.rebound:
            return scope.versions[name]
        if name in scope.bound:
            return self._cell(scope, name)
        if scope.declared.get(name) is not True:
            for outer in scope.closures():
                if name in outer.overlay:
                    return outer.overlay[name]
                if name in outer.bound:
                    return self._cell(outer, name)
        return self.shared("g", name)

    def _cell(self, scope: FlowScope, name: str) -> int:
        """All that a function's name ever stands for."""
        if name not in scope.cells:
            scope.cells[name] = self.node("v")
            for version in self._history.get((scope.name, name), ()):
                self.flow(version, scope.cells[name])
        return scope.cells[name]

    def bind(self, name: str, value: int, scope: FlowScope) -> None:
        """A name stands for a value from here on."""
        if scope.comprehending:
            scope.overlay[name] = value
        elif name in scope.declared:
            self._bind_outside(name, value, scope)
        else:
            self._new_version(name, value, scope)

    def _bind_outside(self, name: str, value: int, scope: FlowScope) -> None:
        outer = next((each for each in scope.closures() if name in each.bound), None)
        if scope.declared[name] or outer is None:
            self.slots.add(name)
            self.flow(value, self.slot(f"{self.module}.{name}"))
        else:
            self.flow(value, self._cell(outer, name))

    def _new_version(self, name: str, value: int, scope: FlowScope) -> None:
        version = scope.versions.get(name)
        if version is None or not scope.branches:
            version = scope.versions[name] = self.node("v")
            if scope.kind == FUNCTION:
                self._history.setdefault((scope.name, name), []).append(version)
                if name in scope.cells:
                    self.flow(version, scope.cells[name])
            else:
                self.flow(version, self.slot(f"{scope.name}.{name}"))
        self.flow(value, version)
        if scope.kind == MODULE:
            self.slots.add(name)
