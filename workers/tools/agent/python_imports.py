"""What Python files import, and whether they can do without it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})


@dataclass(frozen=True)
class ImportedModule:
    """An absolute import. `guarded`: the file goes on without it, or only type checkers see it."""

    name: str
    line: int
    guarded: bool

    @property
    def top(self) -> str:
        """The package that the module is in."""
        return self.name.partition(".")[0]


def imported_modules(tree: ast.Module) -> Iterator[ImportedModule]:
    """Every absolute import of a file, those within functions included."""
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, guarded = stack.pop()
        match node:
            case ast.Import():
                for alias in node.names:
                    yield ImportedModule(alias.name, node.lineno, guarded)
            case ast.ImportFrom(module=str(module), level=0):
                yield ImportedModule(module, node.lineno, guarded)
            case _:
                inside = guarded or _guards(node)
                stack.extend((child, inside) for child in ast.iter_child_nodes(node))


def _guards(node: ast.AST) -> bool:
    """A `try` that expects the import to fail, or a condition: of types, of the system, of the version."""
    if isinstance(node, ast.Try):
        caught = {name for handler in node.handlers for name in _names(handler.type)}
        return bool(caught & _MISSING) or any(handler.type is None for handler in node.handlers)
    return isinstance(node, ast.If)


def _names(node: ast.expr | None) -> Iterator[str]:
    if node is not None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                yield part.id


def bound_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What the names of a file stand for by its absolute imports: `np` for numpy, `load` for `json.load`."""
    bound: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Import():
                plain = {
                    each: each.name if each.asname else each.name.partition(".")[0]
                    for each in node.names
                }
                bound |= {each.asname or name: name for each, name in plain.items()}
            case ast.ImportFrom(module=str(module), level=0):
                bound |= {each.asname or each.name: f"{module}.{each.name}" for each in node.names}
    return bound


def dotted_name(node: ast.expr) -> list[str]:
    """`a.b.c` as it is written; empty for what is computed."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []
