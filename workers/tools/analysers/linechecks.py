"""What diffcheck looks for in a line, as a table. Every pattern is linear in the length of the line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from shared.models.findings import Severity

SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte")

BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
# The subdivision flags (England, Scotland, Wales) are a black flag and tag letters; all other tags hide text.
TAGS = re.compile("(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]+")
INVISIBLE = re.compile("[\u200b\u2060\u00ad]|(?<!^)\ufeff")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
CONFLICT = re.compile(r"^(?:<{7} |>{7} |\|{7} |={7}$)")
CONFLICT_REST = re.compile(r"^(?:>{7} |\|{7} |={7}$)")
CONFLICT_EDGE = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----")
DEBUGGER = re.compile(r"^\s*debugger;?\s*$")
RUBY_DEBUGGER = re.compile(r"^\s*(?:binding\.(?:pry|irb)|byebug|debugger)\s*$")
PHP_DEBUGGER = re.compile(r"^\s*(?:var_dump|dd|xdebug_break)\s*\(.*\);\s*$")
FOCUSED_TEST = re.compile(r"\b(describe|it|test|context)\.only\b(?=\s*[(`])")
PATH_IMPORT = re.compile(r"^\ufeff?import[ \t]")
# The encodings of Unicode give every letter back as it was.
REWRITTEN = re.compile(
    r"^[^#]\S*[ \t](?:.*[ \t])?working-tree-encoding=(?!UTF-?(?:8|16|32))", re.IGNORECASE
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


class Mend(StrEnum):
    """What a fix does with the line."""

    DELETE = "delete"
    REPLACE = "replace"


@dataclass(frozen=True)
class Hit:
    """What one check says about one line.

    With `mends` the line is replaced by `replacement` (None: deleted) in the patch. `quote` replaces the
    line as evidence ("" for none): a secret is not repeated. With a `column` the detail goes on after it.
    """

    title: str
    detail: str
    mends: bool = False
    replacement: str | None = None
    quote: str | None = None
    column: int | None = None


@dataclass(frozen=True)
class LineCheck:
    """A rule for lines, in files of `suffixes` or names (all when empty) whose text holds `only_with`.

    `title` and `detail` may name the `{match}` and its first `{character}`, whose column is given then. Mend.REPLACE
    puts `instead` in the place of what matches. `is_secret`: of the line only what stands before is shown. A hit that
    `goes_on` matches belongs to the hit before it in the same file, if there is one.
    """

    rule: str
    pattern: re.Pattern[str]
    severity: Severity
    category: str
    title: str
    detail: str = ""
    suggestion: str | None = None
    suffixes: tuple[str, ...] = ()
    only_with: re.Pattern[str] | None = None
    mend: Mend | None = None
    instead: str = ""
    is_secret: bool = False
    confidence: float = 0.9
    goes_on: re.Pattern[str] | None = None

    def applies(self, name: str, text: str) -> bool:
        """True for a file of that name and text that has to be looked at."""
        if self.suffixes and not name.endswith(self.suffixes):
            return False
        return self.only_with is None or self.only_with.search(text) is not None

    def find(self, line: str) -> Hit | None:
        """What is wrong with the line, or None."""
        match = self.pattern.search(line)
        if match is None:
            return None
        replaces = self.mend is Mend.REPLACE
        words = {"match": match.group(), "character": f"U+{ord(match.group()[0]):04X}"}
        return Hit(
            self.title.format_map(words),
            self.detail.format_map(words),
            mends=self.mend is not None,
            replacement=self.pattern.sub(self.instead, line) if replaces else None,
            quote=line[: match.start()].strip() if self.is_secret else None,
            column=match.start() + 1 if "{character}" in self.detail else None,
        )


_secret = partial(
    LineCheck,
    severity=Severity.CRITICAL,
    category="security",
    detail="Anyone who can read the repository can use it, even after it is deleted.",
    suggestion="Revoke it, and read the secret from the environment or from a vault.",
    is_secret=True,
)
_character = partial(
    LineCheck,
    detail="holds {character}, which a reader of the diff does not see.",
    suggestion="Remove the character, or write it as an escape sequence.",
    mend=Mend.REPLACE,
)
_debugger = partial(
    LineCheck,
    "debugger",
    severity=Severity.MAJOR,
    category="maintainability",
    detail="It stops or floods the program in production.",
    suggestion="Delete the line.",
    mend=Mend.DELETE,
)

LINE_CHECKS: tuple[LineCheck, ...] = (
    LineCheck(
        "merge-conflict",
        CONFLICT,
        Severity.CRITICAL,
        "correctness",
        "A merge conflict was committed",
        "Both sides of an unfinished merge are in the file, between its markers.",
        "Finish the merge and delete the markers.",
        # `=======` alone is a heading in Markdown and reStructuredText.
        only_with=CONFLICT_EDGE,
        goes_on=CONFLICT_REST,
    ),
    _secret("private-key", PRIVATE_KEY, title="A private key is committed"),
    _secret("token", TOKENS, title="A key or token is committed"),
    _character(
        "bidi-control",
        BIDI,
        Severity.CRITICAL,
        "security",
        "A bidirectional control character: the text is not what it looks like ({character})",
    ),
    _character(
        "hidden-text",
        TAGS,
        Severity.CRITICAL,
        "security",
        "Text in invisible tag letters ({character})",
    ),
    _character(
        "invisible",
        INVISIBLE,
        Severity.MINOR,
        "correctness",
        "An invisible character ({character})",
    ),
    _character(
        "control-character",
        CONTROL,
        Severity.MINOR,
        "correctness",
        "A control character ({character})",
    ),
    _debugger(DEBUGGER, title="A debugger statement was left in", suffixes=SCRIPTS),
    _debugger(RUBY_DEBUGGER, title="A debugger call was left in", suffixes=(".rb",)),
    _debugger(PHP_DEBUGGER, title="A debugging output was left in", suffixes=(".php",)),
    LineCheck(
        "path-import",
        PATH_IMPORT,
        Severity.MAJOR,
        "security",
        "Python runs this line whenever it starts",
        "In a .pth file a line that begins with `import` is code, and runs in every program of that installation.",
        "Import it where it is needed.",
        (".pth",),
    ),
    LineCheck(
        "rewritten-on-checkout",
        REWRITTEN,
        Severity.MAJOR,
        "security",
        "git writes these files with characters other than those reviewed",
        "Some characters of the stored text become others on checkout: Shift-JIS makes a backslash of a yen sign.",
        "Store the files in the encoding that they have, or in UTF-8.",
        (".gitattributes",),
    ),
    LineCheck(
        "focused-test",
        FOCUSED_TEST,
        Severity.MAJOR,
        "correctness",
        "{match} switches all other tests of the file off",
        "The suite passes because most of it is not run.",
        "Remove `.only`.",
        SCRIPTS,
        mend=Mend.REPLACE,
        instead=r"\1",
    ),
    LineCheck(
        "todo",
        TODO,
        Severity.INFO,
        "maintainability",
        "An open task without a reference to an issue",
        suggestion="Name the issue, or do it now.",
        confidence=0.5,
    ),
)
