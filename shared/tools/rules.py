"""What a person says about the analysers' rules: which count, where, and how much. Pure; both sides know it.

A rule is named by its code (`B101`), by the analyser and its code where codes collide (`bandit/B101`), by the beginning
of its code as ruff takes it (`F4`, `PLE`), or with `*` (`eslint/no-*`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from shared.models.findings import RaisedFinding, Severity
from shared.models.wire import Wire
from shared.patterns import regex

COMPLEXITY = 15
"""Cyclomatic complexity above which a function is reported (McCabe 1976). His limit is 10; radon counts each `and`,
`or` and comprehension too, and what passes McCabe's 10 often has 15 by that count."""
_FAMILY = regex(r"[A-Za-z]+[0-9]*")
_REST = regex(r"[A-Z]?[0-9]+", re.IGNORECASE)

_LAYOUT = regex(r"""[\s()\\,;'"`]+""")
_LAST_COMMA = regex(r",(?=[\s\\;]*(?:[)\]}]|\Z))")
_BETWEEN = regex(r"[\s()\\;]+")
_NEEDLESS_BLANK = regex(r"(?<!\w) | (?!\w)")
TELLING = 20
"""Letters without layout that tell one line from all others."""
MOST_TEXT = 2000

# A length within the pattern would cost 10 MB of every process: it is unrolled over all letters of Unicode.
RuleName = Annotated[str, StringConstraints(pattern=r"^[\w@*][\w@./*:-]*$", max_length=100)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=200)]
GivenSeverity = Annotated[
    Severity,
    BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value),
]


class KnownFinding(Wire):
    """A finding of an earlier result: its rule, its file, and its quotation without layout."""

    rule: str
    path: str
    text: str

    @property
    def mark(self) -> Mark:
        """What a finding that repeats it shares with it; a line that says enough is known in another file, too."""
        return (self.rule, self.text, "" if len(self.text) >= TELLING else self.path)


Mark = tuple[str, str, str]


def marks_of(finding: RaisedFinding) -> list[Mark]:
    """The marks of known findings that a finding repeats."""
    if finding.rule is None:
        return []
    quote, path = finding.quote or "", finding.place.path if finding.place else ""
    # Runs that were begun before know their findings without any quotation mark.
    texts = (without_layout(quote), _LAYOUT.sub("", quote[:MOST_TEXT]))
    return [KnownFinding(rule=finding.rule, path=path, text=text).mark for text in texts]


class ProjectRules(Wire):
    """What a project's own ruff settings say about the rules in a folder (the top's is empty)."""

    folder: str = ""
    ignore: tuple[RuleName, ...] = ()
    select: tuple[RuleName, ...] = ()
    per_file: dict[Glob, tuple[RuleName, ...]] = Field(default_factory=dict)

    def ignores(self, rule: str, path: str) -> bool:
        """Whether a rule is off in a file: the longer name of `select` and `ignore` wins, as with ruff."""
        inside = path.removeprefix(f"{self.folder}/") if self.folder else path
        if ignored_in(self.per_file, rule, inside):
            return True
        off, on = (_exactness(names, rule) for names in (self.ignore, self.select))
        return off > 0 and off >= on

    def holds(self, path: str) -> bool:
        """Whether a file lies in its folder."""
        return not self.folder or path.startswith(f"{self.folder}/")


class AnalyserRules(Wire):
    """Which rules of analysers count: `select` adds rules that are off, `ignore` and `per_file` (globs) take away.

    `project` are the project's own ruff settings, the deepest folder first: they switch off what is no more than
    MINOR; a graver finding is told, and asks for nothing. `known` are the findings of an earlier result, whose file
    is `known_from`; `known_cut`: that result had found more.
    """

    ignore: tuple[RuleName, ...] = ()
    select: tuple[RuleName, ...] = ()
    severity: dict[RuleName, GivenSeverity] = Field(default_factory=dict)
    per_file: dict[Glob, tuple[RuleName, ...]] = Field(default_factory=dict)
    complexity: int = Field(default=COMPLEXITY, ge=1, le=1000)
    project: tuple[ProjectRules, ...] = ()
    known: tuple[KnownFinding, ...] = ()
    known_from: str = ""
    known_cut: bool = False

    def selected(self, analyser: str) -> tuple[str, ...]:
        """The codes that are selected for an analyser, without its name."""
        named = (name.partition("/") for name in self.select)
        return tuple(
            rest if slash else first
            for first, slash, rest in named
            if not slash or first == analyser
        )

    def applied(self, findings: Iterable[RaisedFinding]) -> tuple[RaisedFinding, ...]:
        """The findings that count, as bad as was said."""
        return tuple(self._weighed(finding) for finding in findings if not self.is_off(finding))

    def without_known(self, findings: Iterable[RaisedFinding]) -> tuple[RaisedFinding, ...]:
        """The findings without those that are known; each of these excuses one."""
        left: dict[tuple[str, str, str], int] = Counter(known.mark for known in self.known)
        fresh = []
        for finding in findings:
            mark = next((mark for mark in marks_of(finding) if left.get(mark)), None)
            if mark is None:
                fresh.append(finding)
            else:
                left[mark] -= 1
        return tuple(fresh)

    def is_off(self, finding: RaisedFinding) -> bool:
        """True for a finding of a rule that is switched off where it stands."""
        if finding.rule is None:
            return False
        is_slight = finding.severity.rank > Severity.MAJOR.rank
        return self.ignores(finding) or (is_slight and self._is_off_in_project(finding))

    def ignores(self, finding: RaisedFinding) -> bool:
        """True for a finding of a rule that `ignore` or `per_file` names."""
        rule, path = finding.rule or "", finding.place.path if finding.place else ""
        return names_rule(self.ignore, rule) or ignored_in(self.per_file, rule, path)

    def _is_off_in_project(self, finding: RaisedFinding) -> bool:
        """Whether the nearest ruff settings switch the rule of a finding off, and nobody here has selected it."""
        rule, path = finding.rule or "", finding.place.path if finding.place else ""
        if not rule.startswith("ruff/") or names_rule(self.select, rule) or not path:
            return False
        nearest = next((rules for rules in self.project if rules.holds(path)), None)
        return nearest is not None and nearest.ignores(rule, path)

    def _weighed(self, finding: RaisedFinding) -> RaisedFinding:
        named = [name for name in self.severity if finding.rule and matches(name, finding.rule)]
        if not named:
            return _switched_off(finding) if self._is_off_in_project(finding) else finding
        severity = self.severity[max(named, key=len)]
        return finding.model_copy(update={"severity": severity})


def _exactness(names: Iterable[str], rule: str) -> int:
    """How exactly a rule is named: 0 not at all, 1 with all others."""
    lengths = (1 if name == "ALL" else 1 + len(name) for name in names if matches(name, rule))
    return max(lengths, default=0)


def _switched_off(finding: RaisedFinding) -> RaisedFinding:
    detail = f"{finding.detail} The project's own ruff settings switch this rule off."
    return finding.model_copy(update={"severity": Severity.INFO, "detail": detail, "patch": None})


def without_layout(text: str) -> str:
    """The text without what a formatter changes: layout, parentheses, a last comma, the kind of quotation mark.

    What tells a literal from a name stays: its marks, the commas between arguments, and a blank between two words.
    """
    words = _BETWEEN.sub(" ", _LAST_COMMA.sub("", text[:MOST_TEXT].replace('"', "'")))
    return _NEEDLESS_BLANK.sub("", words)


def matches(name: str, rule: str) -> bool:
    """Whether a name means that rule, which is spelled with its analyser."""
    analyser, _, code = rule.partition("/")
    first, slash, rest = name.partition("/")
    wanted = rest if slash and first == analyser else name
    if wanted == "ALL" and analyser == "ruff":
        return True
    if "*" in wanted:
        return fnmatchcase(code.casefold(), wanted.casefold())
    if code.casefold() == wanted.casefold():
        return True
    begins = code.casefold().startswith(wanted.casefold()) and _FAMILY.fullmatch(wanted)
    return bool(begins and _REST.fullmatch(code[len(wanted) :]))


def names_rule(names: Iterable[str], rule: str) -> bool:
    """Whether one of the names means that rule."""
    return any(matches(name, rule) for name in names)


def ignored_in(per_file: Mapping[str, Iterable[str]], rule: str, path: str) -> bool:
    """Whether a rule is off in a file; a glob means the whole path or the name, and with `!` all other files."""
    return any(
        names_rule(names, rule) for glob, names in per_file.items() if covers_path(glob, path)
    )


def covers_path(glob: str, path: str) -> bool:
    """Whether a glob means that file, as ruff's `per-file-ignores` read it: `*` also passes over folders."""
    if glob.startswith("!"):
        return not covers_path(glob[1:], path)
    wanted = glob.removeprefix("./").removeprefix("**/").rstrip("/")
    ways = [wanted, f"*/{wanted}"]
    if "/" in glob:
        ways.append(f"{wanted}/*")
    return any(fnmatchcase(path, way) for way in ways)
