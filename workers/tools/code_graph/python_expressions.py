"""Nodes for what the expressions of a Python file come to, and for the names that they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from workers.tools.code_graph.python_nodes import DICT, LIST, SET, UNKNOWN, FlowWriter
from workers.tools.code_graph.python_scopes import FlowScope, Function

LONGEST_KEY, MOST_CONSTANTS = 40, 8
_COMPARED = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__",
}  # fmt: skip
_BINARY = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__", ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__", ast.Pow: "__pow__", ast.LShift: "__lshift__", ast.RShift: "__rshift__",
    ast.BitOr: "__or__", ast.BitXor: "__xor__", ast.BitAnd: "__and__", ast.MatMult: "__matmul__",
}  # fmt: skip
_UNARY = {ast.Invert: "__invert__", ast.USub: "__neg__", ast.UAdd: "__pos__"}


def dotted_parts(node: ast.expr) -> tuple[str, ...]:
    """The names of `a.b.c`; none for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (*reversed((*parts, node.id)),) if isinstance(node, ast.Name) else ()


class ExpressionReader(FlowWriter):
    """Expressions, and the names that values are bound to."""

    def assign(self, target: ast.expr, value: int, scope: FlowScope) -> None:
        """A target of an assignment is given a value."""
        match target:
            case ast.Name(id=name):
                self.bind(name, value, scope)
            case ast.Attribute(value=base, attr=attr):
                self._store_attribute(self.read(base, scope), attr, value, scope)
            case ast.Subscript(value=base, slice=index):
                key, node = self._key(index, scope)
                self.stores.append(["s", self.read(base, scope), key, node, value])
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self._unpack(elements, value, scope)
            case ast.Starred(value=inner):
                self.assign(inner, value, scope)

    def _store_attribute(self, base: int, name: str, value: int, scope: FlowScope) -> None:
        self.stores.append(["a", base, name, value])
        if base != scope.receiver:
            self.set_names.add(name)

    def _unpack(self, targets: Sequence[ast.expr], value: int, scope: FlowScope) -> None:
        key: str | None
        for number, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                rest = self.node("[", value, None, None, scope.name, target.lineno)
                self.assign(target.value, self.container(LIST, [(UNKNOWN, rest)]), scope)
            else:
                starred = any(isinstance(each, ast.Starred) for each in targets[:number])
                key = None if starred else repr(number)
                element = self.node("[", value, key, None, scope.name, target.lineno)
                self.assign(target, element, scope)

    def assign_starred(
        self, targets: Sequence[ast.expr], values: Sequence[ast.expr], scope: FlowScope
    ) -> None:
        """`a, *b, c = x, y, z`, each target with its own values."""
        nodes = [self.read(value, scope) for value in values]
        star = next(n for n, each in enumerate(targets) if isinstance(each, ast.Starred))
        end = len(nodes) - (len(targets) - star - 1)
        middle = [(repr(n), node) for n, node in enumerate(nodes[star:end])]
        nodes[star:end] = [self.container(LIST, middle)]
        for target, node in zip(targets, nodes, strict=False):
            self.assign(target, node, scope)

    def define(self, node: Function, name: str, kind: str, outer: FlowScope) -> None:
        """A function that stands in a scope."""
        raise NotImplementedError

    # Expressions.

    def binary(
        self, left: int, operator: ast.operator, right: int, scope: FlowScope, place: ast.AST
    ) -> int:
        """What an operator gives."""
        return self.implicit(left, _BINARY[type(operator)], scope, place, [right])

    def read(self, node: ast.expr, scope: FlowScope) -> int:
        """What an expression comes to."""
        reader = _READERS.get(type(node))
        if reader is not None:
            return reader(self, node, scope)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.read(part, scope)
        return self.shared("v")

    def _read_name(self, node: ast.Name, scope: FlowScope) -> int:
        return self.read_name(node.id, scope)

    def _read_constant(self, node: ast.Constant, _: FlowScope) -> int:
        value = node.value
        if (
            isinstance(value, str | int)
            and not isinstance(value, bool)
            and len(repr(value)) <= LONGEST_KEY
        ):
            return self.shared("=", f"q:{value!r}")
        if isinstance(value, str | bytes):
            return self.shared("=", f"i:builtins.{type(value).__name__}")
        return self.shared("v")

    def _read_text(self, node: ast.JoinedStr, scope: FlowScope) -> int:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.implicit(self.read(part.value, scope), "__str__", scope, part)
        return self.shared("=", "i:builtins.str")

    def _read_attribute(self, node: ast.Attribute, scope: FlowScope) -> int:
        base = self.read(node.value, scope)
        return self.node("a", base, node.attr, scope.name, node.lineno)

    def _read_call(self, node: ast.Call, scope: FlowScope) -> int:
        special = self._special_call(node, scope)
        if special is not None:
            return special
        function = self.read(node.func, scope)
        args = [self.read(arg, scope) for arg in node.args if not isinstance(arg, ast.Starred)]
        stars = [self.read(arg.value, scope) for arg in node.args if isinstance(arg, ast.Starred)]
        keywords = [(k.arg, self.read(k.value, scope)) for k in node.keywords if k.arg]
        doubles = [self.read(k.value, scope) for k in node.keywords if not k.arg]
        return self.call(function, scope, node, args, keywords, (stars, doubles))

    def _special_call(self, node: ast.Call, scope: FlowScope) -> int | None:
        """`super()`, and `getattr` and `setattr` with a constant name."""
        match node:
            case ast.Call(func=ast.Name(id="super")) if scope.owner() is not None:
                owner, method = scope.owner(), scope.method()
                receiver = method.receiver
                self.call(self.read(node.func, scope), scope, node)
                if receiver is None and method.bound:
                    receiver = next(iter(method.versions.values()), None)
                assert owner is not None
                return self.node("s", owner.name, -1 if receiver is None else receiver)
            case ast.Call(
                func=ast.Name(id="getattr"), args=[base, ast.Constant(value=str(name)), *rest]
            ):
                self.call(self.read(node.func, scope), scope, node)
                value = self.node("a", self.read(base, scope), name, scope.name, node.lineno)
                return self.merge([value, *(self.read(each, scope) for each in rest)])
            case ast.Call(
                func=ast.Name(id="setattr"), args=[base, ast.Constant(value=str(name)), value]
            ):
                self.call(self.read(node.func, scope), scope, node)
                given = self.read(value, scope)
                self._store_attribute(self.read(base, scope), name, given, scope)
                return self.shared("v")
        return None

    def _read_lambda(self, node: ast.Lambda, scope: FlowScope) -> int:
        scope.lambdas += 1
        name = f"{scope.name}.<lambda{scope.lambdas}>"
        self.lambdas.append((name, node.lineno, node.end_lineno or node.lineno))
        self.define(node, name, "f", scope)
        return self.node("=", f"f:{name}")

    def _read_sequence(self, node: ast.List | ast.Tuple | ast.Set, scope: FlowScope) -> int:
        many = len(node.elts) > MOST_CONSTANTS
        elements: list[tuple[str, int]] = []
        for number, element in enumerate(node.elts):
            if isinstance(element, ast.Starred):
                items = self.iterate(self.read(element.value, scope), scope, element)
                elements.append((UNKNOWN, items))
            elif not (many and isinstance(element, ast.Constant)):
                elements.append((repr(number), self.read(element, scope)))
        return self.container(type(node).__name__.lower(), elements)

    def _read_dict(self, node: ast.Dict, scope: FlowScope) -> int:
        many = len(node.values) > MOST_CONSTANTS
        elements: list[tuple[str, int]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                every = self.node("[", self.read(value, scope), None, None, scope.name, node.lineno)
                elements.append((UNKNOWN, every))
            elif not (many and isinstance(value, ast.Constant)):
                name, _ = self._key(key, scope)
                elements.append((name or UNKNOWN, self.read(value, scope)))
        return self.container(DICT, elements)

    def _key(self, index: ast.expr, scope: FlowScope) -> tuple[str | None, int | None]:
        """A key that is known, or the node that may say it."""
        match index:
            case ast.Constant(value=str() | int() as value) if len(repr(value)) <= LONGEST_KEY:
                return repr(value), None
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()) | ast.Slice():
                self.read(index, scope)
                return None, None
        return None, self.read(index, scope)

    def _read_subscript(self, node: ast.Subscript, scope: FlowScope) -> int:
        base = self.read(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            self.read(node.slice, scope)
            return base
        key, index = self._key(node.slice, scope)
        return self.node("[", base, key, index, scope.name, node.lineno)

    def _read_choice(self, node: ast.IfExp | ast.BoolOp, scope: FlowScope) -> int:
        if isinstance(node, ast.IfExp):
            self.read(node.test, scope)
            parts: Sequence[ast.expr] = (node.body, node.orelse)
        else:
            parts = node.values
        merged = self.merge([self.read(part, scope) for part in parts])
        assert merged is not None
        return merged

    def _read_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: FlowScope
    ) -> int:
        with _comprehending(scope):
            for part in node.generators:
                scope.comprehending = False
                prefix = "a" if part.is_async else ""
                items = self.iterate(self.read(part.iter, scope), scope, part.iter, prefix)
                scope.comprehending = True
                self.assign(part.target, items, scope)
                for condition in part.ifs:
                    self.read(condition, scope)
            if isinstance(node, ast.DictComp):
                self.read(node.key, scope)
                return self.container(DICT, [(UNKNOWN, self.read(node.value, scope))])
            kind = SET if isinstance(node, ast.SetComp) else LIST
            return self.container(kind, [(UNKNOWN, self.read(node.elt, scope))])

    def _read_walrus(self, node: ast.NamedExpr, scope: FlowScope) -> int:
        value = self.read(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    def _read_await(self, node: ast.Await, scope: FlowScope) -> int:
        return self.read(node.value, scope)

    def _read_yield(self, node: ast.Yield | ast.YieldFrom, scope: FlowScope) -> int:
        self.generators.add(scope.name)
        result = self.shared("v")
        if node.value is not None:
            value = self.read(node.value, scope)
            if isinstance(node, ast.YieldFrom):
                result, value = value, self.iterate(value, scope, node)
            self.flow(value, self.slot(f"{scope.name}*"))
        return result

    def _read_binary(self, node: ast.BinOp, scope: FlowScope) -> int:
        left, right = self.read(node.left, scope), self.read(node.right, scope)
        return self.binary(left, node.op, right, scope, node)

    def _read_unary(self, node: ast.UnaryOp, scope: FlowScope) -> int:
        operand = self.read(node.operand, scope)
        method = _UNARY.get(type(node.op))
        return self.implicit(operand, method, scope, node) if method else self.shared("v")

    def _read_compare(self, node: ast.Compare, scope: FlowScope) -> int:
        values = [self.read(part, scope) for part in (node.left, *node.comparators)]
        for left, operator, right in zip(values, node.ops, values[1:], strict=False):
            if isinstance(operator, ast.In | ast.NotIn):
                self.implicit(right, "__contains__", scope, node, [left])
            elif type(operator) in _COMPARED:
                self.implicit(left, _COMPARED[type(operator)], scope, node, [right])
        return self.shared("v")


@contextmanager
def _comprehending(scope: FlowScope) -> Iterator[None]:
    """Names that are bound within last to its end."""
    before, overlay = scope.comprehending, scope.overlay
    scope.comprehending, scope.overlay = True, dict(overlay)
    yield
    scope.comprehending, scope.overlay = before, overlay


_READERS: dict[type[ast.expr], Callable[..., int]] = {
    ast.Name: ExpressionReader._read_name,
    ast.Constant: ExpressionReader._read_constant,
    ast.JoinedStr: ExpressionReader._read_text,
    ast.Attribute: ExpressionReader._read_attribute,
    ast.Call: ExpressionReader._read_call,
    ast.Lambda: ExpressionReader._read_lambda,
    ast.List: ExpressionReader._read_sequence,
    ast.Tuple: ExpressionReader._read_sequence,
    ast.Set: ExpressionReader._read_sequence,
    ast.Dict: ExpressionReader._read_dict,
    ast.Subscript: ExpressionReader._read_subscript,
    ast.IfExp: ExpressionReader._read_choice,
    ast.BoolOp: ExpressionReader._read_choice,
    ast.ListComp: ExpressionReader._read_comprehension,
    ast.SetComp: ExpressionReader._read_comprehension,
    ast.GeneratorExp: ExpressionReader._read_comprehension,
    ast.DictComp: ExpressionReader._read_comprehension,
    ast.NamedExpr: ExpressionReader._read_walrus,
    ast.Await: ExpressionReader._read_await,
    ast.Yield: ExpressionReader._read_yield,
    ast.YieldFrom: ExpressionReader._read_yield,
    ast.BinOp: ExpressionReader._read_binary,
    ast.UnaryOp: ExpressionReader._read_unary,
    ast.Compare: ExpressionReader._read_compare,
}
