"""What Python's built-in functions and methods do with what they are given, as far as values flow through them."""

from __future__ import annotations

CALLING = frozenset("map filter sorted min max reduce".split())
"""Built-in functions that call a function that they are given."""
COPYING = {
    "list": "list", "sorted": "list", "reversed": "list", "filter": "list", "tuple": "tuple",
    "set": "set", "frozenset": "set",
}  # fmt: skip
ASKING = {
    "len": "__len__", "str": "__str__", "repr": "__repr__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "abs": "__abs__", "reversed": "__reversed__",
    "format": "__format__", "dir": "__dir__", "list": "__iter__", "tuple": "__iter__", "set": "__iter__",
}  # fmt: skip
"""Built-in functions that call a special method of what they are given."""
SCALARS = frozenset(("str", "bytes", "int", "float", "bytearray", "complex"))
TEXTS = frozenset(
    "capitalize casefold center expandtabs format format_map join ljust lower lstrip replace rjust rstrip strip "
    "swapcase title translate upper zfill removeprefix removesuffix decode hex".split()
)
LISTS = frozenset("split rsplit splitlines partition rpartition".split())
READING = frozenset("get pop popleft popitem setdefault __getitem__".split())
ADDING = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1, "__setitem__": 1}
MERGING = frozenset("extend update union".split())
WRAPPING = frozenset(
    ("functools.partial", "functools.partialmethod", "copy.copy", "copy.deepcopy", "typing.cast")
)
