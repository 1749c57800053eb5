"""The diffcheck participant: what is wrong in any language, on changed lines of any text file.

Lines are looked at in this process by linear patterns; data files are parsed in the sandbox.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from shared.errors import ToolError
from shared.models.coverage import UnreadReason
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.models.subject import FileChange
from shared.text.masking.assignments import KIND as ASSIGNED
from shared.text.masking.mask import FoundSecret, find_secrets
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.bandit import is_test
from workers.tools.analysers.critique import write_critique
from workers.tools.analysers.edits import line_patch
from workers.tools.analysers.linechecks import LINE_CHECKS, PRIVATE_KEY, TOKENS, Hit, LineCheck
from workers.tools.analysers.program import earlier_state, earlier_states
from workers.tools.analysers.sources import MAX_QUOTE, Examined, SourceFile, sources
from workers.tools.analysers.syntaxchecks import (
    Checked,
    SyntaxProblem,
    Unparsed,
    check_syntax,
)
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject

NAME = "diffcheck"
# Longer lines are looked at in pieces of that length, which overlap by more than any key is long.
PIECE = 5000
OVERLAP = 500
# Of one check in one file: a critique shows a hundred findings.
MOST_HITS = 100
# Files that nobody means to commit, by exact name or suffix.
LEFTOVER_NAMES = (".DS_Store", "Thumbs.db", "desktop.ini")
LEFTOVER_SUFFIXES = (".orig", ".rej", ".swp", ".swo", ".pyc")
SECRET_NAMES = (".env", "id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".pgpass", ".npmrc")
SECRET_SUFFIXES = (".p12", ".pfx", ".keystore", ".jks")
# Values by a telling name are made up in tests and shown in prose; keys by a published form are not.
PROSE = (".md", ".rst", ".txt", ".adoc")
OFTEN_MADE_UP = {ASSIGNED: Severity.CRITICAL, "connection-password": Severity.MAJOR}
RULES = (
    *dict.fromkeys(check.rule for check in LINE_CHECKS),
    *("secret", "secret-file", "leftover-file", "unreviewable-file"),
    *("json-syntax", "toml-syntax", "yaml-syntax", "unparsed"),
)
# Lines above and below a changed one that say what a value is.
AROUND = 20


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A critique of the subject's text files, with those that cannot be read; raises `ToolError` when it has none."""
    subject = load_subject(inputs.subject, context.documents)
    examined = sources(subject, context.documents, lambda _file: True)
    findings = [finding for file in subject.files for finding in _file_findings(file)]
    if not (examined.files or examined.unread or findings):
        raise ToolError("Nothing analysed: no text file in this change.")
    countdown = context.countdown()
    after = check_syntax({source.path: source.text for source in examined.files}, countdown)
    findings += _content_findings(examined, after, context.documents, countdown)
    parsed = tuple(path for path, error in after.items() if not isinstance(error, Unparsed))
    return write_critique(inputs, NAME, replace(examined, parsed=parsed), findings, "text")


def _file_findings(file: FileChange) -> Iterator[RaisedFinding]:
    """Judged by name and size alone, and by where the capture saw secrets: what a change brings and should not."""
    for secret in file.secrets:
        yield _secret_finding(file.path, secret.line, secret.kind, Severity.CRITICAL)
    if file.status == "added" and not file.secrets:
        yield from _by_name(file)


def _by_name(file: FileChange) -> Iterator[RaisedFinding]:
    base = PurePosixPath(file.path).name
    if base in SECRET_NAMES or base.endswith(SECRET_SUFFIXES):
        yield _about_file(
            file,
            "secret-file",
            Severity.CRITICAL if base.endswith(SECRET_SUFFIXES) else Severity.MAJOR,
            "security",
            "A file that usually holds secrets is added",
        )
    elif base in LEFTOVER_NAMES or base.endswith(LEFTOVER_SUFFIXES):
        yield _about_file(
            file, "leftover-file", Severity.MINOR, "maintainability", "A leftover file is added"
        )
    elif file.skipped is not None and not _excused(file):
        yield _about_file(
            file,
            "unreviewable-file",
            Severity.INFO,
            "general",
            f"{file.path} is added, and nobody here can review it: {file.skipped}",
        )


def _excused(file: FileChange) -> bool:
    return file.harmless is not None or file.unread is UnreadReason.EXCLUDED


def _about_file(
    file: FileChange, rule: str, severity: Severity, category: str, title: str
) -> RaisedFinding:
    return RaisedFinding(
        title=title[:400],
        detail=f"{file.path} is new in this change.",
        severity=severity,
        category=category,
        rule=f"{NAME}/{rule}",
        place=Place(path=file.path, line=1),
        suggestion="Leave the file out of the change, and ignore its kind if it comes back.",
        confidence=0.8,
    )


def _content_findings(
    examined: Examined, after: Mapping[str, Checked], documents: Documents, countdown: Countdown
) -> Iterator[RaisedFinding]:
    for check in LINE_CHECKS:
        yield from _line_findings(check, examined, documents)
    yield from _secret_findings(examined, documents)
    yield from _broken_files(examined, after, documents, countdown)


def _line_findings(
    check: LineCheck, examined: Examined, documents: Documents
) -> Iterator[RaisedFinding]:
    """What is new, without what goes on with a hit above it in the same file."""
    begun = ""
    for source, hit in _fresh_hits(check, examined, documents):
        goes_on = check.goes_on is not None and check.goes_on.match(_line(source, hit))
        if begun != source.path or not goes_on:
            yield hit
        begun = source.path


def _fresh_hits(
    check: LineCheck, examined: Examined, documents: Documents
) -> Iterator[tuple[SourceFile, RaisedFinding]]:
    """At most `MOST_HITS` in a file, so that one made of hits costs no more than another."""
    read = [source for source in examined.files if _applies(check, source)]
    hits = [(source, hit) for source in read for hit in islice(_hits(source, check), MOST_HITS)]
    if not hits:
        return
    before = _lines_hit(check, earlier_states(examined, documents))
    now = _lines_hit(check, read) if before else before
    for source, hit in hits:
        line = _moved_line(_line(source, hit))
        if before[line] < max(1, now[line]):
            yield source, hit


def _line(source: SourceFile, hit: RaisedFinding) -> str:
    return source.lines[(hit.place.line if hit.place else 1) - 1]


def _secret_findings(examined: Examined, documents: Documents) -> Iterator[RaisedFinding]:
    """Secrets on changed lines that no file of the change had before and no pattern of a line names."""
    secrets = [(source, secret) for source in examined.files for secret in _secrets_in(source)]
    if not secrets:
        return
    states = earlier_states(examined, documents)
    known = [state.text for state in states]
    for source, secret in secrets:
        if not any(secret.text in text for text in known):
            severity = _secret_severity(source.path, secret.kind)
            yield _secret_finding(source.path, secret.line, secret.kind, severity)


def _secrets_in(source: SourceFile) -> Iterator[FoundSecret]:
    """One for a changed line; only what is around changed lines is looked at."""
    changed = set(_changed_lines(source))
    near = {n + by for n in changed for by in range(-AROUND, AROUND + 1)}
    shown = (line if n in near else "" for n, line in enumerate(source.lines, start=1))
    seen: set[int] = set()
    for secret in find_secrets("\n".join(shown)):
        line = source.lines[secret.line - 1]
        if secret.line in changed - seen and not _is_named(line):
            seen.add(secret.line)
            yield secret


def _secret_severity(path: str, kind: str) -> Severity:
    """`user:password@host` is as often an example as a leak."""
    if kind not in OFTEN_MADE_UP:
        return Severity.CRITICAL
    if is_test(path) or path.lower().endswith(PROSE):
        return Severity.MINOR
    return OFTEN_MADE_UP[kind]


def _is_named(line: str) -> bool:
    return bool(TOKENS.search(line) or PRIVATE_KEY.search(line))


def _secret_finding(path: str, line: int, kind: str, severity: Severity) -> RaisedFinding:
    return RaisedFinding(
        title=f"A secret is committed ({kind})",
        detail="Anyone who can read the repository can use it, even after it is deleted.",
        severity=severity,
        category="security",
        rule=f"{NAME}/secret",
        place=Place(path=path, line=line),
        suggestion="Revoke it, and read the secret from the environment or from a vault.",
        confidence=0.9,
    )


def _applies(check: LineCheck, source: SourceFile) -> bool:
    return check.applies(PurePosixPath(source.path).name.lower(), source.text)


def _lines_hit(check: LineCheck, sources: Iterable[SourceFile]) -> Counter[str]:
    """How often which line has what a check looks for, wherever it stands."""
    return Counter(
        _moved_line(line)
        for source in sources
        if _applies(check, source)
        for line in source.lines
        if check.find(line)
    )


def _moved_line(line: str) -> str:
    """The line as it is recognised elsewhere: it may be indented otherwise there."""
    return line.lstrip(" \t")


def _hits(source: SourceFile, check: LineCheck) -> Iterator[RaisedFinding]:
    """What a check finds in the changed lines, in each of them once."""
    for number in _changed_lines(source):
        line = source.lines[number - 1]
        for start in range(0, max(len(line) - OVERLAP, 1), PIECE - OVERLAP):
            if hit := check.find(line[start : start + PIECE]):
                yield _finding(source, number, check, hit, start)
                break


def _changed_lines(source: SourceFile) -> Iterator[int]:
    for lines in source.change.changed:
        yield from range(lines.first, min(lines.last, len(source.lines)) + 1)


def _finding(
    source: SourceFile, number: int, check: LineCheck, hit: Hit, start: int
) -> RaisedFinding:
    whole = len(source.lines[number - 1]) <= PIECE and source.verbatim
    where = "" if hit.column is None else f"Column {start + hit.column} "
    return RaisedFinding(
        title=hit.title,
        detail=where + hit.detail,
        severity=check.severity,
        category=check.category,
        rule=f"{NAME}/{check.rule}",
        place=Place(path=source.path, line=number),
        quote=source.quote(number) if hit.quote is None else hit.quote[:MAX_QUOTE] or None,
        suggestion=check.suggestion,
        patch=_patch(source, number, hit.replacement) if hit.mends and whole else None,
        confidence=check.confidence,
    )


def _patch(source: SourceFile, number: int, replacement: str | None) -> str | None:
    return line_patch(source.path, source.text_lines, number, replacement)


def _broken_files(
    examined: Examined, after: Mapping[str, Checked], documents: Documents, countdown: Countdown
) -> Iterator[RaisedFinding]:
    """Data files that do not parse, unless they did not parse before the change either."""
    sources = {source.path: source for source in examined.files}
    broken = [path for path, error in after.items() if isinstance(error, SyntaxProblem)]
    before = check_syntax(_texts_before((sources[path] for path in broken), documents), countdown)
    for path, error in after.items():
        if isinstance(error, Unparsed):
            yield _unparsed(sources[path], error)
        elif error is not None and not isinstance(before.get(path), SyntaxProblem):
            yield _broken(sources[path], error)


def _texts_before(sources: Iterable[SourceFile], documents: Documents) -> dict[str, str]:
    states = (earlier_state(source.change, documents) for source in sources)
    return {state.path: state.text for state in states if state is not None}


def _broken(source: SourceFile, error: SyntaxProblem) -> RaisedFinding:
    line = source.nearest_changed(error.line) or error.line
    return RaisedFinding(
        title=f"Broken {error.language}: {error.message}"[:400],
        detail=f"The file cannot be read any more; the parser stops at line {error.line}.",
        severity=Severity.CRITICAL,
        category="correctness",
        rule=f"{NAME}/{error.language.lower()}-syntax",
        place=Place(path=source.path, line=line),
        quote=source.quote(line),
        confidence=0.9,
    )


def _unparsed(source: SourceFile, why: Unparsed) -> RaisedFinding:
    return RaisedFinding(
        title=f"A data file was not parsed: {why.reason}"[:400],
        detail="Whether it can be read is not known; a program that reads it may take very long.",
        severity=Severity.INFO if why.large else Severity.MINOR,
        category="scalability",
        rule=f"{NAME}/unparsed",
        place=Place(path=source.path, line=source.nearest_changed(1) or 1),
        confidence=0.6,
    )
