"""Are the callers that a finding names in the change? Calls are read from the lines of any language, not parsed.

A claim about one function often rests on who calls it: "`save()` calls `load()` without the lock". That is shown when
the change defines `load` at the finding's place, and `save`, which the claim names too, calls it elsewhere in the
change. A file that the claim names stands for its function where a call is in no function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from orchestrator.core.findings.sameness import NEAR_LINES, plain_path
from shared.models.findings import Finding, Place
from shared.patterns import regex

SHORTEST_NAME = 3
LONGEST_LINE = 1_000
LONGEST_HEAD = 200  # characters before a name that say whether it is defined there
MOST_IN_LINE = 20  # calls in one line
MOST_LINES = 100_000  # of a change; of what follows nothing is known

_CALL = regex(r"(?<!\w)([A-Za-z_]\w*[!?]?)\s*\(")
_DEFINING = regex(
    r"\b(?:def|func|function|fn|fun|sub|proc|macro|defp|defmacro|class)\b\*?\s*"
    r"(?:\([^()]*\)\s*|<[^<>]*>\s*)?(?:\w+(?:\.|::))*\Z"
)
# `public static int name(...) {`: words before the name, and a body after it.
_TYPED = regex(r"\s*(?:[\w<>\[\],.?*&:@]+\s+)+[*&]*\Z")
_METHOD = regex(r"\s*(?:async\s+|static\s+|get\s+|set\s+)?\Z")
_STATEMENTS = frozenset(
    "return if else while for foreach switch case catch await yield throw new delete not and or in with elif"
    " match when unless until do try assert print raise".split()
)
_COMMENTS = ("#", "//", "*", "--")
_CODE = regex(r"`([^`\n]{1,120})`|(?<![\w`])([A-Za-z_][\w.]*)\(")
_PATH = regex(r"[\w-]+(?:[./:>-]+[\w-]+)*(?:\(.*\))?\Z")
_LAST_NAME = regex(r"([A-Za-z_]\w*)\s*(?:\(.*\))?\Z")
_FILE = regex(r"[\w./-]+\.\w{1,5}")


@dataclass(frozen=True)
class CallSite:
    """A call of `name` in a file; `within` is the function around it, where there is one."""

    name: str
    path: str
    line: int
    within: str | None


@dataclass(frozen=True)
class Definition:
    """Where a function begins, and how far it is indented."""

    name: str
    path: str
    line: int
    indent: int


@dataclass(frozen=True)
class CallMap:
    """The definitions and calls of the reviewed files."""

    definitions: tuple[Definition, ...]
    calls: tuple[CallSite, ...]

    @classmethod
    def of(cls, files: Mapping[str, str]) -> CallMap:
        """Read from the files' texts, by path."""
        definitions: list[Definition] = []
        calls: list[CallSite] = []
        left = MOST_LINES
        for path, text in files.items():
            lines = text.split("\n")[:left]
            left -= len(lines)
            for entry in _read(path, lines):
                if isinstance(entry, Definition):
                    definitions.append(entry)
                else:
                    calls.append(entry)
        return cls(tuple(definitions), tuple(calls))

    def shows_callers(self, finding: Finding) -> bool:
        """Whether a caller that the finding names calls what is defined at its place."""
        return bool(self.named_callers(finding))

    def named_callers(self, finding: Finding) -> tuple[CallSite, ...]:
        """Where callers that the finding names call what is defined at its place."""
        place = finding.place
        text = f"{finding.title}\n{finding.detail}"
        names = code_names(text)
        if place is None or not names:
            return ()
        files = {PurePosixPath(name).name for name in _FILE.findall(text)}
        callees = names & self._defined_at(place)
        return tuple(
            call
            for call in self.calls
            if call.name in callees
            and not _near(call, place)
            and (call.within in names - {call.name} or _names_file(call, files))
        )

    def _defined_at(self, place: Place) -> set[str]:
        """What begins within the place or a few lines from it, and the function that the place is in."""
        path = plain_path(place.path)
        here = [each for each in self.definitions if plain_path(each.path) == path]
        before = [each for each in here if each.line <= place.line]
        begun = (
            each
            for each in here
            if place.line - NEAR_LINES <= each.line <= place.last_line + NEAR_LINES
        )
        return {each.name for each in (*before[-1:], *begun)}


def code_names(text: str) -> frozenset[str]:
    """The names that a text writes as code: between backticks, or with parentheses."""
    names = set()
    for quoted, called in _CODE.findall(text):
        written = quoted.strip() or called
        match = _LAST_NAME.search(written) if _PATH.match(written) else None
        if match is not None and len(match[1]) >= SHORTEST_NAME:
            names.add(match[1])
    return frozenset(names)


def _near(call: CallSite, place: Place) -> bool:
    return (
        plain_path(call.path) == plain_path(place.path)
        and place.line <= call.line <= place.last_line
    )


def _names_file(call: CallSite, files: set[str]) -> bool:
    return call.within is None and PurePosixPath(call.path).name in files


def _read(path: str, lines: list[str]) -> Iterator[Definition | CallSite]:
    around: list[Definition] = []
    for number, line in enumerate(lines, start=1):
        if not _is_code(line):
            continue
        indent = len(line) - len(line.lstrip())
        # A bracket by itself belongs to what stands above it.
        while around and indent <= around[-1].indent and line[indent] not in "{})]":
            around.pop()
        for name, defined in _named_in(line):
            if defined:
                around.append(Definition(name, path, number, indent))
                yield around[-1]
            else:
                yield CallSite(name, path, number, around[-1].name if around else None)


def _is_code(line: str) -> bool:
    code = line.strip()
    return 0 < len(code) <= LONGEST_LINE and not code.startswith(_COMMENTS)


def _named_in(line: str) -> Iterator[tuple[str, bool]]:
    """The names before parentheses, and whether the line defines them."""
    for match in islice(_CALL.finditer(line), MOST_IN_LINE):
        if match[1] not in _STATEMENTS:
            yield match[1], _defines(line, match.start())


def _defines(line: str, at: int) -> bool:
    before = line[max(0, at - LONGEST_HEAD) : at]
    if _DEFINING.search(before):
        return True
    if not line.rstrip().endswith("{"):
        return False
    words = before.split()
    if _METHOD.match(before):
        return True
    return bool(_TYPED.match(before)) and words[0] not in _STATEMENTS
