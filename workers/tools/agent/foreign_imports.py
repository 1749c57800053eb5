"""Packages that JavaScript, TypeScript and Go files import, by the forms that these languages write imports in."""

from __future__ import annotations

import re
from collections.abc import Iterator

_JS_IMPORT = re.compile(
    # A statement ends where the next one begins: a file of half statements is read once, not once for each.
    r"""^[ \t]*(?:import|export)\b(?:(?!^[ \t]*(?:import|export)\b)[^'"`;])*?\bfrom\s*["']([^"'\n]+)["']"""
    r"""|^[ \t]*import\s*["']([^"'\n]+)["']|(?<![\w.])(?:require|import)\(\s*["']([^"'\n]+)["']\s*\)""",
    re.M,
)
_JS_COMMENT = re.compile(r"/\*.*?\*/|^[ \t]*//[^\n]*", re.S | re.M)
_PACKAGE = re.compile(r"^(@[a-z0-9][\w.-]*/[\w.-]+|[a-z0-9][\w.-]*)(?:/.*)?$", re.IGNORECASE)
_GO_BLOCK = re.compile(r"^import\s*(?:\(([^)]*)\)|(?:[\w.]+\s+)?(\"[^\"\n]+\"))", re.M)
NODE_MODULES = frozenset(
    """assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns
    domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring
    readline repl stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi
    worker_threads zlib""".split()
)
JS_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")


def javascript_packages(text: str) -> Iterator[tuple[str, int]]:
    """Packages by name, with lines; relative paths, aliases and Node's own modules are left out."""
    for written, line in _javascript_imports(text):
        name = _PACKAGE.match(written)
        if name and name.group(1).partition("/")[0] not in NODE_MODULES:
            yield name.group(1), line


def javascript_files(text: str) -> Iterator[tuple[str, int]]:
    """What a file imports by a relative path, with lines."""
    return (row for row in _javascript_imports(text) if row[0].startswith("."))


def _javascript_imports(text: str) -> Iterator[tuple[str, int]]:
    text = _JS_COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    line, counted = 1, 0
    for match in _JS_IMPORT.finditer(text):
        group = next(number for number in (1, 2, 3) if match.group(number))
        line += text.count("\n", counted, match.start(group))
        counted = match.start(group)
        yield match.group(group), line


def go_packages(text: str) -> Iterator[tuple[str, int]]:
    """Import paths with a domain in front, with lines."""
    line, counted = 1, 0
    for block in _GO_BLOCK.finditer(text):
        for path in re.finditer(r'"([^"\n]+)"', block.group()):
            start = block.start() + path.start()
            line += text.count("\n", counted, start)
            counted = start
            if "." in path.group(1).partition("/")[0]:
                yield path.group(1), line
