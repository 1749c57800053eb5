"""Attributes: what they stand for on instances, classes, modules and what is outside, and whom they are bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workers.tools.code_graph.python_program import OUTSIDE
from workers.tools.code_graph.python_solver import UNKNOWN_VALUE, FlowSolver, literal_type

_EMPTY = frozenset(
    f"{OUTSIDE}{name}"
    for name in (
        "builtins.object",
        "typing.Generic",
        "typing.Protocol",
        "abc.ABC",
        "typing.NamedTuple",
    )
)
"""Classes from outside that have no members that are worth naming."""
_MEMBERS = {
    kind.__name__: frozenset(dir(kind))
    for kind in (str, bytes, bytearray, int, float, complex, list, dict, set, tuple)
}
_CONTAINERS = {"list": "list", "dict": "dict", "set": "set", "tuple": "tuple"}


class AttributeSolver(FlowSolver):
    """Attributes are looked up in the order of the classes, as far as one surely has them."""

    def attribute(self, value: str, target: int, name: str) -> None:
        """What the attribute of a value is goes to the target."""
        letter, rest = value[0], value[2:]
        if letter == "i":
            self._of_instance(value, rest, target, name)
        elif letter == "c":
            self.member(self.program.order(rest, self.asked), name, target, value)
        elif letter == "m":
            self.connect(self.program.lookup(rest, name, self.asked), target)
        elif letter == "s":
            self._of_super(rest, target, name)
        elif letter in "fb":
            self.flow(self.slot(f"{rest.partition('|')[0]}.{name}"), target)
        else:
            self._outside(value, target, name)

    def _outside(self, value: str, target: int, name: str) -> None:
        letter, rest = value[0], value[2:]
        if letter == "x":
            self.add(target, f"{OUTSIDE}{rest}.{name}")
        elif letter == "y":
            self.add(target, f"z:{rest}.{name}")
        elif letter == "q":
            self._of_built_in(literal_type(value), target, name)
        elif letter == "k":
            kind = rest.partition(":")[0]
            if name in _MEMBERS.get(kind, ()):
                self.add(target, f"b:builtins.{kind}.{name}|{value}")
        elif letter in "uz":
            self.add(target, UNKNOWN_VALUE)

    def _of_built_in(self, kind: str, target: int, name: str) -> None:
        if name in _MEMBERS.get(kind, ()):
            self.add(target, f"{OUTSIDE}builtins.{kind}.{name}")

    def _of_instance(self, value: str, cls: str, target: int, name: str) -> None:
        if cls.startswith("builtins."):
            self._of_built_in(cls[len("builtins.") :], target, name)
        elif name == "__class__":
            self.add(target, f"c:{cls}")
        else:
            self.member(self.program.order(cls, self.asked), name, target, value)

    def _of_super(self, rest: str, target: int, name: str) -> None:
        cls, _, receiver = rest.partition("|")
        below = receiver[2:] if receiver[:1] in ("i", "c") else cls
        order = self.program.order(below, self.asked)
        if cls not in order:
            order = self.program.order(cls, self.asked)
        after = order[order.index(cls) + 1 :]
        self.member(after, name, target, receiver or f"i:{cls}")

    def member(self, order: Sequence[str], name: str, target: int, receiver: str) -> None:
        """The member of the first class that surely has it, with what else may be set."""
        self.asked.add(f"S:{name}")
        set_anywhere = name in self.program.set_names
        for owner in order:
            known = self.program.has_member(owner, name)
            if known or (set_anywhere and not owner.startswith(OUTSIDE)):
                whole = f"{owner}.{name}"
                self.use_once(self.slot(whole), self._bind, target, (receiver, whole))
            if known:
                return
        outside = [owner for owner in order if owner.startswith(OUTSIDE) and owner not in _EMPTY]
        if outside:
            self.add(target, f"{outside[0]}.{name}")

    def has(self, order: Sequence[str], name: str) -> bool:
        """Whether one of the classes surely has a member."""
        return any(self.program.has_member(owner, name) for owner in order)

    def special(self, value: str, target: int, method: str, argument: str) -> None:
        """A special method of a value is called where an attribute is read; whoever solves calls says how."""

    def function(self, name: str) -> Any:
        """What is known of a function: its kind and its parameters."""
        self.asked.add(f"L:{name}")
        return self.program.functions.get(name)

    def _bind(self, value: str, target: int, asked: tuple[str, str]) -> None:
        """A method is bound to whom it is asked of; a property and a descriptor are called."""
        receiver, whole = asked
        kind = self._kind_of(value)
        if kind == "c":
            cls = receiver[2:] if receiver[0] in "ic" else ""
            self.add(target, f"b:{value[2:]}|c:{cls}")
        elif kind == "m" and receiver[0] == "i":
            self.add(target, f"b:{value[2:]}|{receiver}")
        elif kind == "p" and receiver[0] == "i":
            self._read_property(value[2:], target, receiver)
        elif value[0] == "i" and self._is_descriptor(value[2:]):
            self._read_descriptor(value, target, receiver, whole)
        else:
            self.add(target, value)

    def _kind_of(self, value: str) -> str:
        """What a function is to its class: a method, a property, one of the class, or none of them."""
        function = self.function(value[2:]) if value[0] == "f" else None
        return "f" if function is None else str(function[0])

    def _is_descriptor(self, cls: str) -> bool:
        inside = not cls.startswith("builtins.")
        return inside and self.has(self.program.order(cls, self.asked), "__get__")

    def _read_descriptor(self, value: str, target: int, receiver: str, name: str) -> None:
        """Its `__get__` is called. What it was made of as a decorator says what it gives, else what `__get__` gives."""
        function = self.function(name)
        self.special(value, target, "__get__", receiver if function is None else "-")
        if function is None:
            return
        if function[1] and receiver[0] == "i":
            self.add(self.slot(f"{name}({function[1][0]})"), receiver)
        self.flow(self.slot(f"{name}()"), target)

    def _read_property(self, name: str, target: int, receiver: str) -> None:
        operation = self.nodes[target]
        function = self.function(name)
        if function[1]:
            self.add(self.slot(f"{name}({function[1][0]})"), receiver)
            if function[1][0] in function[5]:
                self.add(target, receiver)
        self.flow(self.slot(f"{name}()"), target)
        if operation[0] == "a":
            self.edge(operation[3], name, operation[4])

    def store(self, value: str, name: str, source: int) -> None:
        """A value is set as an attribute."""
        letter, rest = value[0], value[2:]
        if letter in "ic" and not rest.startswith("builtins."):
            self.flow(source, self.slot(f"{rest}.{name}"))
        elif letter in "fb":
            self.flow(source, self.slot(f"{rest.partition('|')[0]}.{name}"))
        elif letter == "m" and rest in self.program.modules:
            self.flow(source, self.slot(f"{rest}.{name}"))

    def super_of(self, receiver: str, target: int, cls: str) -> None:
        """What `super()` gives for a receiver."""
        self.add(target, f"s:{cls}|{receiver if receiver[0] in 'ic' else ''}")

    def instance(self, value: str, target: int, _: Any) -> None:
        """An instance of what an annotation names."""
        if value[0] == "c":
            self.add(target, f"i:{value[2:]}")
        elif value.startswith("x:builtins."):
            kind = value[len("x:builtins.") :]
            if kind in _CONTAINERS:
                self.add(target, f"k:{kind}:{self.module}:{target}")
            elif kind in ("str", "bytes", "int", "float"):
                self.add(target, f"i:builtins.{kind}")
        elif value[0] == "x":
            last = value.rpartition(".")[2]
            self.add(target, f"y:{value[2:]}" if last[:1].isupper() else UNKNOWN_VALUE)
