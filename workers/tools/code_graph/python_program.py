"""What the names of a Python program stand for as far as its text alone says: modules, imports, classes.

Whoever asks is told under which keys the answer may change (`asked`), so that after a change of files only those ask
again whom it can concern.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from shared.models.code_graph import FileFacts

BUILTINS = frozenset(dir(builtins))
OUTSIDE = "x:"
MOST_BASES, DEEPEST, LONGEST_CHAIN = 64, 64, 24
Asked = set[str]


@dataclass
class NameMeanings:
    """What a name stands for: slots that hold it, and values; nothing where no text says."""

    asked: Asked
    slots: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class PythonProgram:
    """The files of a program by module. A slot is where values of a name are collected: `module.name`."""

    def __init__(self, files: Iterable[FileFacts]) -> None:
        self.modules: dict[str, Mapping[str, Any]] = {}
        self.functions: dict[str, Sequence[Any]] = {}
        self.classes: dict[str, tuple[str, Sequence[str], frozenset[str]]] = {}
        for facts in files:
            if facts.program is None or facts.module in self.modules:
                continue
            self.modules[facts.module] = facts.program
            self.functions.update(facts.program["functions"])
            for name, (bases, members) in facts.program["classes"].items():
                self.classes[name] = (facts.module, bases, frozenset(members))
        self._orders: dict[str, tuple[tuple[str, ...], Asked]] = {}
        self._depth = 0

    @cached_property
    def packages(self) -> frozenset[str]:
        """Every dotted beginning of a module's name."""
        parts = (name.split(".") for name in self.modules)
        return frozenset(".".join(p[:n]) for p in parts for n in range(1, len(p) + 1))

    @cached_property
    def names(self) -> Mapping[str, frozenset[str]]:
        """The names that each module binds otherwise than by an import."""
        return {module: frozenset(program["names"]) for module, program in self.modules.items()}

    @cached_property
    def set_names(self) -> frozenset[str]:
        """The attributes that some file sets on something else than the `self` of a method."""
        return frozenset(name for program in self.modules.values() for name in program["set"])

    # Names.

    def lookup(self, module: str, name: str, asked: Asked) -> NameMeanings:
        """What `name` stands for in a module; the module itself without a name."""
        names = NameMeanings(asked)
        self._look(module, name, names)
        return names

    def _look(self, module: str, name: str, names: NameMeanings) -> None:
        whole = f"{module}.{name}" if name else module
        if whole in names.seen or len(names.seen) > LONGEST_CHAIN:
            return
        names.seen.add(whole)
        names.asked.add(f"L:{whole}")
        program = self.modules.get(module)
        if name and program is not None:
            self._look_inside(module, name, program, names)
        if names.slots or names.values:
            return
        if whole in self.packages:
            names.values.append(f"m:{whole}")
        elif module not in self.packages:
            names.values.append(f"{OUTSIDE}{whole}")

    def _look_inside(
        self, module: str, name: str, program: Mapping[str, Any], names: NameMeanings
    ) -> None:
        bound, imported = name in self.names[module], program["aliases"].get(name, ())
        if bound:
            names.slots.append(f"{module}.{name}")
        for source, inner in imported:
            self._look(source, inner, names)
        if bound or imported or f"{module}.{name}" in self.packages:
            return
        for source in program["stars"]:
            names.asked.add(f"L:{source}.*")
            if self._gives(source, name):
                self._look(source, name, names)

    def _gives(self, module: str, name: str) -> bool:
        """Whether `from module import *` gives a name, if the module has it."""
        program = self.modules.get(module)
        if program is None:
            return False
        listed = program["all"]
        return not name.startswith("_") if listed is None else name in listed

    def global_name(self, module: str, name: str, asked: Asked) -> NameMeanings:
        """The same for a name as the module's functions read it: built-in where the module has none."""
        names = self.lookup(module, name, asked)
        if not names.slots and not names.values:
            names.values += (
                [f"{OUTSIDE}builtins.{name}"] if name in BUILTINS else self._outside(module)
            )
        return names

    def _outside(self, module: str) -> list[str]:
        """A name that may come from outside by `from ... import *`."""
        stars = self.modules[module]["stars"] if module in self.modules else ()
        return ["u:"] if any(source not in self.packages for source in stars) else []

    # Classes.

    def order(self, name: str, asked: Asked) -> tuple[str, ...]:
        """The class and those that it inherits from, in the order in which they are asked; outer ones as `x:name`."""
        if name not in self._orders:
            # What is asked for again meanwhile inherits from itself, and has no order.
            noted: Asked = {f"L:{name}"}
            self._orders[name] = ((name,), noted)
            self._depth += 1
            if name in self.classes and self._depth <= DEEPEST:
                bases = self.bases(name, noted)
                orders = [self.order(base, noted) for base in bases]
                self._orders[name] = ((name, *_merged([*orders, bases])), noted)
            self._depth -= 1
        order, noted = self._orders[name]
        asked |= noted
        return order

    def bases(self, name: str, asked: Asked) -> list[str]:
        """The classes that a class names as its bases: ids, or `x:name` of those outside."""
        module, bases, _ = self.classes[name]
        listed = (self._base(module, base, asked) for base in bases[:MOST_BASES])
        return list(dict.fromkeys(base for base in listed if base and base != name))

    def _base(self, module: str, base: str, asked: Asked) -> str:
        if base.startswith("="):
            return base[1:] if base[1:] in self.classes else ""
        return self._follow(module, base, asked, 0) if base else ""

    def _follow(self, module: str, dotted: str, asked: Asked, depth: int) -> str:
        """The class that a dotted name means in a module."""
        first, *rest = dotted.split(".")
        names = self.global_name(module, first, asked)
        for slot in names.slots:
            whole = ".".join((slot, *rest))
            if whole in self.classes:
                return whole
            source, _, plain = slot.rpartition(".")
            for (renamed,) in self.modules[source]["aliases"].get(f"={plain}", ()):
                if depth < LONGEST_CHAIN and renamed != dotted:
                    return self._follow(source, ".".join((renamed, *rest)), asked, depth + 1)
        for value in names.values:
            if value.startswith("m:") and rest:
                return self._follow(value[2:], ".".join(rest), asked, depth + 1)
            if value.startswith(OUTSIDE):
                return ".".join((value, *rest))
        return ""

    def has_member(self, name: str, member: str) -> bool:
        """Whether a class itself surely has a member."""
        return name in self.classes and member in self.classes[name][2]


def _merged(orders: Sequence[Sequence[str]]) -> Iterator[str]:
    """C3; where there is no such order, one class after the other as they come."""
    waiting = [list(order) for order in orders if order]
    while waiting:
        head = _head(waiting)
        yield head
        waiting = [order for order in map(partial(_without, head), waiting) if order]


def _head(orders: Sequence[Sequence[str]]) -> str:
    later = {each for order in orders for each in order[1:]}
    heads = [order[0] for order in orders]
    return next((each for each in heads if each not in later), heads[0])


def _without(head: str, order: Sequence[str]) -> list[str]:
    return [each for each in order if each != head]


def changed_names(before: FileFacts | None, after: FileFacts | None) -> Iterator[str]:
    """The keys under which answers about a file may have changed."""
    old, new = _interface(before), _interface(after)
    yield from (key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def _interface(facts: FileFacts | None) -> dict[str, Any]:
    if facts is None or facts.program is None:
        return {}
    program, module = facts.program, facts.module
    keys: dict[str, Any] = {
        f"L:{module}": True,
        f"L:{module}.*": [program["stars"], program["all"]],
    }
    for parent in _parents(module):
        keys[f"L:{parent}"] = True
    keys.update({f"L:{module}.{name}": True for name in program["names"]})
    keys.update({f"S:{name}": True for name in program["set"]})
    for name, targets in program["aliases"].items():
        plain = name.removeprefix("=")
        keys[f"L:{module}.{plain}"] = [keys.get(f"L:{module}.{plain}"), targets]
    for name, meta in (program["functions"] | program["classes"]).items():
        keys[f"L:{name}"] = [keys.get(f"L:{name}"), meta]
    return keys


def _parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:n]) for n in range(1, len(parts)))
