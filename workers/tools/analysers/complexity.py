"""The complexity participant: functions that the change made hard to follow, measured by radon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.tools.inputs import AnalyserInput
from shared.tools.rules import COMPLEXITY
from workers.tools.analysers.critique import Examination, analyser_label, python_critique
from workers.tools.analysers.program import AnalyserProgram, Before, ProgramAnswer, crashed_files
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, Unreadable
from workers.tools.registry import ToolContext
from workers.tools.sandbox.deep import deep

RULE = "complexity/C901"
CATEGORY = "maintainability"
# A function that was over the limit before and grows by less than this is told, and asks for nothing.
NOTABLE_GROWTH = 3
SUGGESTION = "Split it: give each case or each stage a function of its own, or say it as a table."


class _Block(BaseModel):
    type: str
    name: str
    lineno: int
    endline: int
    complexity: int
    closures: tuple[_Block, ...] = ()
    methods: tuple[_Block, ...] = ()


class _RadonTrouble(BaseModel):
    error: str


_RadonReport = dict[str, tuple[_Block, ...] | _RadonTrouble]


@dataclass(frozen=True)
class Function:
    """A function by its qualified name, with its lines (both included) and its complexity."""

    name: str
    first: int
    last: int
    complexity: int


def severity_of(complexity: int, old: int = 0, limit: int = COMPLEXITY) -> Severity | None:
    """How bad it is that a function has come to this complexity from the `old` one; None when it is all right.

    It is grave only where the change itself adds more paths than a whole function may have.
    """
    growth = complexity - old
    if complexity <= limit or growth <= 0:
        return None
    if complexity > 2 * limit and growth > limit:
        return Severity.MAJOR
    return Severity.MINOR if old <= limit or growth >= NOTABLE_GROWTH else Severity.INFO


def _troubles(answer: ProgramAnswer[_RadonReport]) -> Iterator[tuple[str, Unreadable]]:
    yield from crashed_files(answer)
    for file, blocks in (answer.report or {}).items():
        if isinstance(blocks, _RadonTrouble):
            yield file, UNPARSED


def _blocks(report: _RadonReport) -> Iterator[tuple[Path, _Block]]:
    for file, blocks in report.items():
        if not isinstance(blocks, _RadonTrouble):
            yield from ((Path(file), block) for block in blocks)


_RADON = AnalyserProgram(
    name="radon",
    form=TypeAdapter(_RadonReport),
    # It reads setup.cfg and radon.cfg of its directory, where there are none.
    command=lambda files: [*deep("radon"), "cc", "--json", "--no-assert", *files],
    # Numbered names: what a file is called must not decide whether radon looks at it.
    file_name=lambda number, _path: f"{number}.py",
    issues=_blocks,
    troubles=_troubles,
)


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A critique of the subject's Python files; raises `ToolError` when there are none."""
    label = f"complexity ({analyser_label('radon')})"
    return python_critique(inputs, context, label, _examine)


def _examine(examined: Examined, examination: Examination) -> tuple[Examined, list[RaisedFinding]]:
    limit = examination.rules.complexity
    now = _RADON.analyse(examined.files, examination.countdown)
    examined = examined.without(now.unread.values())
    after = {source.path: _functions(now.issues.get(source.path, ())) for source in examined.files}
    grown = any(
        function.complexity > limit for some in after.values() for function in some.values()
    )
    before = _RADON.analyse_before(examined, examination) if grown else Before({}, {})
    earlier = {path: _functions(blocks) for path, blocks in before.issues.items()}
    moved = Moved(earlier, after)
    findings: list[RaisedFinding] = []
    for source in examined.files:
        known = earlier.get(source.path, {})
        for function in after[source.path].values():
            old = known.get(function.name) or moved.take(function)
            findings += _compare(source, function, old, limit)
    return examined, findings


class Moved:
    """Functions that stood in the change's files before and stand there no more under their names."""

    def __init__(
        self,
        before: Mapping[str, Mapping[str, Function]],
        after: Mapping[str, Mapping[str, Function]],
    ) -> None:
        """Both by path and by qualified name."""
        self._gone = [
            function
            for path, functions in before.items()
            for name, function in functions.items()
            if name not in after.get(path, {})
        ]

    def take(self, function: Function) -> Function | None:
        """The one that a new function probably was: of its own name, else as complex. Each is given once."""
        own_name = function.name.rpartition(".")[2]
        named = [gone for gone in self._gone if gone.name.rpartition(".")[2] == own_name]
        alike = [gone for gone in self._gone if gone.complexity == function.complexity]
        for gone in (*named, *alike):
            self._gone.remove(gone)
            return gone
        return None


def _functions(blocks: Iterable[_Block]) -> dict[str, Function]:
    named: dict[str, Function] = {}
    for block in blocks:
        if block.type == "method":
            continue  # listed under its class too
        for function in _walk(block, ""):
            # The worst of two functions of one name (overloads, branches by platform) stands for both.
            known = named.get(function.name)
            if known is None or known.complexity < function.complexity:
                named[function.name] = function
    return named


def _walk(block: _Block, within: str) -> Iterator[Function]:
    qualified = f"{within}{block.name}"
    if block.type != "class":
        yield Function(qualified, block.lineno, block.endline, block.complexity)
    for inner in (*block.methods, *block.closures):
        yield from _walk(inner, f"{qualified}.")


def _compare(
    source: SourceFile, function: Function, old: Function | None, limit: int
) -> Iterator[RaisedFinding]:
    severity = severity_of(function.complexity, old.complexity if old else 0, limit)
    last = source.number(function.last)
    line = next(
        (n for n in range(source.number(function.first), last + 1) if source.changed(n)), None
    )
    if severity is None or line is None:
        return
    change = f"it was {old.complexity} before the change" if old else "the function is new"
    yield RaisedFinding(
        title=f"{function.name} has a cyclomatic complexity of {function.complexity} (C901)"[:400],
        detail=f"More than {limit} independent paths are hard to test; {change}.",
        severity=severity,
        category=CATEGORY,
        rule=RULE,
        place=Place.over(source.path, line, last),
        quote=source.quote(line),
        suggestion=SUGGESTION,
        confidence=1.0,
    )
