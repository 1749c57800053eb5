"""How values flow through a Python file: nodes for what expressions come to, and what flows from where to where.

docs/design/code-graph.md lists the kinds of nodes. Names are resolved as far as the file itself tells; nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from workers.tools.code_graph.python_definitions import DefinitionReader
from workers.tools.code_graph.python_expressions import dotted_parts
from workers.tools.code_graph.python_scopes import CLASS, MODULE, FlowScope

_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_WRAPPED = frozenset(("setter", "getter", "deleter", "overload", "property", "abstractmethod"))
_METHOD_KINDS = {"staticmethod": "s", "classmethod": "c"}
_ALWAYS_CLASS = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))


class FlowReader(DefinitionReader):
    """Statements of a file, in their order. `package` is what its relative imports start from."""

    def __init__(self, module: str, package: str) -> None:
        super().__init__(module)
        self.package = package
        self.classes: dict[str, list[Any]] = {}
        self.aliases: dict[str, list[list[str]]] = {}
        self.stars: list[str] = []
        self.exported: list[str] | None = None

    def read_module(self, tree: ast.Module) -> None:
        """The whole file."""
        outside = (n for n in ast.walk(tree) if isinstance(n, ast.Global | ast.Nonlocal))
        self.rebound = frozenset(name for node in outside for name in node.names)
        self.read_body(tree.body, FlowScope(MODULE, self.module))

    def program(self) -> dict[str, Any]:
        """All that was read, as plain JSON."""
        return {
            "nodes": self.nodes,
            "flows": self.flows,
            "stores": self.stores,
            "functions": self.functions,
            "classes": self.classes,
            "names": sorted(self.slots),
            "aliases": self.aliases,
            "stars": self.stars,
            "all": self.exported,
            "set": sorted(self.set_names),
        }

    def read_body(self, body: Sequence[ast.stmt], scope: FlowScope) -> None:
        """Statements one after the other."""
        for node in body:
            self._read(node, scope)

    def _read(self, node: ast.stmt, scope: FlowScope) -> None:
        reader = _READERS.get(type(node))
        if reader is not None:
            reader(self, node, scope)
        else:
            self._read_parts(node, scope)

    def _read_parts(self, node: ast.AST, scope: FlowScope) -> None:
        """Any other statement: its expressions and its inner statements; what they bind may hide nothing."""
        scope.branches += 1
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.read(part, scope)
            elif isinstance(part, ast.stmt):
                self._read(part, scope)
            else:
                self._read_parts(part, scope)
        scope.branches -= 1

    def _read_return(self, node: ast.Return, scope: FlowScope) -> None:
        if node.value is not None:
            self.give_back(node.value, scope)

    def _read_raise(self, node: ast.Raise, scope: FlowScope) -> None:
        if node.exc is not None:
            raised = self.read(node.exc, scope)
            if not isinstance(node.exc, ast.Call):
                # A class that is raised is made an instance of.
                self.call(raised, scope, node, quiet="class")
        if node.cause is not None:
            self.read(node.cause, scope)

    def _read_assign(self, node: ast.Assign, scope: FlowScope) -> None:
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)],
                value=ast.Tuple(elts=values) | ast.List(elts=values),
            ) if any(isinstance(target, ast.Starred) for target in targets):
                self.assign_starred(targets, values, scope)
                return
        value = self.read(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)
            if isinstance(target, ast.Name) and scope.kind == MODULE:
                self._note_alias(target.id, node.value)

    def _note_alias(self, name: str, value: ast.expr) -> None:
        parts = dotted_parts(value)
        if name == "__all__":
            self.exported = _strings(value)
        elif parts:
            self.aliases.setdefault(f"={name}", []).append([".".join(parts)])

    def _read_annotated(self, node: ast.AnnAssign, scope: FlowScope) -> None:
        values = [] if node.value is None else [self.read(node.value, scope)]
        instance = self.annotation(node.annotation, scope)
        values += [] if instance is None else [instance]
        merged = self.merge(values)
        if merged is not None:
            self.assign(node.target, merged, scope)

    def _read_augmented(self, node: ast.AugAssign, scope: FlowScope) -> None:
        value = self.read(node.value, scope)
        if isinstance(node.target, ast.Name) and node.target.id == "__all__":
            self.exported = [*(self.exported or ()), *_strings(node.value)]
        if isinstance(node.target, ast.Name):
            self.binary(self.read_name(node.target.id, scope), node.op, value, scope, node)
            scope.branches += 1
            self.assign(node.target, value, scope)
            scope.branches -= 1
        elif isinstance(node.target, ast.Attribute | ast.Subscript):
            self.read(node.target.value, scope)

    def _read_for(self, node: ast.For | ast.AsyncFor, scope: FlowScope) -> None:
        prefix = "a" if isinstance(node, ast.AsyncFor) else ""
        items = self.iterate(self.read(node.iter, scope), scope, node, prefix)
        scope.branches += 1
        self.assign(node.target, items, scope)
        self.read_body(node.body, scope)
        self.read_body(node.orelse, scope)
        scope.branches -= 1

    def _read_with(self, node: ast.With | ast.AsyncWith, scope: FlowScope) -> None:
        prefix = "a" if isinstance(node, ast.AsyncWith) else ""
        for item in node.items:
            entered = self.enter(self.read(item.context_expr, scope), scope, node, prefix)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, entered, scope)
        self.read_body(node.body, scope)

    def _read_import(self, node: ast.Import, scope: FlowScope) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            module = alias.name if alias.asname else name
            self._bind_import(name, module, "", scope)

    def _read_import_from(self, node: ast.ImportFrom, scope: FlowScope) -> None:
        module = absolute(self.package, node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
            else:
                self._bind_import(alias.asname or alias.name, module, alias.name, scope)

    def _bind_import(self, bound: str, module: str, name: str, scope: FlowScope) -> None:
        before = bound in self.slots
        self.bind(bound, self.node("l", module, name), scope)
        if scope.kind == MODULE:
            self.aliases.setdefault(bound, []).append([module, name])
            if not before:
                # The import itself says what the name stands for.
                self.slots.discard(bound)

    def _read_class(self, node: ast.ClassDef, scope: FlowScope) -> None:
        inner = FlowScope(CLASS, f"{scope.name}.{node.name}", scope)
        for keyword in node.keywords:
            self.read(keyword.value, scope)
        bases = [self._base(base, scope) for base in node.bases]
        value = self.node("=", f"c:{inner.name}")
        decorated = self._decorated(value, node.decorator_list, scope)
        self.classes[inner.name] = [bases, sorted(_members(node))]
        self.bind(node.name, decorated, scope)
        self.read_body(node.body, inner)

    def _base(self, base: ast.expr, scope: FlowScope) -> str:
        """A base as a dotted name: with `=` before it the id of a class that is defined around here."""
        self.read(base, scope)
        parts = dotted_parts(base.value if isinstance(base, ast.Subscript) else base)
        if not parts:
            return ""
        around: FlowScope | None = scope
        while around is not None and around.kind != MODULE:
            name = f"{around.name}.{parts[0]}"
            if name in self.classes:
                return "=" + ".".join((name, *parts[1:]))
            around = around.outer
        return ".".join(parts)

    def _read_function(self, node: _Definition, scope: FlowScope) -> None:
        name = f"{scope.name}.{node.name}"
        kind = _kind(node, scope)
        value = self.node("=", f"f:{name}")
        if kind == "p":
            self._decorated(value, node.decorator_list, scope)
            decorated = value
        else:
            decorated = self._decorated(value, node.decorator_list, scope)
        self.bind(node.name, decorated, scope)
        self.define(node, name, kind, scope)

    def _decorated(self, value: int, decorators: Sequence[ast.expr], scope: FlowScope) -> int:
        for decorator in reversed(decorators):
            if _last_name(decorator) in _WRAPPED or _last_name(decorator) in _METHOD_KINDS:
                self.read(decorator, scope)
                continue
            wrapper = self.read(decorator, scope)
            value = self.call(wrapper, scope, decorator, [value], quiet="decorator")
        return value


def absolute(package: str, module: str, level: int) -> str:
    """The module that is imported, without leading dots."""
    if not level:
        return module
    parts = package.split(".")
    kept = parts[: max(0, len(parts) - level + 1)]
    return ".".join(part for part in (*kept, module) if part)


def _kind(node: _Definition, scope: FlowScope) -> str:
    """`f` a function, `m` a method, `s` a static one, `c` one of the class, `p` a property."""
    if scope.kind != CLASS:
        return "f"
    names = [_last_name(decorator) for decorator in node.decorator_list]
    kinds = [_METHOD_KINDS[name] for name in names if name in _METHOD_KINDS]
    if kinds:
        return kinds[0]
    if any(name.endswith("property") for name in names):
        return "p"
    return "c" if node.name in _ALWAYS_CLASS else "m"


def _last_name(decorator: ast.expr) -> str:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    parts = dotted_parts(inner)
    return parts[-1] if parts else ""


def _members(node: ast.ClassDef) -> set[str]:
    """What a class surely has: names that its body binds, and attributes of `self` that its methods set."""
    names: set[str] = set()
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(part.name)
            names.update(_set_attributes(part))
        elif isinstance(part, ast.ClassDef):
            names.add(part.name)
        else:
            stored = (n for n in ast.walk(part) if isinstance(n, ast.Name | ast.FunctionDef))
            names.update(
                n.id if isinstance(n, ast.Name) else n.name
                for n in stored
                if isinstance(n, ast.FunctionDef) or isinstance(n.ctx, ast.Store)
            )
    return names


def _set_attributes(node: _Definition) -> Iterable[str]:
    first = (*node.args.posonlyargs, *node.args.args)[:1]
    own = first[0].arg if first else ""
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()) if name == own:
                yield attr


def _strings(node: ast.expr) -> list[str]:
    inner = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [
        element.value
        for element in inner
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    ]


_READERS: dict[type[ast.stmt], Any] = {
    ast.Return: FlowReader._read_return,
    ast.Raise: FlowReader._read_raise,
    ast.Assign: FlowReader._read_assign,
    ast.AnnAssign: FlowReader._read_annotated,
    ast.AugAssign: FlowReader._read_augmented,
    ast.For: FlowReader._read_for,
    ast.AsyncFor: FlowReader._read_for,
    ast.With: FlowReader._read_with,
    ast.AsyncWith: FlowReader._read_with,
    ast.Import: FlowReader._read_import,
    ast.ImportFrom: FlowReader._read_import_from,
    ast.ClassDef: FlowReader._read_class,
    ast.FunctionDef: FlowReader._read_function,
    ast.AsyncFunctionDef: FlowReader._read_function,
}
