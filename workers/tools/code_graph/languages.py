"""Languages by the ends of their files' names, and how definitions, imports and comments look in each.

Python, JavaScript, TypeScript and Go have readers of their own; of the others, lines are read by patterns. `name` is
what a pattern calls its definition; `owner` is the class that a method is written outside of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from shared.models.code_graph import SymbolKind
from shared.patterns import regex

PYTHON = "python"
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|open|override|sealed|async|virtual|suspend|data|"
    r"inline|native|synchronized|default|partial|export|case|implicit|lazy|fileprivate|mutating|external|readonly|"
    r"factory|required|convenience|declare)\s+)*"
)


@dataclass(frozen=True)
class LinePatterns:
    """What a language's lines look like. A definition is the first of `definitions` that its line matches."""

    definitions: tuple[tuple[SymbolKind, re.Pattern[str]], ...]
    imports: tuple[re.Pattern[str], ...] = ()
    comment: str = "//"


def _patterns(
    *definitions: tuple[SymbolKind, str], imports: tuple[str, ...] = (), comment: str = "//"
) -> LinePatterns:
    compiled = tuple((kind, regex(pattern)) for kind, pattern in definitions)
    return LinePatterns(compiled, tuple(regex(pattern) for pattern in imports), comment)


_CLASS, _FUNCTION, _METHOD = SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD
_RUST = _patterns(
    (
        _CLASS,
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|union|type|mod)\s+(?P<name>\w+)",
    ),
    (_CLASS, r"^\s*(?:unsafe\s+)?impl\b(?:<[^>]*>)?\s+(?:[\w:<>, ]+\s+for\s+)?(?P<name>\w+)"),
    (
        _FUNCTION,
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern(?:\s+\"[^\"]*\")?)\s+)*fn\s+(?P<name>\w+)",
    ),
    (_FUNCTION, r"^\s*macro_rules!\s*(?P<name>\w+)"),
    imports=(r"^\s*(?:pub\s+)?(?:use|mod)\s+(?P<module>[\w:]+)",),
)
_JVM = _patterns(
    (
        _CLASS,
        rf"^\s*{_MODIFIERS}(?:class|interface|@interface|enum(?:\s+class)?|record|object|trait|struct|protocol|extension|"
        r"mixin|actor|namespace)\s+(?P<name>\w+)",
    ),
    (_FUNCTION, rf"^\s*{_MODIFIERS}(?:fun|func|def)\s+(?:<[^>]*>\s*)?(?:\w+\.)?(?P<name>\w+)"),
    (
        _METHOD,
        rf"^\s+{_MODIFIERS}(?!return\b|new\b|else\b|throw\b|await\b)[\w<>\[\],.?]+\s+(?P<name>\w+)\s*\([^;]*$",
    ),
    imports=(r"^\s*(?:import|using)\s+(?:static\s+)?(?P<module>[\w.]+)",),
)
_RUBY = _patterns(
    (_CLASS, r"^\s*(?:class|module)\s+(?P<name>[\w:]+)"),
    (_FUNCTION, r"^\s*def\s+(?:self\.)?(?P<name>\w+[?!=]?)"),
    imports=(r"^\s*require(?:_relative)?\s+['\"](?P<module>[^'\"]+)['\"]",),
    comment="#",
)
_PHP = _patterns(
    (_CLASS, rf"^\s*{_MODIFIERS}(?:class|interface|trait|enum)\s+(?P<name>\w+)"),
    (_FUNCTION, rf"^\s*{_MODIFIERS}function\s+&?(?P<name>\w+)"),
    imports=(
        r"^use\s+(?P<module>[\w\\]+)",
        r"\b(?:require|include)(?:_once)?\b[^'\"]*['\"](?P<module>[^'\"]+)['\"]",
    ),
)
_C = _patterns(
    (
        _CLASS,
        r"^\s*(?:template\s*<[^>]*>\s*)?(?:typedef\s+)?(?:class|struct|enum(?:\s+class)?|union|namespace)\s+(?P<name>\w+)"
        r"(?![\w\s*&]*[;(])",
    ),
    (
        _METHOD,
        r"^[\w][\w\s*&:<>,~]*?\b(?P<owner>\w+)::(?P<name>~?\w+)\s*\([^;]*$",
    ),
    (
        _FUNCTION,
        r"^(?!return\b|else\b|typedef\b)[A-Za-z_][\w:<>,]*[\s*&]+(?:[\w:<>,]+[\s*&]+)*(?P<name>\w+)\s*\([^;]*$",
    ),
    (_FUNCTION, r"^\s*#\s*define\s+(?P<name>\w+)\("),
    imports=(r"^\s*#\s*include\s*[\"<](?P<module>[^\">]+)[\">]",),
)
_SHELL = _patterns(
    (_FUNCTION, r"^\s*(?:function\s+)?(?P<name>[\w-]+)\s*\(\)"),
    (_FUNCTION, r"^\s*function\s+(?P<name>[\w-]+)"),
    comment="#",
)
_LUA = _patterns(
    (_FUNCTION, r"^\s*(?:local\s+)?function\s+(?:[\w]+[.:])*(?P<name>\w+)"), comment="--"
)
_ELIXIR = _patterns(
    (_CLASS, r"^\s*defmodule\s+(?P<name>[\w.]+)"),
    (_FUNCTION, r"^\s*def(?:p|macro)?\s+(?P<name>\w+[?!]?)"),
    comment="#",
)
_SQL = _patterns(
    (
        _CLASS,
        r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|materialized\s+|unique\s+)*"
        r"(?:table|view|type|index|trigger)\s+(?:if\s+not\s+exists\s+)?[\"`]?(?P<name>[\w.]+)",
    ),
    (
        _FUNCTION,
        r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+[\"`]?(?P<name>[\w.]+)",
    ),
    comment="--",
)

PATTERNS: Mapping[str, LinePatterns] = {
    "rust": _RUST,
    "java": _JVM,
    "kotlin": _JVM,
    "scala": _JVM,
    "csharp": _JVM,
    "swift": _JVM,
    "dart": _JVM,
    "ruby": _RUBY,
    "php": _PHP,
    "c": _C,
    "cpp": _C,
    "shell": _SHELL,
    "lua": _LUA,
    "elixir": _ELIXIR,
    "sql": _SQL,
}
_SUFFIXES = {
    PYTHON: "py pyi",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts tsx mts cts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "csharp": "cs",
    "swift": "swift",
    "dart": "dart",
    "ruby": "rb",
    "php": "php",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx",
    "shell": "sh bash",
    "lua": "lua",
    "elixir": "ex exs",
    "sql": "sql",
}
LANGUAGES = {suffix: language for language, names in _SUFFIXES.items() for suffix in names.split()}


def language_of(path: str) -> str | None:
    """The language of a file by its name; None for what is no code, and for code that a build wrote."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not dot or stem.endswith((".min", ".bundle")) or "node_modules/" in f"/{path}":
        return None
    return LANGUAGES.get(suffix.lower())
