"""The complexity participant: functions that the change made hard to follow, measured by radon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.coverage import UnreadFile
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.replies import Critique
from shared.text.bounded_json import loads
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.critique import analyser_label, python_critique
from workers.tools.analysers.sources import UNPARSED, Examined, SourceFile
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.deep import deep
from workers.tools.sandbox.sandbox import Countdown, execute, output_of, scratch
from workers.tools.snapshot import materialised

PROGRAM = "radon"
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


_REPORT = TypeAdapter(dict[str, tuple[_Block, ...] | _RadonTrouble])


@dataclass(frozen=True)
class Function:
    """A function by its qualified name, with its lines (both included) and its complexity."""

    name: str
    first: int
    last: int
    complexity: int


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A critique of the subject's Python files; raises `ToolError` when there are none."""
    label = f"complexity ({analyser_label(PROGRAM)})"
    return python_critique(inputs, context, label, _examine)


def severity_of(complexity: int) -> Severity | None:
    """How bad a complexity is, or None when it is all right."""
    return next((severity for above, severity in THRESHOLDS if complexity > above), None)


def _examine(
    examined: Examined, documents: Documents, countdown: Countdown
) -> tuple[Examined, list[RaisedFinding]]:
    # Numbered names: what a file is called must not decide whether radon looks at it.
    files: dict[str, bytes] = {}
    for number, source in enumerate(examined.files):
        files[f"after/{number}.py"] = source.analysed.encode("utf-8")
        before = source.change.before
        if before is not None:
            files[f"before/{number}.py"] = documents.get(before)
    measured = _measure(files, countdown)
    found: list[RaisedFinding] = []
    unread: list[UnreadFile] = []
    for number, source in enumerate(examined.files):
        after = measured.get(f"after/{number}.py")
        if after is None:
            unread.append(UNPARSED.of(source.path))
            continue
        found += _compare(source, after, measured.get(f"before/{number}.py") or {})
    return examined.without(unread), found


def _measure(
    files: Mapping[str, bytes], countdown: Countdown
) -> dict[str, dict[str, Function] | None]:
    """Functions by qualified name for each file, None for one that cannot be parsed."""
    with materialised(files) as root, scratch() as home:
        # radon reads setup.cfg and radon.cfg of its directory: the scratch directory has none.
        finished = execute(
            [*deep(PROGRAM), "cc", "--json", "--no-assert", str(root)],
            cwd=home,
            home=home,
            reads=(root,),
            timeout_s=countdown.remaining_s(),
            confinement=countdown.confinement(),
        )
        try:
            report = _REPORT.validate_python(loads(output_of(finished, PROGRAM)))
        except (ValueError, ValidationError) as error:
            raise ToolError("radon answered in a form that is not understood.") from error
        listed = {Path(path).relative_to(root).as_posix(): value for path, value in report.items()}
    # A file without any function is not in the report.
    return {path: _functions(listed.get(path, ())) for path in files}


def _functions(blocks: tuple[_Block, ...] | _RadonTrouble) -> dict[str, Function] | None:
    if isinstance(blocks, _RadonTrouble):
        return None
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
            place=Place(
                path=source.path,
                line=line,
                end_line=last if last > line else None,
            ),
            quote=source.quote(line),
            suggestion=SUGGESTION,
            confidence=1.0,
        )
