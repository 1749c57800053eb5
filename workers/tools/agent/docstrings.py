"""Parameters that a docstring names, in the styles of Google, NumPy and Sphinx, beside those of the signature."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_SPHINX = re.compile(
    r"^\s*:(?:param|parameter|arg|argument|keyword|kwarg)\s+(?:[^:\n]*\s)?\\?\*{0,2}(\w+)\s*:", re.M
)
_GOOGLE_HEAD = re.compile(
    r"^([ \t]*)(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments):[ \t]*\n", re.M
)
_GOOGLE_ENTRY = re.compile(r"^\\?\*{0,2}([A-Za-z_]\w*)[ \t]*(?:\([^\n]*?\))?[ \t]*:(?:[ \t]|$)")
_NUMPY_HEAD = re.compile(r"^([ \t]*)(?:Other )?Parameters[ \t]*\n[ \t]*-{4,}[ \t]*\n", re.M)
_UNDERLINE = re.compile(r"\s*-{3,}\s*")
_NUMPY_ENTRY = re.compile(r"^(\\?\*{0,2}[A-Za-z_]\w*(?:\s*,\s*\\?\*{0,2}\w+)*)\s*(?::.*)?$")


@dataclass(frozen=True)
class PublicSymbol:
    """A function, method or class that others may use."""

    name: str
    node: FunctionNode | ast.ClassDef

    @property
    def docstring(self) -> str | None:
        """As it is written, without its indentation."""
        return ast.get_docstring(self.node)


def public_symbols(tree: ast.Module) -> Iterator[PublicSymbol]:
    """Those of a module and of its public classes, in order; what overrides or only types is left out."""
    for node in tree.body:
        if isinstance(node, FunctionNode | ast.ClassDef) and _is_public(node):
            yield PublicSymbol(node.name, node)
            for child in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(child, FunctionNode) and _is_public(child):
                    yield PublicSymbol(f"{node.name}.{child.name}", child)


def _is_public(node: FunctionNode | ast.ClassDef) -> bool:
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return not node.name.startswith("_") and not decorators & {
        "overload",
        "override",
        "setter",
        "deleter",
    }


def documented_parameters(docstring: str) -> list[str]:
    """The parameters that a docstring has an entry for."""
    text = inspect.cleandoc(docstring)
    sphinx = (name.replace("\\", "") for name in _SPHINX.findall(text))
    return [*sphinx, *_google(text), *_numpy(text)]


def _google(text: str) -> Iterator[str]:
    for head in _GOOGLE_HEAD.finditer(text):
        for entry in _entries(text[head.end() :], head.group(1), deeper=True):
            match = _GOOGLE_ENTRY.match(entry)
            if match:
                yield match.group(1)


def _numpy(text: str) -> Iterator[str]:
    for head in _NUMPY_HEAD.finditer(text):
        for entry in _entries(text[head.end() :], head.group(1), deeper=False):
            match = _NUMPY_ENTRY.match(entry)
            if match:
                yield from (name.strip().lstrip("\\*") for name in match.group(1).split(","))


def _entries(section: str, indent: str, *, deeper: bool) -> Iterator[str]:
    """The first lines of a section's entries: those at its own indentation, until it ends."""
    lines = list(filter(str.strip, section.split("\n")))
    own = _width(lines[0]) if lines else 0
    if deeper and own <= len(indent):
        return
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if _width(line) < own or _UNDERLINE.fullmatch("" if deeper else after):
            return
        if _width(line) == own:
            yield line.strip()


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def signature(node: FunctionNode) -> tuple[dict[str, ast.arg], bool]:
    """The parameters by name, without the first one of a method, and whether any others are taken."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named = {
        argument.arg: argument for argument in plain if argument.arg not in ("self", "cls", "mcs")
    }
    return named, bool(arguments.kwarg or arguments.vararg)
