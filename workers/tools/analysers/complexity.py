"""The complexity participant: functions that the change made hard to follow, measured by radon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.replies import Critique
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.critique import analyser_label, python_critique
from workers.tools.analysers.program import AnalyserProgram, ProgramAnswer, crashed_files
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile, Unreadable
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.deep import deep
from workers.tools.sandbox.sandbox import Countdown

RULE = "complexity/C901"
CATEGORY = "maintainability"
# Cyclomatic complexity (McCabe 1976) above which a function is reported, worst first. His limit is 10; radon
# counts each `and`, `or` and comprehension too, and what passes McCabe's 10 often has 15 by that count.
THRESHOLDS: tuple[tuple[int, Severity], ...] = ((30, Severity.MAJOR), (15, Severity.MINOR))
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


def severity_of(complexity: int) -> Severity | None:
    """How bad a complexity is, or None when it is all right."""
    return next((severity for above, severity in THRESHOLDS if complexity > above), None)


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


def _examine(
    examined: Examined, documents: Documents, countdown: Countdown
) -> tuple[Examined, list[RaisedFinding]]:
    now = _RADON.analyse(examined.files, countdown)
    examined = examined.without(now.unread.values())
    before = _RADON.analyse_before(examined.files, documents, countdown)
    findings: list[RaisedFinding] = []
    for source in examined.files:
        _, earlier = before.of(source)
        after = _functions(now.issues.get(source.path, ()))
        findings += _compare(source, after, _functions(earlier))
    return examined, findings


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
    source: SourceFile, after: Mapping[str, Function], before: Mapping[str, Function]
) -> Iterator[RaisedFinding]:
    for function in after.values():
        severity = severity_of(function.complexity)
        last = source.number(function.last)
        line = next(
            (n for n in range(source.number(function.first), last + 1) if source.changed(n)), None
        )
        old = before.get(function.name)
        if severity is None or line is None or (old and old.complexity >= function.complexity):
            continue
        change = f"it was {old.complexity} before the change" if old else "the function is new"
        yield RaisedFinding(
            title=f"{function.name} has a cyclomatic complexity of {function.complexity} (C901)"[
                :400
            ],
            detail=f"More than {THRESHOLDS[-1][0]} independent paths are hard to test; {change}.",
            severity=severity,
            category=CATEGORY,
            rule=RULE,
            place=Place.over(source.path, line, last),
            quote=source.quote(line),
            suggestion=SUGGESTION,
            confidence=1.0,
        )
