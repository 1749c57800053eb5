"""What is deprecated: by Python itself, and by what a project marks in its own code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from workers.tools.agent.docstrings import FunctionNode
from workers.tools.agent.python_imports import bound_names, dotted_name

REMOVED: Mapping[str, tuple[str, str]] = {
    "asynchat": ("3.12", "asyncio"),
    "asyncore": ("3.12", "asyncio"),
    "distutils": ("3.12", "setuptools"),
    "imp": ("3.12", "importlib"),
    "smtpd": ("3.12", "aiosmtpd"),
    "aifc": ("3.13", ""),
    "audioop": ("3.13", ""),
    "cgi": ("3.13", "email.message, urllib.parse"),
    "cgitb": ("3.13", ""),
    "chunk": ("3.13", ""),
    "crypt": ("3.13", "hashlib"),
    "imghdr": ("3.13", ""),
    "lib2to3": ("3.13", ""),
    "mailcap": ("3.13", "mimetypes"),
    "msilib": ("3.13", ""),
    "nis": ("3.13", ""),
    "nntplib": ("3.13", ""),
    "ossaudiodev": ("3.13", ""),
    "pipes": ("3.13", "subprocess"),
    "sndhdr": ("3.13", ""),
    "spwd": ("3.13", ""),
    "sunau": ("3.13", ""),
    "telnetlib": ("3.13", ""),
    "uu": ("3.13", "binascii"),
    "xdrlib": ("3.13", ""),
    "pkg_resources": ("setuptools", "importlib.metadata, importlib.resources"),
    "collections.Mapping": ("3.10", "collections.abc.Mapping"),
    "collections.MutableMapping": ("3.10", "collections.abc.MutableMapping"),
    "collections.Sequence": ("3.10", "collections.abc.Sequence"),
    "collections.Iterable": ("3.10", "collections.abc.Iterable"),
    "collections.Callable": ("3.10", "collections.abc.Callable"),
    "inspect.getargspec": ("3.11", "inspect.signature"),
    "inspect.formatargspec": ("3.11", "inspect.signature"),
    "asyncio.coroutine": ("3.11", "async def"),
    "unittest.makeSuite": ("3.13", "unittest.TestLoader"),
    "unittest.findTestCases": ("3.13", "unittest.TestLoader"),
    "locale.resetlocale": ("3.13", "locale.setlocale"),
    "ssl.wrap_socket": ("3.12", "ssl.SSLContext.wrap_socket"),
    "ssl.match_hostname": ("3.12", ""),
    "configparser.SafeConfigParser": ("3.12", "configparser.ConfigParser"),
    "datetime.datetime.utcnow": ("deprecated 3.12", "datetime.now(UTC)"),
    "datetime.datetime.utcfromtimestamp": ("deprecated 3.12", "datetime.fromtimestamp(..., UTC)"),
    "logging.warn": ("3.13", "logging.warning"),
    "asyncio.iscoroutinefunction": ("3.16", "inspect.iscoroutinefunction"),
    "pkgutil.ImpImporter": ("3.12", "importlib"),
    "ast.Num": ("3.14", "ast.Constant"),
    "ast.Str": ("3.14", "ast.Constant"),
    "ast.NameConstant": ("3.14", "ast.Constant"),
}
"""What Python's own documentation says is gone or going: since when, and what to use (What's New, PEP 594, PEP 632)."""


@dataclass(frozen=True)
class NamedUse:
    """A name as it is used: the module, class or function that its imports make of it."""

    name: str
    line: int


def named_uses(tree: ast.Module) -> Iterator[NamedUse]:
    """Every import and every use of an imported name, dotted and absolute. Relative imports are the project's own."""
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (NamedUse(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = node.module if alias.name == "*" else f"{node.module}.{alias.name}"
                yield NamedUse(name, node.lineno)
    yield from _uses(nodes, bound_names(nodes))


def _uses(nodes: Iterable[ast.AST], bound: Mapping[str, str]) -> Iterator[NamedUse]:
    """The longest dotted name at each place, without the attributes that make it up."""
    inner: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            inner.add(id(node.value))
        if id(node) in inner or not isinstance(node, ast.Attribute | ast.Name):
            continue
        parts = dotted_name(node)
        if parts and parts[0] in bound:
            yield NamedUse(".".join((bound[parts[0]], *parts[1:])), node.lineno)


def marked_deprecated(tree: ast.Module) -> Iterator[str]:
    """Functions and classes of a file that say so: by a decorator, or by the warning that they give first of all."""
    for node in tree.body:
        if isinstance(node, FunctionNode | ast.ClassDef) and _is_marked(node):
            yield node.name


def _is_marked(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    for decorator in node.decorator_list:
        plain = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (dotted_name(plain) or [""])[-1] == "deprecated":
            return True
    if isinstance(node, ast.ClassDef):
        starts = [each for each in node.body if isinstance(each, FunctionNode)]
        return any(each.name == "__init__" and _warns(each) for each in starts)
    return _warns(node)


def _warns(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """`warnings.warn(..., DeprecationWarning)` as one of its own statements, under no condition."""
    for statement in node.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and (dotted_name(call.func) or [""])[-1] == "warn":
            given = [*call.args, *(each.value for each in call.keywords)]
            names = {(dotted_name(each) or [""])[-1] for each in given}
            if names & {"DeprecationWarning", "PendingDeprecationWarning", "FutureWarning"}:
                return True
    return False
