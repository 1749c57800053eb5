"""What a linter reported, as rows. Run by path in the sandbox, on output that a hostile file may have shaped.

    python -I report_parsers.py < REPORT

REPORT is a JSON object: {"format", "pattern", "stdout", "stderr"}, and perhaps "names". Each finding is a line of JSON
on standard output: [file, line, end line, column, level, code, message, address, source lines]. With "names" only
those are written whose file has one of these base names, and those that say that something does not compile. More than
`MOST_ROWS` end it with the code `TOO_MANY`: what stands behind them would be nobody's to read. A report that says
itself that the program failed, or did not end, ends with the code `UNFINISHED`. Standard library only; a pattern that
never ends and an XML document that grows without end take this process with them, and nothing else.
"""

from __future__ import annotations

import json
import re
import sys
import xml.parsers.expat
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote

MOST_ROWS = 5000
TOO_MANY = 3
UNFINISHED = 4
LONGEST_LINE = 4000
FIELDS = 9
LONGEST = {0: 4000, 4: 40, 5: 100, 6: 1000, 7: 300, 8: 4000}
NOT_COMPILED = "compile-error"
HIGHEST = 10_000_000
ESLINT_LEVELS = {1: "warning", 2: "error"}

PYRIGHT_RULES = "https://microsoft.github.io/pyright/#/configuration"
# A file by itself has none of the project's packages beside it.
OF_PROJECTS = ("reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs")

Row = tuple[object, ...]
"""As many of the nine fields as a report has, in their order."""


def _sarif(report: dict[str, Any]) -> Iterator[Row]:
    runs = json.loads(report["stdout"])["runs"]
    if not isinstance(runs, list) or not runs:
        raise ValueError("it reports no run")
    for run in _list(runs):
        if any(call.get("executionSuccessful") is False for call in _list(run.get("invocations"))):
            sys.exit(UNFINISHED)
        yield from _sarif_run(run)


def _sarif_run(run: dict[str, Any]) -> Iterator[Row]:
    results = _list(run.get("results"))
    if results and not any(_list(result.get("locations")) for result in results):
        raise ValueError("no result says where it is")
    driver = _dict(_dict(run.get("tool")).get("driver"))
    known = {rule.get("id"): rule for rule in _list(driver.get("rules"))}
    for result in results:
        code = result.get("ruleId") or _dict(result.get("rule")).get("id")
        rule = _dict(known.get(code))
        stated = _dict(rule.get("defaultConfiguration")).get("level", "warning")
        message = _dict(result.get("message"))
        for where in _list(result.get("locations"))[:1]:
            place = _dict(where.get("physicalLocation"))
            region = _dict(place.get("region"))
            yield (
                _dict(place.get("artifactLocation")).get("uri"),
                region.get("startLine", 1),
                region.get("endLine"),
                region.get("startColumn"),
                result.get("level", stated),
                code,
                message.get("text") or message.get("markdown"),
                rule.get("helpUri"),
                _dict(region.get("snippet")).get("text"),
            )


def _rdjson(report: dict[str, Any]) -> Iterator[Row]:
    """An object with `diagnostics`, or one of these a line."""
    text = report["stdout"]
    try:
        given = json.loads(text)
        diagnostics = given if isinstance(given, list) else given.get("diagnostics", [given])
        above = given if isinstance(given, dict) else {}
    except ValueError:
        diagnostics, above = [json.loads(line) for line in text.splitlines() if line.strip()], {}
    for diagnostic in _list(diagnostics):
        where = _dict(diagnostic.get("location"))
        span = _dict(where.get("range"))
        start, end = _dict(span.get("start")), _dict(span.get("end"))
        code = _dict(diagnostic.get("code"))
        yield (
            where.get("path"),
            start.get("line", 1),
            end.get("line"),
            start.get("column"),
            diagnostic.get("severity") or above.get("severity") or "warning",
            code.get("value"),
            diagnostic.get("message"),
            code.get("url"),
        )


def _checkstyle(report: dict[str, Any]) -> Iterator[Row]:
    rows: list[Row] = []
    file = ""

    def start(tag: str, attributes: dict[str, Any]) -> None:
        nonlocal file
        if tag == "file":
            file = attributes.get("name", "")
        elif tag == "error" and len(rows) <= MOST_ROWS and _is_wanted((file,), report.get("names")):
            given = attributes.get
            code = (given("source") or "").rpartition(".")[2]
            line, column = given("line") or 1, given("column")
            rows.append((file, line, None, column, given("severity"), code, given("message"), None))

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EntityDeclHandler = _refuse
    parser.Parse(report["stdout"].encode(), True)
    yield from rows


def _refuse(*_declared: object) -> None:
    raise ValueError("it declares entities")


def _eslint(report: dict[str, Any]) -> Iterator[Row]:
    for file in _list(json.loads(report["stdout"])):
        for message in _list(file.get("messages")):
            level = ESLINT_LEVELS.get(int(message.get("severity") or 0), "info")
            fatal = message.get("fatal") is True
            yield (
                file.get("filePath"),
                message.get("line") or 1,
                message.get("endLine"),
                message.get("column"),
                "warning" if fatal else level,
                "parsing-error" if fatal else message.get("ruleId"),
                message.get("message"),
                None,
            )


def _pyright(report: dict[str, Any]) -> Iterator[Row]:
    for diagnostic in _list(json.loads(report["stdout"])["generalDiagnostics"]):
        span = _dict(diagnostic.get("range"))
        start, end = _dict(span.get("start")), _dict(span.get("end"))
        rule = diagnostic.get("rule")
        if rule in OF_PROJECTS:
            continue
        # It counts lines from 0, and what it cannot parse breaks no rule.
        yield (
            diagnostic.get("file"),
            int(start.get("line", 0)) + 1,
            int(end.get("line", 0)) + 1,
            int(start.get("character", 0)) + 1,
            diagnostic.get("severity"),
            rule or "syntax-error",
            diagnostic.get("message"),
            f"{PYRIGHT_RULES}?id={rule.lower()}" if rule else None,
        )


def _regex(report: dict[str, Any]) -> Iterator[Row]:
    pattern = re.compile(report["pattern"])
    names = ("file", "line", "end_line", "column", "severity", "code", "message")
    for line in f"{report['stdout']}\n{report['stderr']}".splitlines():
        if match := pattern.search(line[:LONGEST_LINE]):
            groups = match.groupdict()
            file, first, last, column, level, code, message = (groups.get(name) for name in names)
            yield file, first, last, column, level, code, message, None


def _cargo(report: dict[str, Any]) -> Iterator[Row]:
    """`cargo clippy --message-format=json`: a message a line, and at the end whether all of it was built."""
    built: object = None
    broken = False
    for line in report["stdout"].splitlines():
        message = _dict(json.loads(line)) if line.startswith("{") else {}
        if message.get("reason") == "build-finished":
            built = message.get("success")
        elif message.get("reason") == "compiler-message":
            diagnostic = _dict(message.get("message"))
            broken = broken or diagnostic.get("level") == "error"
            yield from _of_compiler(diagnostic)
    if built is None or (built is not True and not broken):
        sys.exit(UNFINISHED)


def _of_compiler(diagnostic: dict[str, Any]) -> Iterator[Row]:
    spans = (each for each in _list(diagnostic.get("spans")) if each.get("is_primary"))
    for span in map(_called, islice(spans, 1)):
        texts = (str(child.get("message")) for child in _list(diagnostic.get("children")))
        yield (
            span.get("file_name"),
            span.get("line_start"),
            span.get("line_end"),
            span.get("column_start"),
            diagnostic.get("level"),
            _code_of_compiler(diagnostic),
            diagnostic.get("message"),
            next((text.split()[-1] for text in texts if "visit https://" in text), None),
            "\n".join(str(each.get("text")) for each in _list(span.get("text"))),
        )


def _code_of_compiler(diagnostic: dict[str, Any]) -> str:
    """The lint's name; of what is no lint, whether it is an error."""
    code = str(_dict(diagnostic.get("code")).get("code") or "")
    if diagnostic.get("level") == "error" and (not code or re.fullmatch(r"E\d{4}", code)):
        return NOT_COMPILED
    return code.removeprefix("clippy::") or "finding"


def _called(span: dict[str, Any]) -> dict[str, Any]:
    """Where the macro is called that a place of elsewhere belongs to."""
    for _ in range(100):
        outer = _dict(_dict(span.get("expansion")).get("span"))
        if not outer or not str(span.get("file_name")).startswith(("/", "<")):
            break
        span = outer
    return span


def _golangci(report: dict[str, Any]) -> Iterator[Row]:
    """`golangci-lint run` with JSON, of version 1 or 2: an object, with lines of talk after it perhaps."""
    given, _ = json.JSONDecoder().raw_decode(report["stdout"].lstrip())
    if _dict(given.get("Report")).get("Error"):
        sys.exit(UNFINISHED)
    for issue in _list(given["Issues"]):
        place, span = _dict(issue.get("Pos")), _dict(issue.get("LineRange"))
        linter, lines = issue.get("FromLinter"), issue.get("SourceLines")
        yield (
            place.get("Filename"),
            place.get("Line"),
            span.get("To"),
            place.get("Column"),
            issue.get("Severity") or ("error" if linter == "typecheck" else ""),
            NOT_COMPILED if linter == "typecheck" else linter,
            issue.get("Text"),
            None,
            "\n".join(map(str, lines)) if isinstance(lines, list) and not span else None,
        )


POSITION = r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?"


def _govet(report: dict[str, Any]) -> Iterator[Row]:
    """`go vet -json`: an object a package among headings, and `vet: ` before what does not compile."""
    text = report["stdout"]
    packages = 0
    for start in re.finditer(r"^\{", text, re.MULTILINE):
        content, _ = json.JSONDecoder().raw_decode(text, start.start())
        packages += 1
        for analysers in _dict(content).values():
            yield from _of_package(_dict(analysers))
    for line in text.splitlines():
        match = re.fullmatch(rf"(?:vet: )?{POSITION}: (?P<message>.+)", line[:LONGEST_LINE])
        if match and line.startswith(("vet: ", "./", "../")):
            place = (match["file"], match["line"], None, match["column"])
            yield (*place, "error", NOT_COMPILED, match["message"])
            packages += 1
    if not packages:
        raise ValueError("it names no package")


def _of_package(analysers: dict[str, Any]) -> Iterator[Row]:
    for name, diagnostics in analysers.items():
        if isinstance(diagnostics, dict):
            sys.exit(UNFINISHED)  # {"error": ...}
        for diagnostic in _list(diagnostics):
            if match := re.fullmatch(POSITION, str(diagnostic.get("posn"))[:LONGEST_LINE]):
                place = (match["file"], match["line"], None, match["column"])
                yield (*place, "error", name, diagnostic.get("message"))


PARSERS: dict[str, Callable[[dict[str, Any]], Iterator[Row]]] = {
    "sarif": _sarif,
    "rdjson": _rdjson,
    "checkstyle": _checkstyle,
    "eslint": _eslint,
    "pyright": _pyright,
    "regex": _regex,
    "cargo": _cargo,
    "golangci": _golangci,
    "govet": _govet,
}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _number(value: object) -> int | None:
    """A line or column from 1, None for anything else."""
    text = str(value) if isinstance(value, int | str) else ""
    number = int(text) if text.isdecimal() and len(text) < 9 else 0
    return number if 0 < number <= HIGHEST else None


def _clean(row: Row) -> list[object]:
    whole = (*row, *[None] * FIELDS)[:FIELDS]
    texts = [
        str(value)[: LONGEST[at]] if at in LONGEST and isinstance(value, str | int) else None
        for at, value in enumerate(whole)
    ]
    first = _number(whole[1]) or 1
    return [texts[0], first, _number(whole[2]) or first, _number(whole[3]), *texts[4:]]


def _is_wanted(row: Row, names: object) -> bool:
    """Whether a row is about one of these files, or says that something does not compile."""
    if not isinstance(names, list) or row[5:6] == (NOT_COMPILED,):
        return True
    file = str(row[0] or "").replace("\\", "/").rpartition("/")[2]
    return file in names or unquote(file) in names


def main() -> None:
    """Read the report and write its rows."""
    report = json.loads(sys.stdin.buffer.read())
    names = report.get("names")
    number = 0
    for row in PARSERS[report["format"]](report):
        if not _is_wanted(row, names):
            continue
        if number == MOST_ROWS:
            sys.exit(TOO_MANY)
        number += 1
        sys.stdout.write(json.dumps(_clean(row)) + "\n")


if __name__ == "__main__":
    main()
