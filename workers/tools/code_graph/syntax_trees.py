"""The facts of a JavaScript, TypeScript or Go file by its syntax tree (tree-sitter), with one table a language.

What is called is named as it is written, except for names that the file itself gives to others: what an import
renames has its own name, and the receiver of a Go method is `this`. A syntax error costs what stands in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from shared.models.code_graph import FileFacts, Import, Reference, ReferenceKind, Symbol, SymbolKind
from workers.tools.code_graph.declared_types import (
    DECLARED,
    MADE,
    declarations,
    descendants,
    import_bindings,
    is_field,
)

MOST_BYTES = 2_000_000
LONGEST_HEAD = 300
TOO_LARGE, NOT_TEXT = "graph_file_too_large", "graph_file_not_text"
_CLASS, _FUNCTION, _METHOD = SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD
_THIS = "this"
SyntaxNode = Any
"""tree_sitter.Node: the library is loaded where files are read, and nowhere else."""


@dataclass(frozen=True)
class SyntaxTable:
    """The types of nodes that say something. Fields of nodes are named as the grammar does.

    `definitions` have a `name`; `values` are named by the first field and are functions, or anything else at the top of
    a file; `calls` say in which field stands what is called; `members` where the owner and its member stand. `bases`
    hold the names that a class inherits from, and `imports` the module in that field.
    """

    definitions: Mapping[str, SymbolKind]
    values: Mapping[str, str]
    functions: frozenset[str]
    calls: Mapping[str, str]
    members: Mapping[str, tuple[str, str]]
    bases: frozenset[str]
    imports: Mapping[str, str]


_SCRIPT = SyntaxTable(
    definitions={
        **dict.fromkeys(
            (
                *("class_declaration", "abstract_class_declaration", "class"),
                *("interface_declaration", "enum_declaration", "type_alias_declaration"),
                "internal_module",
            ),
            _CLASS,
        ),
        **dict.fromkeys(
            ("function_declaration", "generator_function_declaration", "function_signature"),
            _FUNCTION,
        ),
        **dict.fromkeys(
            ("method_definition", "method_signature", "abstract_method_signature"), _METHOD
        ),
    },
    values={
        "variable_declarator": "name",
        "public_field_definition": "name",
        "field_definition": "property",
        "assignment_expression": "left",
        "pair": "key",
    },
    functions=frozenset(
        ("arrow_function", "function_expression", "function", "generator_function")
    ),
    calls={
        "call_expression": "function",
        "new_expression": "constructor",
        "jsx_opening_element": "name",
        "jsx_self_closing_element": "name",
    },
    members={
        "member_expression": ("object", "property"),
        "nested_identifier": ("object", "property"),
        "subscript_expression": ("object", ""),
        "call_expression": ("function", ""),
    },
    bases=frozenset(
        ("class_heritage", "extends_clause", "implements_clause", "extends_type_clause")
    ),
    imports={"import_statement": "source", "export_statement": "source"},
)
_GO = SyntaxTable(
    definitions={
        "type_spec": _CLASS,
        "type_alias": _CLASS,
        "function_declaration": _FUNCTION,
        "method_declaration": _METHOD,
        "method_elem": _METHOD,
    },
    values={"var_spec": "name", "const_spec": "name"},
    functions=frozenset(("func_literal",)),
    calls={"call_expression": "function", "composite_literal": "type"},
    members={
        "selector_expression": ("operand", "field"),
        "qualified_type": ("package", "name"),
        "call_expression": ("function", ""),
        "generic_type": ("type", ""),
    },
    bases=frozenset(("field_declaration",)),
    imports={"import_spec": "path"},
)
TABLES: Mapping[str, SyntaxTable] = {"javascript": _SCRIPT, "typescript": _SCRIPT, "go": _GO}
_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
}
_OF_OBJECTS = ("public_field_definition", "field_definition", "field_declaration")
_EXPORTS = frozenset(("exports", "module"))
_DECLARATIONS = ("variable_declarator", "var_spec", "const_spec")
_PLAIN = frozenset(
    (
        *("identifier", "property_identifier", "private_property_identifier", "type_identifier"),
        *(
            "field_identifier",
            "package_identifier",
            "this",
            "super",
            "shorthand_property_identifier",
        ),
    )
)
_WRAPPERS = ("parenthesized_expression", "await_expression", "non_null_expression", "pointer_type")


class _Scope(NamedTuple):
    """Where a node stands: the name of what holds it, whether that is a class, and its own name for the object."""

    name: str = ""
    in_class: bool = False
    receiver: str = ""


def extract_tree(path: str, data: bytes, module: str, language: str) -> FileFacts:
    """The facts of the file; with a `problem` where it cannot be read."""
    problem = TOO_LARGE if len(data) > MOST_BYTES else NOT_TEXT if b"\0" in data else None
    whole = Symbol("", SymbolKind.MODULE, 1, max(1, data.count(b"\n")))
    if problem is not None:
        return FileFacts(path, module, language, (whole,), problem=problem)
    grammar = "tsx" if path.endswith("x") and language == "typescript" else language
    reader = _Reader(TABLES[language])
    reader.read(_parser(grammar).parse(data).root_node)
    references = tuple(map(reader.in_their_own_names, reader.references))
    symbols = (whole, *reader.symbols)
    handed_on = tuple(dict.fromkeys(reader.handed_on)) or None
    return FileFacts(
        path, module, language, symbols, tuple(reader.imports), references, program=handed_on
    )


def _is_whole_export(call: SyntaxNode) -> bool:
    """`module.exports = require("./lib/express")`"""
    holder = call.parent
    if holder is None or holder.type != "assignment_expression":
        return False
    return _text(holder.child_by_field_name("left")) == "module.exports"


@cache
def _parser(grammar: str) -> Any:
    library = importlib.import_module("tree_sitter")
    package, function = _GRAMMARS[grammar]
    language = getattr(importlib.import_module(package), function)()
    return library.Parser(library.Language(language))


@dataclass
class _Reader:
    """What was read so far. `renamed` are names that imports of this file give to others, `types` the declared ones by
    scope and name; fields have `this.` before theirs, and the scope of their class."""

    table: SyntaxTable
    symbols: list[Symbol] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    handed_on: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    types: dict[tuple[str, str], str] = field(default_factory=dict)

    def read(self, root: SyntaxNode) -> None:
        """All of a tree, in the order of the file, however deep it is."""
        waiting = [(root, _Scope())]
        while waiting:
            node, scope = waiting.pop()
            inner = self._take(node, scope)
            waiting += [(child, inner) for child in reversed(node.named_children)]

    def in_their_own_names(self, reference: Reference) -> Reference:
        """With the name of what was imported instead of the one that this file gives it."""
        head, dot, rest = reference.name.partition(".")
        if dot and (declared := self._declared(reference.scope, head, rest)):
            return reference._replace(name=declared)
        return reference._replace(name=f"{self.renamed.get(head, head)}{dot}{rest}")

    def _declared(self, scope: str, head: str, rest: str) -> str:
        """`@Order.total` for `order.total` and `this.order.total`, where the file says what they are."""
        name, member = head, rest
        if head == _THIS:
            field_name, dot, member = rest.partition(".")
            name = f"{_THIS}.{field_name}" if dot else ""
        while name:
            kind = self.types.get((scope, name))
            if kind is not None:
                made = kind.removesuffix(MADE)
                return f"{DECLARED}{self.renamed.get(made, made)}{kind[len(made) :]}.{member}"
            if not scope:
                break
            scope = scope.rpartition(".")[0]
        return ""

    def _take(self, node: SyntaxNode, scope: _Scope) -> _Scope:
        """What a node says; where its children stand."""
        table = self.table
        for name, kind in declarations(node):
            if is_field(node):
                owner = scope.name if scope.in_class else scope.name.rpartition(".")[0]
                self.types[owner, f"{_THIS}.{name}"] = kind
            if node.type not in _OF_OBJECTS:
                self.types[scope.name, name] = kind
        if node.type in table.imports:
            self._import(node, node.child_by_field_name(table.imports[node.type]))
        elif node.type in table.bases:
            self._inherit(node, scope)
        elif node.type in table.calls:
            self._call(node, scope)
        elif node.type in table.definitions:
            return self._define(node, scope)
        elif node.type in table.values:
            return self._assign(node, scope)
        return scope

    def _define(self, node: SyntaxNode, scope: _Scope) -> _Scope:
        name = _text(node.child_by_field_name("name"))
        if not name:
            return scope
        kind = self.table.definitions[node.type]
        owner, receiver = _receiver(node)
        full = self._add(node, kind, scope.name or owner, name)
        return _Scope(full, in_class=kind is _CLASS, receiver=receiver)

    def _assign(self, node: SyntaxNode, scope: _Scope) -> _Scope:
        """A function that is a value has the name of what it is assigned to."""
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        self._assigned_field(node, value, scope)
        *owners, name = self._dotted(node.child_by_field_name(self.table.values[node.type])).split(
            "."
        )
        if name and value is not None and value.type in self.table.functions:
            outer = _owner(owners, scope)
            kind = _METHOD if scope.in_class or outer != scope.name else _FUNCTION
            self._also_named(node, kind)
            return scope._replace(name=self._add(node, kind, outer, name), in_class=False)
        if name and not scope.name and node.type in _DECLARATIONS:
            return scope._replace(name=self._add(node, SymbolKind.VARIABLE, "", name))
        return scope

    def _assigned_field(self, node: SyntaxNode, value: SyntaxNode | None, scope: _Scope) -> None:
        """`this.log = new Logger()`, in a constructor or elsewhere."""
        target = self._dotted(node.child_by_field_name("left"))
        if value is not None and value.type == "new_expression" and target.count(".") == 1:
            made = self._dotted(value.child_by_field_name("constructor")).rpartition(".")[2]
            if target.startswith(f"{_THIS}.") and made:
                self.types.setdefault((scope.name.rpartition(".")[0], target), made)

    def _also_named(self, node: SyntaxNode, kind: SymbolKind) -> None:
        """`res.set = res.header = function () {}`: one function under several names."""
        parent = node.parent
        while parent is not None and parent.type == node.type == "assignment_expression":
            *owners, name = self._dotted(parent.child_by_field_name("left")).split(".")
            if name:
                self._add(parent, kind, _owner(owners, _Scope()), name)
            parent = parent.parent

    def _add(self, node: SyntaxNode, kind: SymbolKind, outer: str, name: str) -> str:
        full = f"{outer}.{name}" if outer else name
        head = _text(node).partition("\n")[0].rstrip("{ ")[:LONGEST_HEAD]
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.symbols.append(Symbol(full, kind, first, last, head))
        return full

    def _call(self, node: SyntaxNode, scope: _Scope) -> None:
        called = node.child_by_field_name(self.table.calls[node.type])
        name = self._dotted(called)
        if name in ("require", "import") or (called is not None and called.type == "import"):
            self._import(node, node.child_by_field_name("arguments"))
        elif name and not (node.type.startswith("jsx") and name[0].islower()):
            head, dot, rest = name.partition(".")
            if dot and head == scope.receiver:
                name = f"{_THIS}.{rest}"
            self._refer(name, ReferenceKind.CALL, node, scope)

    def _inherit(self, node: SyntaxNode, scope: _Scope) -> None:
        if node.child_by_field_name("name") is not None:  # a field of a struct that is not embedded
            return
        for base in node.named_children:
            name = "" if base.type in self.table.bases else self._dotted(base)
            if name:
                self._refer(name, ReferenceKind.INHERIT, base, scope)

    def _refer(self, name: str, kind: ReferenceKind, node: SyntaxNode, scope: _Scope) -> None:
        self.references.append(Reference(scope.name, name, kind, node.start_point[0] + 1))

    def _import(self, node: SyntaxNode, source: SyntaxNode | None) -> None:
        module = _text(source).strip("()").strip("'\"`")
        if not module:
            return
        self.imports.append(Import("", module, "*", "*", 0, node.start_point[0] + 1))
        if node.type == "export_statement" or _is_whole_export(node):
            self.handed_on.append(module)
        stem = module.rstrip("/").rpartition("/")[2].partition(".")[0]
        line = node.start_point[0] + 1
        for name, own in import_bindings(node, stem):
            if own and own != name:
                self.renamed[name] = own
            self.imports.append(Import("", module, own or "*", own or name, 0, line))

    def _dotted(self, node: SyntaxNode | None) -> str:
        """`a.b.c` as it is written; of what is computed, what its last call is called."""
        parts: list[str] = []
        while node is not None:
            if node.type in _PLAIN:
                parts.append(_text(node))
                break
            if node.type in _WRAPPERS and node.named_children:
                node = node.named_children[0]
                continue
            owner, member = self.table.members.get(node.type, ("", ""))
            if not owner:
                break
            if member:
                parts.append(_text(node.child_by_field_name(member)))
            node = node.child_by_field_name(owner)
        return ".".join(part for part in reversed(parts) if part)


def _owner(owners: list[str], scope: _Scope) -> str:
    """What a function belongs to that is assigned to `this.x`, to `Thing.prototype.x`, to `app.x`, or to a plain name.

    What a module exports is its own.
    """
    if owners == [_THIS]:
        return scope.name.rpartition(".")[0]
    if owners[1:] == ["prototype"] or (len(owners) == 1 and owners[0] not in _EXPORTS):
        return owners[0]
    return scope.name


def _receiver(node: SyntaxNode) -> tuple[str, str]:
    """Of a Go method, the type that it belongs to and what it calls its object."""
    receiver = node.child_by_field_name("receiver")
    inside = () if receiver is None else tuple(descendants(receiver))
    types = (_text(part) for part in inside if part.type == "type_identifier")
    names = (_text(part) for part in inside if part.type == "identifier")
    return next(types, ""), next(names, "")


def _text(node: SyntaxNode | None) -> str:
    return "" if node is None else node.text.decode("utf-8", "replace")
