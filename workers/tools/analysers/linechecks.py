"""What diffcheck looks for in a line, as a table. Every pattern is linear in the length of the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from shared.models.findings import Severity

SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")

BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
# The subdivision flags (England, Scotland, Wales) are a black flag and tag letters; all other tags hide text.
TAGS = re.compile("(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]+")
INVISIBLE = re.compile("[\u200b\u2060\u00ad]|(?<!^)\ufeff")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
CONFLICT = re.compile(r"^(?:<{7} |>{7} |\|{7} |={7}$)")
CONFLICT_EDGE = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----")
DEBUGGER = re.compile(r"^\s*debugger;?\s*$")
RUBY_DEBUGGER = re.compile(r"^\s*(?:binding\.(?:pry|irb)|byebug|debugger)\s*$")
PHP_DEBUGGER = re.compile(r"^\s*(?:var_dump|dd|xdebug_break)\s*\(.*\);\s*$")
FOCUSED_TEST = re.compile(r"\b(describe|it|test|context)\.only\b(?=\s*[(`])")
PATH_IMPORT = re.compile(r"\ufeff?import[ \t]")
# The encodings of Unicode give every letter back as it was.
REWRITTEN = re.compile(
    r"[^#]\S*[ \t](?:.*[ \t])?working-tree-encoding=(?!UTF-?(?:8|16|32))", re.IGNORECASE
)
TODO = re.compile(r"(?:#|//|/\*|<!--|--|;)\s*(?:TODO|FIXME|XXX)\b(?!.*(?:#\d|[A-Z]{2,}-\d|://))")
# Published forms of keys with a fixed start: no guess by entropy, hardly a false alarm.
TOKENS = re.compile(
    r"\bAKIA[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{60,90}\b"
    r"|\bglpat-[A-Za-z0-9_-]{20}\b"
    r"|\bxox[baprs]-[A-Za-z0-9-]{20,80}\b"
    r"|\bsk-ant-[A-Za-z0-9_-]{20,120}\b"
    r"|\bsk-(?:proj-)?[A-Za-z0-9]{40,64}\b"
    r"|\bAIza[0-9A-Za-z_-]{35}\b"
    r"|\b[sr]k_live_[0-9a-zA-Z]{24,64}\b"
    r"|\bnpm_[A-Za-z0-9]{36}\b"
    r"|\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,200}"
)


@dataclass(frozen=True)
class Hit:
    """What one check says about one line.

    With `mends` the line is replaced by `replacement` (None: deleted) in the patch. `quote` replaces the
    line as evidence ("" for none): a secret is not repeated. With a `column` the detail goes on behind it.
    """

    rule: str
    title: str
    severity: Severity
    category: str
    detail: str = ""
    suggestion: str | None = None
    mends: bool = False
    replacement: str | None = None
    quote: str | None = None
    column: int | None = None
    confidence: float = 0.9


@dataclass(frozen=True)
class LineCheck:
    """A rule for lines: in files of `suffixes` or names (all when empty) whose whole text satisfies `whole_file`."""

    find: Callable[[str], Hit | None]
    suffixes: tuple[str, ...] = ()
    whole_file: Callable[[str], bool] | None = None


def _secret(rule: str, title: str, pattern: re.Pattern[str]) -> Callable[[str], Hit | None]:
    def find(line: str) -> Hit | None:
        match = pattern.search(line)
        if match is None:
            return None
        return Hit(
            rule,
            title,
            Severity.CRITICAL,
            "security",
            "Whoever can read the repository can use it, also after it is deleted.",
            "Revoke it, and read the secret from the environment or from a vault.",
            quote=line[: match.start()].strip(),
        )

    return find


def _characters(
    rule: str, title: str, pattern: re.Pattern[str], severity: Severity, category: str
) -> Callable[[str], Hit | None]:
    def find(line: str) -> Hit | None:
        match = pattern.search(line)
        if match is None:
            return None
        shown = f"U+{ord(match.group()[0]):04X}"
        return Hit(
            rule,
            f"{title} ({shown})",
            severity,
            category,
            f"holds {shown}, which a reader of the diff does not see.",
            "Remove the character, or write it as an escape sequence.",
            mends=True,
            replacement=pattern.sub("", line),
            column=match.start() + 1,
        )

    return find


def _statement(rule: str, title: str, pattern: re.Pattern[str]) -> Callable[[str], Hit | None]:
    def find(line: str) -> Hit | None:
        if pattern.search(line) is None:
            return None
        return Hit(
            rule,
            title,
            Severity.MAJOR,
            "maintainability",
            "It stops or floods the program in production.",
            "Delete the line.",
            mends=True,
        )

    return find


def _conflict(line: str) -> Hit | None:
    if CONFLICT.search(line) is None:
        return None
    return Hit(
        "merge-conflict",
        "A merge conflict marker was committed",
        Severity.CRITICAL,
        "correctness",
        "Both sides of an unfinished merge are in the file.",
        "Finish the merge and delete the markers.",
    )


def _focused(line: str) -> Hit | None:
    match = FOCUSED_TEST.search(line)
    if match is None:
        return None
    return Hit(
        "focused-test",
        f"{match.group()} switches all other tests of the file off",
        Severity.MAJOR,
        "correctness",
        "The suite passes because most of it is not run.",
        "Remove `.only`.",
        mends=True,
        replacement=FOCUSED_TEST.sub(r"\1", line),
    )


def _todo(line: str) -> Hit | None:
    if TODO.search(line) is None:
        return None
    return Hit(
        "todo",
        "An open task without a reference to an issue",
        Severity.INFO,
        "maintainability",
        suggestion="Name the issue, or do it now.",
        confidence=0.5,
    )


def _path_import(line: str) -> Hit | None:
    if PATH_IMPORT.match(line) is None:
        return None
    return Hit(
        "path-import",
        "Python runs this line whenever it starts",
        Severity.MAJOR,
        "security",
        "In a .pth file a line that begins with `import` is code, and runs in every program of that installation.",
        "Import it where it is needed.",
    )


def _rewritten(line: str) -> Hit | None:
    if REWRITTEN.match(line) is None:
        return None
    return Hit(
        "rewritten-on-checkout",
        "git writes these files with other letters than were reviewed",
        Severity.MAJOR,
        "security",
        "Some letters of the stored text become others on checkout: Shift-JIS makes a backslash of a yen sign.",
        "Store the files in the encoding that they have, or in UTF-8.",
    )


def _has_conflict_edge(text: str) -> bool:
    # `=======` alone is a heading in Markdown and reStructuredText.
    return CONFLICT_EDGE.search(text) is not None


LINE_CHECKS: tuple[LineCheck, ...] = (
    LineCheck(_conflict, whole_file=_has_conflict_edge),
    LineCheck(_secret("private-key", "A private key is committed", PRIVATE_KEY)),
    LineCheck(_secret("token", "A key or token is committed", TOKENS)),
    LineCheck(
        _characters(
            "bidi-control",
            "A bidirectional control character: the text is not what it looks like",
            BIDI,
            Severity.CRITICAL,
            "security",
        )
    ),
    LineCheck(
        _characters(
            "hidden-text", "Text in invisible tag letters", TAGS, Severity.CRITICAL, "security"
        )
    ),
    LineCheck(
        _characters("invisible", "An invisible character", INVISIBLE, Severity.MINOR, "correctness")
    ),
    LineCheck(
        _characters(
            "control-character", "A control character", CONTROL, Severity.MINOR, "correctness"
        )
    ),
    LineCheck(_statement("debugger", "A debugger statement was left in", DEBUGGER), SCRIPTS),
    LineCheck(_statement("debugger", "A debugger call was left in", RUBY_DEBUGGER), (".rb",)),
    LineCheck(_statement("debugger", "A debugging output was left in", PHP_DEBUGGER), (".php",)),
    LineCheck(_path_import, (".pth",)),
    LineCheck(_rewritten, (".gitattributes",)),
    LineCheck(_focused, SCRIPTS),
    LineCheck(_todo),
)
