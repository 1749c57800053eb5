"""The facts of a file by its lines: definitions by its language's patterns, their ends by indentation, calls by name.

For languages without a reader of their own. Code that is formatted as usual is read well enough to find one's way;
what spans lines in another way is missed. No input makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.models.code_graph import FileFacts, Import, Reference, ReferenceKind, Symbol, SymbolKind
from shared.patterns import regex
from workers.tools.code_graph.languages import PATTERNS, LinePatterns

MOST_BYTES = 2_000_000
LONGEST_LINE = 400
TOO_LARGE, NOT_TEXT = "graph_file_too_large", "graph_file_not_text"
_CALL = regex(r"(?<![\w$.])(?P<name>(?:[A-Za-z_$][\w$]*(?:\.|::|->))*[A-Za-z_$][\w$]*[?!]?)\s*\(")
_STRING = regex(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_CLOSING = ("}", ")", "]", "end", "fi", "done", "*/")
_NO_NAMES = frozenset(
    "if for while switch catch return function else do new delete typeof await yield throw sizeof defined in of func "
    "fn match when unless elsif until and or not super import require constructor_ struct case select go defer".split()
)


@dataclass(frozen=True)
class _Definition:
    symbol: Symbol
    indent: int


def extract_lines(path: str, data: bytes, module: str, language: str) -> FileFacts:
    """The facts of the file; with a `problem` where it cannot be read."""
    problem = TOO_LARGE if len(data) > MOST_BYTES else NOT_TEXT if b"\0" in data else None
    if problem is not None:
        whole = (Symbol("", SymbolKind.MODULE, 1, 1),)
        return FileFacts(path, module, language, whole, problem=problem)
    lines = data.decode("utf-8", "replace").splitlines()
    patterns = PATTERNS[language]
    definitions = list(_definitions(lines, patterns))
    whole = (Symbol("", SymbolKind.MODULE, 1, max(1, len(lines))),)
    return FileFacts(
        path,
        module,
        language,
        (*whole, *(definition.symbol for definition in definitions)),
        tuple(_imports(lines, patterns)),
        tuple(_calls(lines, definitions, patterns)),
    )


def _definitions(lines: Sequence[str], patterns: LinePatterns) -> Iterator[_Definition]:
    around: list[_Definition] = []
    for number, line in enumerate(lines, start=1):
        text = line[:LONGEST_LINE]
        if not text.strip() or text.lstrip().startswith((patterns.comment, "*", "/*")):
            continue
        around = [outer for outer in around if outer.symbol.end_line >= number]
        kind, match = _match(text, patterns)
        if match is None or match["name"] in _NO_NAMES:
            continue
        # A variable of a function is no definition that others could look for.
        inside_function = any(outer.symbol.kind != SymbolKind.CLASS for outer in around)
        if kind == SymbolKind.METHOD and not _can_be_method(match, around):
            continue
        indent = _indent(text)
        owner = match.groupdict().get("owner")
        outer = around[-1].symbol.name if around else ""
        name = ".".join(part for part in (owner or outer, match["name"]) if part)
        if kind == SymbolKind.FUNCTION and (owner or (around and not inside_function)):
            kind = SymbolKind.METHOD
        end = _end(lines, number, indent)
        definition = _Definition(
            Symbol(name, kind, number, end, text.strip().rstrip("{").rstrip()), indent
        )
        around.append(definition)
        yield definition


def _match(text: str, patterns: LinePatterns) -> tuple[SymbolKind, re.Match[str] | None]:
    for kind, pattern in patterns.definitions:
        match = pattern.search(text)
        if match is not None:
            return kind, match
    return SymbolKind.FUNCTION, None


def _can_be_method(match: re.Match[str], around: Sequence[_Definition]) -> bool:
    """Inside a class, and directly in it: elsewhere the same line is a call or a statement."""
    if match.groupdict().get("owner"):
        return True
    return bool(around) and around[-1].symbol.kind == SymbolKind.CLASS


def _end(lines: Sequence[str], number: int, indent: int) -> int:
    """The last line of what begins in line `number`: what is indented more, and the line that closes it."""
    last = number
    for place in range(number, len(lines)):
        line = lines[place]
        if not line.strip():
            continue
        if _indent(line) <= indent:
            closes = line.lstrip().startswith((*_CLOSING, "{", "begin"))
            if not closes:
                return last
            last = place + 1
            if line.lstrip()[0] in "{)" and not line.rstrip().endswith((";", "}")):
                continue
            return last
        last = place + 1
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _imports(lines: Sequence[str], patterns: LinePatterns) -> Iterator[Import]:
    for number, line in enumerate(lines, start=1):
        for pattern in patterns.imports:
            match = pattern.search(line[:LONGEST_LINE])
            if match is not None:
                yield Import("", match["module"], "*", "*", 0, number)
                break


def _calls(
    lines: Sequence[str], definitions: Sequence[_Definition], patterns: LinePatterns
) -> Iterator[Reference]:
    heads = {definition.symbol.line for definition in definitions}
    around: list[Symbol] = []
    coming = [definition.symbol for definition in reversed(definitions)]
    for number, line in enumerate(lines, start=1):
        around = [symbol for symbol in around if symbol.end_line >= number]
        while coming and coming[-1].line <= number:
            around.append(coming.pop())
        code = _STRING.sub('""', line[:LONGEST_LINE]).split(patterns.comment)[0]
        scope = around[-1].name if around else ""
        for match in _CALL.finditer(code):
            name = match["name"].replace("::", ".").replace("->", ".")
            defined = number in heads and around and around[-1].name.endswith(name)
            if not defined and name.rpartition(".")[2] not in _NO_NAMES:
                yield Reference(scope, name, ReferenceKind.CALL, number)
