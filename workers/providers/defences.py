"""When the rule-based author's side defends a finding, and when its critic accepts that.

Each rule is named by a word in brackets at the start of the stance's reason: `[suppressed]`,
`[test-code]`, `[unchanged-line]`. Both sides use the same functions, so a defence that only cites
a rule convinces nobody.
"""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from shared.models.findings import Finding


@dataclass(frozen=True, slots=True)
class Evidence:
    """What can be checked: changed line ranges by path, the source line by finding id.

    None means that nothing is known, which is not the same as nothing changed.
    """

    changed: Mapping[str, Sequence[tuple[int, int]]] | None
    sources: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Defence:
    """A rule that speaks for the place, in words, with the line that shows it."""

    rule: str
    reason: str
    quote: str | None = None

    @property
    def stated(self) -> str:
        """The reason as a stance gives it, beginning with the rule in brackets."""
        return f"[{self.rule}] {self.reason}"


def defence_of(finding: Finding, evidence: Evidence, cited: str | None = None) -> Defence | None:
    """The first rule that defends the finding; with `cited` only that rule (brackets or not)."""
    wanted = None if cited is None else cited.strip().strip("[]").lower()
    for name, rule in RULES.items():
        if wanted in (None, name):
            defence = rule(finding, evidence)
            if defence is not None:
                return defence
    return None


_NOQA = re.compile(r"#\s*noqa\s*:\s*([A-Z][\w, \t]*)", re.IGNORECASE)
_NOSEC = re.compile(r"#\s*nosec\b:?\s*([\w, \t]*)", re.IGNORECASE)
_CODE = re.compile(r"\b[A-Z]{1,4}\d{2,4}\b", re.IGNORECASE)


def _suppressed(finding: Finding, evidence: Evidence) -> Defence | None:
    """The line says itself that this rule is not to be applied there."""
    line = (evidence.sources or {}).get(finding.id, "")
    if finding.rule is None or not line:
        return None
    wanted = _same_rule(finding.rule)
    if not any(_names_rule(comment, wanted) for comment in _comments(line)):
        return None
    reason = f"The line suppresses {finding.rule} in a comment of its own."
    return Defence("suppressed", reason, line.strip())


def _names_rule(comment: str, wanted: str) -> bool:
    noqa, nosec = _NOQA.search(comment), _NOSEC.search(comment)
    named = [code for match in (noqa, nosec) if match for code in _CODE.findall(match.group(1))]
    if any(_same_rule(code) == wanted for code in named):
        return True
    return nosec is not None and not _CODE.search(nosec.group(1)) and _is_bandit(wanted)


LONGEST_LINE = 1_000  # characters: the tokenizer takes a quadratic time for some lines, and no person reads such a one


def _comments(line: str) -> list[str]:
    """The comments of one source line; a string that looks like one is none. A very long line has none."""
    if len(line) > LONGEST_LINE:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(line.strip()).readline)
    comments: list[str] = []
    # One line of a longer statement ends in an error; its comments were seen by then.
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        comments.extend(token.string for token in tokens if token.type == tokenize.COMMENT)
    return comments


def _same_rule(rule: str) -> str:
    """One name for a rule: ruff's S101 is bandit's B101."""
    code = rule.strip().upper()
    return f"B{code[1:]}" if re.fullmatch(r"S\d{3}", code) else code


def _is_bandit(rule: str) -> bool:
    return re.fullmatch(r"B\d{3}", rule) is not None


_TEST_RULES = {
    "B101": "An assert is how a test says what must hold.",
    "B105": "A password in a test protects nothing.",
    "B106": "A password in a test protects nothing.",
    "B107": "A password in a test protects nothing.",
}
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})


def _test_code(finding: Finding, evidence: Evidence) -> Defence | None:
    """Asserts and passwords in a test."""
    del evidence
    if finding.rule is None or finding.place is None or not _is_test(finding.place.path):
        return None
    reason = _TEST_RULES.get(_same_rule(finding.rule))
    return None if reason is None else Defence("test-code", reason)


def _is_test(path: str) -> bool:
    pure = PurePosixPath(path)
    name = pure.name
    return (
        not _TEST_FOLDERS.isdisjoint(pure.parts[:-1])
        or name == "conftest.py"
        or name.startswith("test_")
        or pure.stem.endswith("_test")
    )


def _unchanged_line(finding: Finding, evidence: Evidence) -> Defence | None:
    """The place lies wholly outside what the change added or edited."""
    if evidence.changed is None or finding.place is None:
        return None
    place = finding.place
    ranges = evidence.changed.get(place.path, ())
    if any(low <= place.last_line and place.line <= high for low, high in ranges):
        return None
    return Defence("unchanged-line", "The change does not touch this place.")


RULES: dict[str, Callable[[Finding, Evidence], Defence | None]] = {
    "suppressed": _suppressed,
    "test-code": _test_code,
    "unchanged-line": _unchanged_line,
}
