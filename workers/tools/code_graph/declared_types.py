"""What a file of TypeScript, JavaScript or Go declares: the names that its imports bind, and the types that its
variables, parameters and fields have.

A call of `order.total` where `order` is declared as an `Order` means that class and no other: it is named
`@Order.total`. Of what a function makes, `@makeStore().load` waits for that function's own type (`name_resolution`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

DECLARED = "@"
MADE = "()"
_PARAMETERS = ("required_parameter", "optional_parameter", "parameter_declaration")
_FIELDS = ("public_field_definition", "field_definition", "field_declaration")
_VARIABLES = ("variable_declarator", "var_spec")
_AROUND = frozenset(
    (
        *("type_annotation", "pointer_type", "unary_expression", "await_expression"),
        *("parenthesized_expression", "non_null_expression", "parenthesized_type"),
    )
)
_NAMES = ("identifier", "property_identifier", "field_identifier", "private_property_identifier")
_TYPE_NAMES = ("type_identifier", "identifier")
Declared = tuple[str, str]
"""A name and its type: a class, or `f()` for what a function gives; both as the file writes them."""


def declarations(node: Any) -> Iterator[Declared]:
    """What a node declares, if it is a declaration."""
    if node.type in _PARAMETERS or node.type in _FIELDS:
        yield from _typed(node)
    elif node.type in _VARIABLES:
        yield from _variable(node)
    elif node.type == "short_var_declaration":
        yield from _short(node)


def import_bindings(node: Any, stem: str) -> Iterator[tuple[str, str]]:
    """The names that an import gives to what it brings, with the names that these have where they come from.

    The second is empty for a module as a whole, under whatever name.
    """
    if node.type == "import_spec":
        name = _text(node.child_by_field_name("name"))
        yield (name or stem), stem
    if node.type == "call_expression":
        yield from _required(node)
        return
    for part in descendants(node):
        yield from _bound(part, stem)


def _bound(part: Any, stem: str) -> Iterator[tuple[str, str]]:
    if part.type == "import_specifier":
        own = _text(part.child_by_field_name("name"))
        yield _text(part.child_by_field_name("alias")) or own, own
    elif part.type == "namespace_import":
        yield _text(part.named_children[0]), stem
    elif part.type == "import_clause":
        yield from ((_text(c), "") for c in part.named_children if c.type == "identifier")


def _required(call: Any) -> Iterator[tuple[str, str]]:
    """`const util = require("./util")`, `const { a, b: c } = require("x")`, `const join = require("path").join`."""
    member, holder = "", call.parent
    if holder is not None and holder.type == "member_expression":
        member, holder = _text(holder.child_by_field_name("property")), holder.parent
    if holder is None or holder.type != "variable_declarator":
        return
    pattern = holder.child_by_field_name("name")
    if pattern is None or pattern.type == "identifier":
        yield _text(pattern), member
        return
    for part in pattern.named_children:
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        yield _text(value or part), _text(key or part)


def descendants(node: Any) -> Iterator[Any]:
    """What is in a node of a few parts: an import, a receiver."""
    waiting = list(node.named_children)
    while waiting:
        part = waiting.pop()
        yield part
        if part.type not in ("statement_block", "arguments", "class_body", "declaration"):
            waiting += part.named_children


def is_field(node: Any) -> bool:
    """Whether what a node declares is an attribute of the object around it."""
    return node.type in _FIELDS or (
        node.type in _PARAMETERS and any(c.type == "accessibility_modifier" for c in node.children)
    )


def _typed(node: Any) -> Iterator[Declared]:
    value = node.child_by_field_name("value")
    kind = _type_name(node.child_by_field_name("type")) or _value_type(value)
    if kind:
        for name in _names(node):
            yield name, kind


def _variable(node: Any) -> Iterator[Declared]:
    kind = _type_name(node.child_by_field_name("type"))
    kind = kind or _value_type(node.child_by_field_name("value"))
    name = node.child_by_field_name("name")
    if kind and name is not None and name.type in _NAMES:
        yield _text(name), kind


def _short(node: Any) -> Iterator[Declared]:
    """`a, err := f()`: of several results the first has the name that matters."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    names, values = left.named_children, right.named_children
    for name, value in zip(names, values, strict=False):
        if name.type == "identifier" and (kind := _value_type(value)):
            yield _text(name), kind


def _names(node: Any) -> Iterator[str]:
    for part in (*node.children_by_field_name("name"), node.child_by_field_name("pattern")):
        if part is not None and part.type in _NAMES:
            yield _text(part)


def _type_name(node: Any) -> str:
    """The last name of a type that is a class; empty for lists, functions, unions and built-in ones."""
    while node is not None and node.type in _AROUND and node.named_children:
        node = node.named_children[-1]
    if node is None:
        return ""
    if node.type in _TYPE_NAMES:
        return _text(node)
    if node.type in ("generic_type", "qualified_type"):
        name = node.child_by_field_name("name") or node.child_by_field_name("type")
        return _type_name(name)
    return ""


def _value_type(node: Any) -> str:
    """The class of a new object, or the function that gives it."""
    while node is not None and node.type in _AROUND and node.named_children:
        node = node.named_children[-1]
    if node is None:
        return ""
    if node.type == "new_expression":
        return _last(node.child_by_field_name("constructor"))
    if node.type == "composite_literal":
        return _type_name(node.child_by_field_name("type"))
    if node.type == "call_expression":
        called = _last(node.child_by_field_name("function"))
        return f"{called}{MADE}" if called and called not in ("require", "make", "new") else ""
    return ""


def _last(node: Any) -> str:
    if node is None:
        return ""
    if node.type in _NAMES:
        return _text(node)
    member = node.child_by_field_name("property") or node.child_by_field_name("field")
    return "" if member is None else _text(member)


def _text(node: Any) -> str:
    return "" if node is None else str(node.text.decode("utf-8", "replace"))
