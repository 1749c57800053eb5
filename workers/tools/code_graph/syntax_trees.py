"""The facts of a JavaScript, TypeScript or Go file by its syntax tree (tree-sitter), with one table a language.

What is called is named as it is written, except for names that the file itself gives to others: what an import
renames has its own name, and the receiver of a Go method is `this`. A syntax error costs what stands in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from shared.models.code_graph import FileFacts, Import, Reference, ReferenceKind, Symbol, SymbolKind

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
    return FileFacts(path, module, language, symbols, tuple(reader.imports), references)


@cache
def _parser(grammar: str) -> Any:
    library = importlib.import_module("tree_sitter")
    package, function = _GRAMMARS[grammar]
    language = getattr(importlib.import_module(package), function)()
    return library.Parser(library.Language(language))


@dataclass
class _Reader:
    """What was read so far. `renamed` are names that imports of this file give to others."""

    table: SyntaxTable
    symbols: list[Symbol] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

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
        return reference._replace(name=f"{self.renamed.get(head, head)}{dot}{rest}")

    def _take(self, node: SyntaxNode, scope: _Scope) -> _Scope:
        """What a node says; where its children stand."""
        table = self.table
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
        *owners, name = self._dotted(node.child_by_field_name(self.table.values[node.type])).split(
            "."
        )
        if name and value is not None and value.type in self.table.functions:
            outer = _owner(owners, scope)
            kind = _METHOD if scope.in_class or outer != scope.name else _FUNCTION
            return scope._replace(name=self._add(node, kind, outer, name), in_class=False)
        if name and not scope.name and node.type in _DECLARATIONS:
            return scope._replace(name=self._add(node, SymbolKind.VARIABLE, "", name))
        return scope

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
        stem = module.rstrip("/").rpartition("/")[2].partition(".")[0]
        if node.type == "import_spec" and (name := _text(node.child_by_field_name("name"))):
            self.renamed[name] = stem
        for part in _descendants(node):
            alias = _text(part.child_by_field_name("alias"))
            if part.type == "import_specifier" and alias:
                self.renamed[alias] = _text(part.child_by_field_name("name"))
            elif part.type == "namespace_import":
                self.renamed[_text(part.named_children[0])] = stem

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
    """What a function belongs to that is assigned to `this.x`, to `Thing.prototype.x`, or to a plain name."""
    if owners == [_THIS]:
        return scope.name.rpartition(".")[0]
    return owners[0] if owners[1:] == ["prototype"] else scope.name


def _receiver(node: SyntaxNode) -> tuple[str, str]:
    """Of a Go method, the type that it belongs to and what it calls its object."""
    receiver = node.child_by_field_name("receiver")
    inside = () if receiver is None else tuple(_descendants(receiver))
    types = (_text(part) for part in inside if part.type == "type_identifier")
    names = (_text(part) for part in inside if part.type == "identifier")
    return next(types, ""), next(names, "")


def _descendants(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """What is in a node of a few parts: an import, a receiver."""
    waiting = list(node.named_children)
    while waiting:
        part = waiting.pop()
        yield part
        if part.type not in ("statement_block", "arguments", "class_body", "declaration"):
            waiting += part.named_children


def _text(node: SyntaxNode | None) -> str:
    return "" if node is None else node.text.decode("utf-8", "replace")
