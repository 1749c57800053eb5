"""The diffcheck participant: what is wrong in any language, on changed lines of any text file.

It needs no program: everything is computed in this process from bounded texts by linear patterns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from pydantic import JsonValue

from shared.errors import ToolError
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.replies import Critique
from shared.models.subject import FileChange
from workers.tools.critique import reply_model, write_critique
from workers.tools.edits import file_patch
from workers.tools.linechecks import LINE_CHECKS, Hit
from workers.tools.registry import Documents, ToolContext
from workers.tools.snapshot import load_subject
from workers.tools.sources import Examined, SourceFile, read_change, sources
from workers.tools.syntaxchecks import syntax_error

name = "diffcheck"
summary = (
    "Looks for secrets, hidden characters, merge leftovers and broken data files in any language."
)

# Longer lines are generated or minified: only their start is looked at.
MAX_LINE = 5000
# Files that nobody means to commit, by exact name or suffix.
LEFTOVER_NAMES = (".DS_Store", "Thumbs.db", "desktop.ini")
LEFTOVER_SUFFIXES = (".orig", ".rej", ".swp", ".swo", ".pyc")
SECRET_NAMES = (".env", "id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".pgpass", ".npmrc")
SECRET_SUFFIXES = (".p12", ".pfx", ".keystore", ".jks")


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> Critique:
    """A `critique.*` of the text files of `inputs["subject"]`; raises `ToolError` when there are none."""
    model = reply_model(inputs)
    subject = load_subject(inputs, context.documents)
    examined = sources(subject, context.documents, lambda _file: True)
    found = [finding for file in subject.files for finding in _file_findings(file)]
    if not examined.files and not found:
        raise ToolError("Nothing analysed: no text file in this change.")
    found += _content_findings(examined, context.documents)
    return write_critique(model, name, examined, found, "text")


def _file_findings(file: FileChange) -> Iterator[RaisedFinding]:
    """Judged by name and size alone: files that a change adds and should not."""
    if file.status != "added":
        return
    base = PurePosixPath(file.path).name
    if base in SECRET_NAMES or base.endswith(SECRET_SUFFIXES):
        yield _about_file(
            file,
            "secret-file",
            Severity.MAJOR,
            "security",
            "A file that usually holds secrets is added",
        )
    elif base in LEFTOVER_NAMES or base.endswith(LEFTOVER_SUFFIXES):
        yield _about_file(
            file, "leftover-file", Severity.MINOR, "maintainability", "A leftover file is added"
        )
    elif file.skipped is not None:
        yield _about_file(
            file,
            "unreviewable-file",
            Severity.INFO,
            "general",
            f"A file is added that nobody here can review: {file.skipped}",
        )


def _about_file(
    file: FileChange, rule: str, severity: Severity, category: str, title: str
) -> RaisedFinding:
    return RaisedFinding(
        title=title[:400],
        detail=f"{file.path} is new in this change.",
        severity=severity,
        category=category,
        rule=f"{name}/{rule}",
        place=Place(path=file.path, line=1),
        suggestion="Leave the file out of the change, and ignore its kind if it comes back.",
        confidence=0.8,
    )


def _content_findings(examined: Examined, documents: Documents) -> Iterator[RaisedFinding]:
    for source in examined.files:
        yield from _line_findings(source)
        broken = _newly_broken(source, documents)
        if broken is not None:
            yield broken


def _line_findings(source: SourceFile) -> Iterator[RaisedFinding]:
    suffix = PurePosixPath(source.path).suffix.lower()
    checks = [check for check in LINE_CHECKS if not check.suffixes or suffix in check.suffixes]
    wanted = (
        line for lines in source.change.changed for line in range(lines.first, lines.last + 1)
    )
    for number in wanted:
        if number > len(source.lines):
            break
        text = source.lines[number - 1][:MAX_LINE]
        for check in checks:
            hit = check.find(text)
            if hit is not None and not (check.whole_file and not check.whole_file(source.text)):
                yield _finding(source, number, hit)


def _finding(source: SourceFile, number: int, hit: Hit) -> RaisedFinding:
    return RaisedFinding(
        title=hit.title,
        detail=hit.detail,
        severity=hit.severity,
        category=hit.category,
        rule=f"{name}/{hit.rule}",
        place=Place(path=source.path, line=number),
        quote=source.quote(number) if hit.quote is None else hit.quote or None,
        suggestion=hit.suggestion,
        patch=_patch(source, number, hit.replacement) if hit.mends else None,
        confidence=hit.confidence,
    )


def _patch(source: SourceFile, number: int, replacement: str | None) -> str | None:
    lines = source.text.split("\n")
    end = "\r" if lines[number - 1].endswith("\r") else ""
    fresh = [] if replacement is None else [replacement + end]
    after = "\n".join([*lines[: number - 1], *fresh, *lines[number:]])
    return file_patch(source.path, source.text, after)


def _newly_broken(source: SourceFile, documents: Documents) -> RaisedFinding | None:
    """A data file that does not parse, unless it did not parse before the change either."""
    error = syntax_error(source.path, source.text)
    if error is None:
        return None
    change = source.change
    if change.before is not None:
        before = read_change(change.model_copy(update={"after": change.before}), documents)
        if isinstance(before, SourceFile) and syntax_error(source.path, before.text):
            return None
    line = source.nearest_changed(error.line) or error.line
    return RaisedFinding(
        title=f"Broken {error.language}: {error.message}"[:400],
        detail=f"The file cannot be read any more; the parser stops at line {error.line}.",
        severity=Severity.CRITICAL,
        category="correctness",
        rule=f"{name}/{error.language.lower()}-syntax",
        place=Place(path=source.path, line=line),
        quote=source.quote(line),
        confidence=0.9,
    )
