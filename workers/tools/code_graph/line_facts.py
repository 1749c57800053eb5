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
        named = _named(text, patterns, around)
        if named is not None:
            name, kind = named
            end = _end(lines, number, _indent(text))
            head = text.strip().rstrip("{").rstrip()
            definition = _Definition(Symbol(name, kind, number, end, head), _indent(text))
            around.append(definition)
            yield definition


def _named(
    text: str, patterns: LinePatterns, around: Sequence[_Definition]
) -> tuple[str, SymbolKind] | None:
    """The whole name and the kind of what a line defines; None where it defines nothing."""
    kind, match = _match(text, patterns)
    if match is None or match["name"] in _NO_NAMES:
        return None
    if kind == SymbolKind.METHOD and not _can_be_method(match, around):
        return None
    owner = match.groupdict().get("owner")
    outer = around[-1].symbol.name if around else ""
    if kind == SymbolKind.FUNCTION and (owner or _only_classes(around)):
        kind = SymbolKind.METHOD
    return ".".join(filter(None, (owner or outer, match["name"]))), kind


def _only_classes(around: Sequence[_Definition]) -> bool:
    return bool(around) and all(each.symbol.kind == SymbolKind.CLASS for each in around)


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
    for number, (line, scope) in enumerate(_scoped(lines, definitions), start=1):
        # The line that defines something names it as a call would.
        defined = scope if number in heads else ""
        for name in _called(line, patterns):
            if not (defined and defined.endswith(name)):
                yield Reference(scope, name, ReferenceKind.CALL, number)


def _scoped(lines: Sequence[str], definitions: Sequence[_Definition]) -> Iterator[tuple[str, str]]:
    """Each line with the innermost definition that holds it."""
    around: list[Symbol] = []
    coming = [definition.symbol for definition in reversed(definitions)]
    for number, line in enumerate(lines, start=1):
        around = [symbol for symbol in around if symbol.end_line >= number]
        while coming and coming[-1].line <= number:
            around.append(coming.pop())
        yield line, around[-1].name if around else ""


def _called(line: str, patterns: LinePatterns) -> Iterator[str]:
    """The names that a line calls, outside of texts and comments."""
    code = _STRING.sub('""', line[:LONGEST_LINE]).split(patterns.comment)[0]
    for match in _CALL.finditer(code):
        name = match["name"].replace("::", ".").replace("->", ".")
        if name.rpartition(".")[2] not in _NO_NAMES:
            yield name
