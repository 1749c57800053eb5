"""What the nodes of one file come to, given what other files contribute to the places that it reads.

A worklist: a value that arrives at a node is handed to everyone who uses that node, once. Sets only grow and hold at
most MOST_VALUES, so the work is bounded by uses times values, whatever the file says.

Values are texts of a letter and a name: `f:` a function, `c:` a class, `i:` an instance, `b:function|receiver` a method
bound, `k:kind:site` a container, `g:` a generator, `s:class|receiver` what `super()` gives, `m:` a module, `q:` a
literal, `x:` something outside by its dotted name, `y:` an instance of that, `z:` an attribute of one, `u:` something
outside of which nothing is
known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from shared.models.code_graph import EdgeKind
from workers.tools.code_graph.python_program import Asked, NameMeanings, PythonProgram

MOST_VALUES, MOST_LITERALS = 24, 4
UNKNOWN_VALUE = "u:"
Use = tuple[Callable[[str, Any, Any], None], Any, Any]
Target = tuple[str, str, int, int]
"""An edge: the ids of its ends, the line, and the kind."""
Slots = Mapping[str, Iterable[str]]


class FlowSolver:
    """One file while it is solved: values move along flows, attributes, containers and calls."""

    def __init__(self, program: PythonProgram, module: str, given: Slots) -> None:
        self.program = program
        self.module = module
        self.given = given
        self.asked: Asked = set()
        self.edges: set[Target] = set()
        self.contributed: dict[str, dict[str, None]] = {}
        self.nodes: list[list[Any]] = list(program.modules[module]["nodes"])
        self._values: list[dict[str, None]] = [{} for _ in self.nodes]
        self._uses: list[list[Use]] = [[] for _ in self.nodes]
        self._slots: dict[str, int] = {}
        self._keys: dict[int, str] = {}
        self._made: set[tuple[Any, ...]] = set()
        self._waiting: deque[tuple[int, str]] = deque()

    # Nodes.

    def slot(self, key: str) -> int:
        """The node of a slot; the file reads it from now on."""
        if key not in self._slots:
            self._name_slot(key, self.new_node())
        return self._slots[key]

    def _name_slot(self, key: str, node: int) -> None:
        self._slots[key] = node
        self._keys[node] = key
        self.asked.add(key)
        self.receive(key, self.given.get(key, ()))

    def receive(self, key: str, values: Iterable[str]) -> None:
        """Values that other files contribute to a slot."""
        node = self._slots.get(key)
        if node is not None:
            for value in values:
                self._put(node, value)

    def new_node(self) -> int:
        """A node that the file itself does not write."""
        self.nodes.append(["v"])
        self._values.append({})
        self._uses.append([])
        return len(self.nodes) - 1

    def add(self, node: int, value: str) -> None:
        """A value arrives at a node."""
        key = self._keys.get(node)
        if key is not None:
            self.contributed.setdefault(key, {}).setdefault(value)
        self._put(node, value)

    def _put(self, node: int, value: str) -> None:
        values = self._values[node]
        if value in values or len(values) >= MOST_VALUES:
            return
        if value[0] == "q" and sum(v[0] == "q" for v in values) >= MOST_LITERALS:
            value = f"i:builtins.{literal_type(value)}"
            if value in values:
                return
        values[value] = None
        self._waiting.append((node, value))

    def use(self, node: int, function: Callable[[str, Any, Any], None], a: Any, b: Any) -> None:
        """Call the function for each value of a node, those that are there and those to come."""
        self._uses[node].append((function, a, b))
        for value in tuple(self._values[node]):
            function(value, a, b)

    def use_once(
        self, node: int, function: Callable[[str, Any, Any], None], a: Any, b: Any
    ) -> None:
        """The same, however often it is asked for."""
        made = (node, function.__name__, a, b)
        if made not in self._made:
            self._made.add(made)
            self.use(node, function, a, b)

    def flow(self, source: int, target: int) -> None:
        """All values of a node go to another."""
        if source != target:
            self.use_once(source, self._copy, target, None)

    def _copy(self, value: str, target: int, _: Any) -> None:
        self.add(target, value)

    def values(self, node: int) -> Iterable[str]:
        """What a node comes to so far."""
        return self._values[node]

    def run(self) -> None:
        """Hand on all values that wait."""
        while self._waiting:
            node, value = self._waiting.popleft()
            for function, a, b in tuple(self._uses[node]):
                function(value, a, b)

    # Names.

    def connect(self, names: NameMeanings, target: int) -> None:
        """What a name stands for goes to a node."""
        for key in names.slots:
            self.flow(self.slot(key), target)
        for value in names.values:
            self.add(target, value)

    def edge(self, source: str, target: str, line: int, kind: EdgeKind = EdgeKind.CALLS) -> None:
        """A call was found."""
        self.edges.add((source, target, line, int(kind)))


def literal_type(value: str) -> str:
    """The type of a literal value."""
    return "str" if value[2] in "'\"" else "int"
