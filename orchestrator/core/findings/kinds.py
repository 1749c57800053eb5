"""Kinds of defects that rules of several analysers, and reviewers' titles, name in words of their own.

Two claims of one kind at one place are one defect, however little they read alike: E722 of ruff and B110 of bandit,
its B105 and a reviewer's "password in the source". A kind is narrow enough that one line seldom has two defects of it.
What is not in the table is compared by its words alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from shared.patterns import regex

# What a rule is called, as `tool/code`; flake8-bandit's S codes are bandit's B codes.
_RULES: Mapping[str, str] = {
    "secret": r"bandit/b10[567]|diffcheck/secret|gosec/g101|gitleaks/.*|detect-secrets/.*|trufflehog/.*"
    r"|semgrep/.*(?:hardcoded|secret|credential).*|eslint/no-secrets/.*",
    "swallowed-error": r"bandit/b11[02]|(?:ruff|flake8)/(?:e722|ble001|sim105)"
    r"|pylint/(?:w0702|w0703|w0718|bare-except|broad-except|broad-exception-caught)|eslint/no-empty"
    r"|semgrep/.*(?:bare-except|except-pass|swallow).*|gosec/g104|errcheck/.*",
    "deserialization": r"bandit/b(?:301|302|403)|semgrep/.*(?:pickle|deserial|marshal).*",
    "yaml-load": r"bandit/b506|semgrep/.*yaml.*load.*",
    "sql-injection": r"bandit/b(?:608|610|611)|gosec/g20[12]|semgrep/.*(?:sqli|sql-?injection"
    r"|raw-query|formatted-sql).*",
    "shell": r"bandit/b(?:404|602|604|605|609)|gosec/g204|eslint/security/detect-child-process"
    r"|semgrep/.*(?:shell-true|command-injection|shell-injection|os-system).*",
    "eval": r"bandit/b(?:102|307)|ruff/pgh001|pylint/(?:w0122|w0123|eval-used|exec-used)"
    r"|eslint/(?:no-eval|no-implied-eval|no-new-func|security/detect-eval.*)|semgrep/.*(?:eval"
    r"|exec-detected|exec-use).*",
    "weak-hash": r"bandit/b(?:303|324)|gosec/g(?:401|501|505)|semgrep/.*(?:md5|sha1|weak-hash|insecure-hash).*",
    "weak-random": r"bandit/b311|gosec/g404|semgrep/.*(?:weak-random|insecure-random).*",
    "tls-verification": r"bandit/b501|gosec/g402|semgrep/.*(?:verify|certificate|tls|ssl).*",
    "unsafe-xml": r"bandit/b(?:31[3-9]|320|40[5-9]|410)|semgrep/.*(?:xxe|xml).*",
    "telnet": r"bandit/b(?:312|401)",
    "ftp": r"bandit/b(?:321|402)",
    "assertion": r"bandit/b101",
    "all-interfaces": r"bandit/b104|gosec/g102",
    "temporary-file": r"bandit/b(?:108|306)|gosec/g303",
    "template-escaping": r"bandit/b(?:701|702|703)|gosec/g203|semgrep/.*(?:xss|autoescape|unescaped).*",
    "path-traversal": r"gosec/g304|bandit/b202|semgrep/.*(?:path-traversal|tar-?slip|zip-?slip).*",
    "unused-import": r"(?:ruff|flake8)/f401|pylint/(?:w0611|unused-import)|eslint/unused-imports/.*"
    r"|pyright/reportunusedimport",
    "unused-variable": r"(?:ruff|flake8)/f841|pylint/(?:w0612|unused-variable)|pyright/reportunusedvariable"
    r"|eslint/(?:@typescript-eslint/)?no-unused-vars",
    "undefined-name": r"(?:ruff|flake8)/f821|pylint/(?:e0602|undefined-variable)|eslint/no-undef|mypy/name-defined"
    r"|pyright/reportundefinedvariable",
    "mutable-default": r"(?:ruff|flake8)/b006|pylint/(?:w0102|dangerous-default-value)",
    "comparison-to-none": r"(?:ruff|flake8)/e71[12]|pylint/(?:c0121|singleton-comparison)",
    "complexity": r"complexity/.*|(?:ruff|flake8)/(?:c901|plr091[125])|eslint/complexity|lizard/.*"
    r"|gocyclo/.*|gocognit/.*"
    r"|cyclop/.*|pylint/(?:r091[125]|r1260|too-(?:many-branches|many-statements|complex))",
    "syntax": r"ruff/syntax-error|flake8/e999|diffcheck/(?:.*-syntax|unparsed)|pylint/(?:e0001"
    r"|syntax-error)|mypy/syntax",
    "argument-type": r"mypy/arg-type|pyright/reportargumenttype",
    "call": r"mypy/call-(?:arg|overload)|pyright/reportcallissue|pylint/(?:e112[01]|no-value-for-parameter)",
    "returned-type": r"mypy/return-value|pyright/reportreturntype",
    "assigned-type": r"mypy/assignment|pyright/reportassignmenttype",
    "attribute": r"mypy/(?:attr-defined|union-attr)|pyright/reportattributeaccessissue|pylint/(?:e1101|no-member)"
    r"|pyright/reportoptionalmemberaccess",
    "index": r"mypy/index|pyright/report(?:indexissue|optionalsubscript)",
    "operand": r"mypy/operator|pyright/report(?:operatorissue|optionaloperand)",
    "import": r"mypy/import(?:-not-found|-untyped)?|pyright/reportmissing(?:imports|modulesource|typestubs)"
    r"|pylint/(?:e0401|import-error)",
}
# Kinds whose rules quote what they are about: on one line, two names are two defects.
_ABOUT_A_NAME = frozenset("unused-import unused-variable undefined-name attribute import".split())
_QUOTED = regex(r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
# Rules that warn of an import only for what is called later, in the same file.
_IMPORTS = regex(r"bandit/b4(?:0[1-9]|1[0-5])")
_FLAKE8_BANDIT = regex(r"(?:ruff|flake8)/s(\d{3})")

_CREDENTIAL = r"(?:secret|password|credential|token|api[ -]?key|private key)s?"
_ERRORS = r"(?:error|exception|failure)s?"
_HIDES = r"(?:swallow|hid|suppress|silenc|ignor|vanish)\w*"
# What reviewers call the same, in a title.
_TITLES: Mapping[str, str] = {
    "secret": r"하드 ?코딩된? (?:비밀|암호|키|토큰)"
    rf"|(?:hard-?coded|committed|plain ?text|checked[ -]in).{{0,40}}{_CREDENTIAL}"
    rf"|{_CREDENTIAL}.{{0,40}}(?:hard-?coded|committed|checked in|in (?:the )?(?:source|code|repository))",
    "swallowed-error": rf"bare except|except: ?pass|{_HIDES}.{{0,30}}{_ERRORS}|{_ERRORS}.{{0,30}}{_HIDES}"
    r"|예외를? (?:무시|숨)",
    "deserialization": r"\bun?pickl\w+|\bpickle|\bdeseriali[sz]\w+|역직렬화",
    "sql-injection": r"\bsql\b.{0,30}\binject|\binject\w*.{0,30}\bsql\b|(?:concatenat|interpolat"
    r"|f-string)\w*.{0,40}\bsql\b"
    r"|\bsql\b.{0,40}(?:concatenat|interpolat|f-string)|sql ?(?:인젝션|주입|삽입)",
    "shell": r"shell ?= ?true|(?:shell|command) injection|(?:셸|쉘|명령어?) ?(?:인젝션|주입|삽입)",
    "eval": r"\beval\b",
    "yaml-load": r"yaml\.load\b",
    "weak-hash": r"\bmd5\b|\bsha-?1\b",
    "unused-import": r"unused import|import(?:ed)?\b.{0,30}(?:unused|never used|not used)|사용하지 않는 import",
}
# What can come of a construct, where a title names only that; the construct stands in the quoted line.
_RUNS_CODE = (
    r"\bcode (?:execution|injection)|\brce\b|코드 ?(?:실행|주입|인젝션)"
    r"|\b(?:arbitrary|attackers?|untrusted)\b.{0,30}\b(?:code|expressions?|python|javascript)\b"
    r"|\b(?:execut|evaluat)\w*\b.{0,20}\b(?:as code|(?:untrusted|arbitrary|any|user'?s?) (?:input|strings?|text))"
)
_RUNS_COMMANDS = (
    r"\b(?:command|shell) (?:execution|injection)|\b(?:arbitrary|shell|os) commands?\b|\brce\b"
    r"|\bcode execution|명령(?:어)? ?(?:실행|주입|인젝션)"
)
_CONSEQUENCES: Mapping[str, tuple[str, str]] = {
    "eval": (r"\b(?:eval|exec)\s*\(|\bnew Function\s*\(", _RUNS_CODE),
    "deserialization": (
        r"\b(?:c?pickle|marshal|dill|shelve)\.\w+|\bunserialize\s*\(|\breadObject\s*\(",
        rf"{_RUNS_CODE}|\buntrusted (?:data|input|bytes|objects?)\b",
    ),
    "yaml-load": (r"\byaml\.(?:unsafe_|full_)?load\s*\(", _RUNS_CODE),
    "shell": (
        r"shell\s*=\s*True|\bos\.(?:system|popen)\s*\(|\bchild_process\b|\bexecSync\s*\(",
        _RUNS_COMMANDS,
    ),
}
KINDS = tuple(_RULES)
"""Their names."""

_NAMED = {kind: regex(words, 2) for kind, words in _TITLES.items()}
_OUTCOMES = {
    kind: (regex(stands, 2), regex(says, 2)) for kind, (stands, says) in _CONSEQUENCES.items()
}
_RULED = {kind: regex(rules) for kind, rules in _RULES.items()}


@lru_cache(maxsize=4096)
def kind_of_rule(rule: str) -> str | None:
    """The kind of defect that a rule finds; None for one that the table does not know."""
    code = _plain(rule)
    return next((kind for kind, rules in _RULED.items() if rules.fullmatch(code)), None)


@lru_cache(maxsize=4096)
def kinds_of_title(title: str) -> frozenset[str]:
    """The kinds that a reviewer's title names."""
    return frozenset(kind for kind, words in _NAMED.items() if words.search(title))


@lru_cache(maxsize=4096)
def kinds_of_consequence(title: str, quote: str) -> frozenset[str]:
    """The kind whose construct stands in the quoted line, when the title says what comes of it.

    Two constructs in one line are two defects, and such a title does not say of which.
    """
    there = [(kind, says) for kind, (stands, says) in _OUTCOMES.items() if stands.search(quote)]
    if len(there) != 1:
        return frozenset()
    [(kind, says)] = there
    return frozenset((kind,)) if says.search(title) else frozenset()


@lru_cache(maxsize=4096)
def quoted_names(title: str) -> frozenset[str]:
    """What stands in quotation marks in a rule's message."""
    return frozenset(name for match in _QUOTED.finditer(title) for name in match.groups() if name)


def are_about_names(kinds: frozenset[str]) -> bool:
    """Whether rules of these kinds say which name they mean."""
    return not kinds.isdisjoint(_ABOUT_A_NAME)


@lru_cache(maxsize=4096)
def warns_of_import(rule: str) -> bool:
    """Whether a rule only warns of a module's import."""
    return _IMPORTS.fullmatch(_plain(rule)) is not None


def _plain(rule: str) -> str:
    return _FLAKE8_BANDIT.sub(r"bandit/b\1", rule.casefold())
