"""One file of a Python program while it is solved: its nodes and stores are put to work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workers.tools.code_graph.python_calls import CallSolver
from workers.tools.code_graph.python_nodes import ANY, UNKNOWN
from workers.tools.code_graph.python_program import PythonProgram
from workers.tools.code_graph.python_solver import Slots


class ModuleSolver(CallSolver):
    """A file with what it comes to so far."""

    def __init__(self, program: PythonProgram, module: str, given: Slots) -> None:
        super().__init__(program, module, given)
        facts = program.modules[module]
        self._nodes_of_keys: list[tuple[int, Callable[[], None]]] = []
        operations = tuple(enumerate(self.nodes))
        for node, operation in operations:
            if operation[0] == "o":
                self._name_slot(operation[1], node)
        for node, operation in operations:
            _OPERATIONS[operation[0]](self, node, operation)
        flows: Sequence[int] = facts["flows"]
        for source, target in zip(flows[::2], flows[1::2], strict=True):
            self.use(source, self._copy, target, None)
        for store in facts["stores"]:
            self._store(store)
        self.run()

    def read_open_keys(self) -> None:
        """Where no literal says which element of a container is meant, any may be."""
        waiting, self._nodes_of_keys = self._nodes_of_keys, []
        for key, use in waiting:
            if not self._has_literal(key):
                use()
        self.run()

    def _has_literal(self, node: int) -> bool:
        return any(value[0] == "q" for value in self.values(node))

    def _constant(self, node: int, operation: Sequence[Any]) -> None:
        for value in operation[1:]:
            self.add(node, value)

    def _variable(self, node: int, operation: Sequence[Any]) -> None:
        """It is what flows to it."""

    def _global(self, node: int, operation: Sequence[Any]) -> None:
        self.connect(self.program.global_name(self.module, operation[1], self.asked), node)

    def _imported(self, node: int, operation: Sequence[Any]) -> None:
        self.connect(self.program.lookup(operation[1], operation[2], self.asked), node)

    def _attribute_node(self, node: int, operation: Sequence[Any]) -> None:
        self.use(operation[1], self.attribute, node, operation[2])

    def _call_node(self, node: int, operation: Sequence[Any]) -> None:
        self.use(operation[1], self.call, node, None)

    def _implicit_node(self, node: int, operation: Sequence[Any]) -> None:
        _, base, method, *_ = operation
        self.use(base, self._operate, node, method)

    def _operate(self, value: str, node: int, method: str) -> None:
        """An operator calls a special method; what is built in is of the same kind after it."""
        if value[0] == "i" and not value.startswith("i:builtins."):
            _, base, _, args, caller, line = self.nodes[node]
            call = self.new_node()
            self.nodes[call] = ["(", base, args, [], [], [], caller, line, ""]
            self.flow(call, node)
            self.implicit(value, call, method)
        elif method in ("__add__", "__mod__") and value[0] in "ki":
            self.add(node, value)

    def special(self, value: str, target: int, method: str, argument: str) -> None:
        """As a call in place of the attribute; with "-" its result is not what the attribute is."""
        operation = self.nodes[target]
        if operation[0] != "a":
            return
        given = self.new_node()
        if argument[:1] == "i":
            self.add(given, argument)
        call = self.new_node()
        self.nodes[call] = ["(", operation[1], [given], [], [], [], operation[3], operation[4], ""]
        if argument != "-":
            self.flow(call, target)
        self.implicit(value, call, method)

    def _iteration_node(self, node: int, operation: Sequence[Any]) -> None:
        self.use(operation[1], self.iterate, node, None)

    def _with_node(self, node: int, operation: Sequence[Any]) -> None:
        self.use(operation[1], self.open, node, None)

    def _instance_node(self, node: int, operation: Sequence[Any]) -> None:
        self.use(operation[1], self.instance, node, None)

    def _super_node(self, node: int, operation: Sequence[Any]) -> None:
        if operation[2] < 0:
            self.super_of("", node, operation[1])
        else:
            self.use(operation[2], self.super_of, node, operation[1])

    def _subscript_node(self, node: int, operation: Sequence[Any]) -> None:
        _, base, key, index, *_ = operation
        if index is None:
            self.use(base, self.subscript, node, key)
            return
        self.use(index, self._subscript_by, node, base)
        self._nodes_of_keys.append((index, lambda: self.use(base, self.subscript, node, None)))

    def _subscript_by(self, value: str, node: int, base: int) -> None:
        if value[0] == "q":
            self.use(base, self.subscript, node, value[2:])

    def _store(self, store: Sequence[Any]) -> None:
        if store[0] == "a":
            _, base, name, value = store
            self.use(base, self.store, name, value)
            return
        _, base, key, index, value = store
        if index is None:
            self.use(base, self.store_item, key or UNKNOWN, value)
            return
        self.use(index, self._store_by, base, value)
        self.use(base, self.store_item, ANY, value)
        self._nodes_of_keys.append((index, lambda: self.use(base, self.store_item, UNKNOWN, value)))

    def _store_by(self, value: str, base: int, source: int) -> None:
        if value[0] == "q":
            self.use(base, self.store_item, value[2:], source)


_OPERATIONS: Mapping[str, Callable[[ModuleSolver, int, Sequence[Any]], None]] = {
    "=": ModuleSolver._constant,
    "v": ModuleSolver._variable,
    "o": ModuleSolver._variable,
    "g": ModuleSolver._global,
    "l": ModuleSolver._imported,
    "a": ModuleSolver._attribute_node,
    "(": ModuleSolver._call_node,
    "d": ModuleSolver._implicit_node,
    "i": ModuleSolver._iteration_node,
    "w": ModuleSolver._with_node,
    "n": ModuleSolver._instance_node,
    "s": ModuleSolver._super_node,
    "[": ModuleSolver._subscript_node,
}
