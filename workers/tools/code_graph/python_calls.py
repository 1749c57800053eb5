"""Calls: who is called, where arguments go and where results come from; containers; functions that are built in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shared.models.code_graph import EdgeKind
from workers.tools.code_graph import python_built_ins
from workers.tools.code_graph.python_attributes import AttributeSolver
from workers.tools.code_graph.python_nodes import ANY, UNKNOWN
from workers.tools.code_graph.python_program import OUTSIDE
from workers.tools.code_graph.python_solver import UNKNOWN_VALUE

_BUILT_IN = f"{OUTSIDE}builtins."


class CallSolver(AttributeSolver):
    """Calls of what is called, whatever it is."""

    def call(self, value: str, node: int, _: Any) -> None:
        """A call of a value."""
        letter, rest = value[0], value[2:]
        operation = self.nodes[node]
        if letter == "f":
            self.enter(rest, node, "")
        elif letter == "b":
            function, _, receiver = rest.partition("|")
            if function.startswith("builtins."):
                self._call_container(function, receiver, node)
            else:
                self.enter(function, node, receiver)
        elif letter == "c":
            self._instantiate(rest, node)
        elif operation[8] == "class":
            return
        elif letter == "i" and not rest.startswith("builtins."):
            self._call_method(value, "__call__", node)
        else:
            self._call_outside(value, node)

    def enter(self, name: str, node: int, receiver: str) -> None:
        """A call of a function of the program."""
        operation = self.nodes[node]
        meta = self.function(name)
        self.edge(operation[6], name, operation[7])
        self.flow(self.slot(f"{name}()"), node)
        if meta is None:
            return
        positional: Sequence[str] = meta[1]
        if receiver and positional:
            self.add(self.slot(f"{name}({positional[0]})"), receiver)
            if positional[0] in meta[5]:
                self.add(node, receiver)
            positional = positional[1:]
        self._give(name, meta, positional, operation)
        self._give_back(meta, positional, node)

    def _give(
        self, name: str, meta: Sequence[Any], positional: Sequence[str], operation: Sequence[Any]
    ) -> None:
        _, args, keywords, stars, doubles = operation[1:6]
        for parameter, arg in zip(positional, args, strict=False):
            self.flow(arg, self.slot(f"{name}({parameter})"))
        if meta[3]:
            for number, arg in enumerate(args[len(positional) :]):
                self.put_item(f"{name}(*)", repr(number), arg)
        for keyword, arg in keywords:
            if keyword in meta[1] or keyword in meta[2]:
                self.flow(arg, self.slot(f"{name}({keyword})"))
            elif meta[4]:
                self.put_item(f"{name}(**)", repr(keyword), arg)
        for star in stars:
            self.use_once(star, self._give_all, name, (len(args), tuple(positional)))
        for double in doubles:
            self.use_once(double, self._give_named, name, (*positional, *meta[2]))

    def _give_back(self, meta: Sequence[Any], positional: Sequence[str], node: int) -> None:
        """Arguments that the function returns as they are."""
        args, keywords = self.nodes[node][2:4]
        named = [*zip(positional, args, strict=False), *keywords]
        for parameter, arg in named:
            if parameter in meta[5]:
                self.flow(arg, node)

    def put_item(self, site: str, key: str, source: int) -> None:
        """A value is an element of a container."""
        for part in {key: None, ANY: None}:
            self.flow(source, self.slot(f"{site}[{part}]"))

    def _give_all(self, value: str, name: str, places: tuple[int, tuple[str, ...]]) -> None:
        """`*args` of a call."""
        if value[0] != "k":
            return
        first, positional = places
        site = value.split(":", 2)[2]
        for number, parameter in enumerate(positional[first:]):
            for key in (repr(number), UNKNOWN):
                self.flow(self.slot(f"{site}[{key}]"), self.slot(f"{name}({parameter})"))
        if self.function(name)[3]:
            self.put_item(f"{name}(*)", UNKNOWN, self.slot(f"{site}[{ANY}]"))

    def _give_named(self, value: str, name: str, parameters: tuple[str, ...]) -> None:
        """`**kwargs` of a call."""
        if value[0] != "k":
            return
        site = value.split(":", 2)[2]
        for parameter in parameters:
            for key in (repr(parameter), UNKNOWN):
                self.flow(self.slot(f"{site}[{key}]"), self.slot(f"{name}({parameter})"))
        if self.function(name)[4]:
            self.put_item(f"{name}(**)", UNKNOWN, self.slot(f"{site}[{ANY}]"))

    def _instantiate(self, cls: str, node: int) -> None:
        operation = self.nodes[node]
        self.edge(operation[6], cls, operation[7], EdgeKind.INSTANTIATES)
        self.add(node, f"i:{cls}")
        self._call_method(f"i:{cls}", "__init__", self._without_result(node))
        self._call_method(f"i:{cls}", "__new__", self._without_result(node))

    def _call_method(self, receiver: str, method: str, node: int) -> None:
        """A special method of an instance is called with the arguments of a call."""
        found = self.new_node()
        self.use(found, self._call_special, node, method)
        order = self.program.order(receiver[2:], self.asked)
        self.member(order, method, found, receiver)

    def _without_result(self, node: int) -> int:
        """The same call, of which the result is not used."""
        silent = self.new_node()
        self.nodes[silent] = self.nodes[node]
        return silent

    def _call_special(self, value: str, node: int, method: str) -> None:
        if value[0] in "fb":
            self.call(value, node, None)
        elif method == "__init__" and value[0] == "x" and not value.startswith(_BUILT_IN):
            self.edge(self.nodes[node][6], value[2:], self.nodes[node][7])

    def implicit(self, value: str, node: int, method: str) -> None:
        """A special method is called by an operator, a loop or a built-in function, where the program has it."""
        if value[0] == "i" and not value.startswith("i:builtins."):
            self._call_method(value, method, node)

    def _call_outside(self, value: str, node: int) -> None:
        operation = self.nodes[node]
        letter, rest = value[0], value[2:]
        if letter in "xz":
            self.edge(operation[6], rest, operation[7])
            if value.startswith(_BUILT_IN):
                self._call_built_in(value[len(_BUILT_IN) :], node)
            elif rest in python_built_ins.WRAPPING and operation[2]:
                self.flow(operation[2][-1 if rest == "typing.cast" else 0], node)
            elif rest.rpartition(".")[2][:1].isupper():
                self.add(node, f"y:{rest}")
                return
        if operation[8] == "decorator":
            # What wraps from outside leaves what it wraps as it was, as far as can be seen.
            self.flow(operation[2][0], node)
        elif letter in "xyzu":
            self.add(node, UNKNOWN_VALUE)

    # Built-in functions.

    def _call_built_in(self, name: str, node: int) -> None:
        args: Sequence[int] = self.nodes[node][2]
        first, _, method = name.partition(".")
        if method:
            self._result_of_method(first, method, node)
            return
        if name in python_built_ins.SCALARS:
            self.add(node, f"i:builtins.{name}")
        if name in python_built_ins.CALLING:
            self._call_given(name, node)
        if name in python_built_ins.ASKING and args:
            self.use_once(
                args[0], self.implicit, self._silent(node, []), python_built_ins.ASKING[name]
            )
        special = _SPECIAL.get(name) or (
            CallSolver._copy_items if name in python_built_ins.COPYING else None
        )
        if special is not None:
            special(self, name, node, args)

    def _silent(self, node: int, args: Sequence[int]) -> int:
        """A call from the same place with other arguments, of which the result is not used."""
        silent = self.new_node()
        _, function, _, _, _, _, caller, line, _ = self.nodes[node]
        self.nodes[silent] = ["(", function, [*args], [], [], [], caller, line, ""]
        return silent

    def _result_of_method(self, kind: str, method: str, node: int) -> None:
        if method in python_built_ins.TEXTS or (kind == "str" and method == "encode"):
            self.add(node, "i:builtins.bytes" if method == "encode" else "i:builtins.str")
        elif method in python_built_ins.LISTS:
            site = f"{self.module}:{node}"
            self.add(node, f"k:list:{site}")
            self.add(self.slot(f"{site}[{UNKNOWN}]"), f"i:builtins.{kind}")
            self.add(self.slot(f"{site}[{ANY}]"), f"i:builtins.{kind}")

    def _call_given(self, name: str, node: int) -> None:
        """A built-in function calls the functions that it is given."""
        _, _, args, keywords, *_ = self.nodes[node]
        given = [*args, *(arg for _, arg in keywords)]
        for arg in given:
            others = [each for each in args if each != arg]
            items = [self._items(each, node) for each in others] or [self._items(arg, node)]
            result = self._silent(node, items)
            self.use_once(arg, self._call_if_function, result, None)
            if name == "map":
                self._fill(node, result, "list")

    def _call_if_function(self, value: str, node: int, _: Any) -> None:
        if value[0] in "fbc":
            self.call(value, node, None)

    def _fill(self, node: int, element: int, kind: str) -> None:
        """The result of a call is a container of such elements."""
        site = f"{self.module}:{node}"
        self.add(node, f"k:{kind}:{site}")
        self.put_item(site, UNKNOWN, element)

    def _items(self, node: int, call: int) -> int:
        """What iteration over a node gives, at the place of a call."""
        items = self._item_at(node, call)
        self.use(node, self.iterate, items, None)
        return items

    def _item_at(self, node: int, call: int) -> int:
        item = self.new_node()
        self.nodes[item] = ["i", node, self.nodes[call][6], self.nodes[call][7], ""]
        return item

    def _copy_items(self, name: str, node: int, args: Sequence[int]) -> None:
        if args:
            self._fill(node, self._items(args[-1], node), python_built_ins.COPYING[name])
        else:
            self.add(node, f"k:{python_built_ins.COPYING[name]}:{self.module}:{node}")

    def _pairs(self, name: str, node: int, args: Sequence[int]) -> None:
        """`zip` and `enumerate`: containers of tuples."""
        columns = [self._items(arg, node) for arg in args[: 1 if name == "enumerate" else None]]
        site, first = f"{self.module}:{node}/pair", int(name == "enumerate")
        for number, column in enumerate(columns, start=first):
            self.put_item(site, repr(number), column)
        pair = self.new_node()
        self.add(pair, f"k:tuple:{site}")
        self._fill(node, pair, "list")

    def _next(self, _: str, node: int, args: Sequence[int]) -> None:
        if args:
            item = self._item_at(args[0], node)
            self.use(args[0], self._next_of, item, None)
            self.flow(item, node)
            for default in args[1:]:
                self.flow(default, node)

    def _iter(self, _: str, node: int, args: Sequence[int]) -> None:
        if args:
            self.use_once(args[0], self._iterator_of, node, None)

    def _iterator_of(self, value: str, node: int, _: Any) -> None:
        if value[0] == "i" and not value.startswith("i:builtins."):
            self._call_method(value, "__iter__", self._silent_at(node, 6, node))
        else:
            self.add(node, value)

    def _type(self, _: str, node: int, args: Sequence[int]) -> None:
        if len(args) == 1:
            self.use_once(args[0], self._class_of, node, None)

    def _class_of(self, value: str, node: int, _: Any) -> None:
        if value[0] == "i" and not value.startswith("i:builtins."):
            self.add(node, f"c:{value[2:]}")

    def _dict(self, _: str, node: int, args: Sequence[int]) -> None:
        site = f"{self.module}:{node}"
        self.add(node, f"k:dict:{site}")
        for arg in args:
            self.use_once(arg, self._merge_into, site, None)
        for keyword, arg in self.nodes[node][3]:
            self.put_item(site, repr(keyword), arg)

    # Containers.

    def _merge_into(self, value: str, site: str, _: Any) -> None:
        if value[0] == "k":
            self.put_item(site, UNKNOWN, self.slot(f"{value.split(':', 2)[2]}[{ANY}]"))

    def _call_container(self, function: str, receiver: str, node: int) -> None:
        """A method of a container."""
        operation = self.nodes[node]
        self.edge(operation[6], function, operation[7])
        method = function.rpartition(".")[2]
        args: Sequence[int] = operation[2]
        site = receiver.split(":", 2)[2]
        if method in python_built_ins.ADDING and len(args) > python_built_ins.ADDING[method]:
            self.put_item(site, UNKNOWN, args[python_built_ins.ADDING[method]])
        if method in python_built_ins.MERGING and args:
            self.use_once(args[0], self._merge_into, site, None)
        if method in python_built_ins.READING:
            self._read_items(site, node, args)
        elif method in ("values", "copy", "union"):
            self._fill(
                node,
                self.slot(f"{site}[{ANY}]"),
                "list" if method == "values" else receiver.split(":")[1],
            )
        elif method == "items":
            self._fill_pairs(site, node)

    def _read_items(self, site: str, node: int, args: Sequence[int]) -> None:
        literals = [v for v in (self.values(args[0]) if args else ()) if v[0] == "q"]
        keys = [v[2:] for v in literals] + [UNKNOWN] if literals else [ANY]
        for key in keys:
            self.flow(self.slot(f"{site}[{key}]"), node)
        for default in args[1:]:
            self.flow(default, node)

    def _fill_pairs(self, site: str, node: int) -> None:
        pair = self.new_node()
        self.add(pair, f"k:tuple:{site}/pair")
        self.put_item(f"{site}/pair", "1", self.slot(f"{site}[{ANY}]"))
        self._fill(node, pair, "list")

    def subscript(self, value: str, node: int, key: str | None) -> None:
        """An element is read."""
        if value[0] == "k":
            site = value.split(":", 2)[2]
            for part in (ANY,) if key is None else (key, UNKNOWN):
                self.flow(self.slot(f"{site}[{part}]"), node)
        elif value[0] == "i" and not value.startswith("i:builtins."):
            self._call_method(value, "__getitem__", self._silent_at(node, 4, node))
        elif value[0] in "uyz":
            self.add(node, UNKNOWN_VALUE)
        elif value[0] == "c":
            self.add(node, value)

    def _silent_at(self, node: int, caller: int, result: int) -> int:
        """A call that a node makes at its own place, whose result goes to a node."""
        call = self.new_node()
        operation = self.nodes[node]
        self.nodes[call] = ["(", -1, [], [], [], [], operation[caller], operation[caller + 1], ""]
        self.flow(call, result)
        return call

    def store_item(self, value: str, key: str, source: int) -> None:
        """An element is set."""
        if value[0] == "k":
            self.put_item(value.split(":", 2)[2], key, source)

    def iterate(self, value: str, node: int, _: Any) -> None:
        """What iteration over a value gives."""
        letter, rest = value[0], value[2:]
        if letter == "k":
            if not rest.startswith("dict:"):
                self.flow(self.slot(f"{value.split(':', 2)[2]}[{ANY}]"), node)
        elif letter == "g":
            self.flow(self.slot(f"{rest}*"), node)
        elif letter == "i" and not rest.startswith("builtins."):
            iterator = self.new_node()
            method = f"__{self.nodes[node][4]}iter__"
            self._call_method(value, method, self._silent_at(node, 2, iterator))
            self.use(iterator, self._next_of, node, None)
        elif letter in "uyz":
            self.add(node, UNKNOWN_VALUE)

    def _next_of(self, value: str, node: int, _: Any) -> None:
        """An iterator that `__iter__` gave is asked for its next."""
        if value[0] == "i" and not value.startswith("i:builtins."):
            method = f"__{self.nodes[node][4]}next__"
            self._call_method(value, method, self._silent_at(node, 2, node))
        else:
            self.iterate(value, node, None)

    def open(self, value: str, node: int, _: Any) -> None:
        """What `with` gives."""
        if value[0] == "g":
            self.flow(self.slot(f"{value[2:]}*"), node)
        elif value[0] == "i" and not value.startswith("i:builtins."):
            prefix = self.nodes[node][4]
            self._call_method(value, f"__{prefix}enter__", self._silent_at(node, 2, node))
            unused = self._silent_at(node, 2, self.new_node())
            self._call_method(value, f"__{prefix}exit__", unused)
        else:
            self.add(node, value)


_SPECIAL: Mapping[str, Callable[[CallSolver, str, int, Sequence[int]], None]] = {
    "zip": CallSolver._pairs,
    "enumerate": CallSolver._pairs,
    "next": CallSolver._next,
    "iter": CallSolver._iter,
    "type": CallSolver._type,
    "dict": CallSolver._dict,
}
