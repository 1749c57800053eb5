"""The kinds of findings under which other programs list them: a fixed catalogue, whatever an analyser or a model says.

Code hosts count and mute alerts by rule. So a rule's id never comes from a reply: it is the kind of defect where one is
known (`kinds.py`), else what the category, or the analyser's own rule, amounts to. `defect_ID` and `defect_ID_help` of
the catalogues are its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.findings.kinds import KINDS, kind_of_rule, kinds_of_title
from shared.models.findings import Finding
from shared.patterns import regex


@dataclass(frozen=True)
class Defect:
    """A kind of finding: `quorate/ID`, how dangerous it is (CVSS, for security alone), and its tags."""

    id: str
    security_severity: float | None = None

    @property
    def rule_id(self) -> str:
        """What other programs know it by."""
        return f"quorate/{self.id}"

    @property
    def name(self) -> str:
        """The id in PascalCase."""
        return "".join(part.capitalize() for part in self.id.split("-"))

    @property
    def words(self) -> str:
        """The code of its words."""
        return f"defect_{self.id.replace('-', '_')}"

    @property
    def tags(self) -> tuple[str, ...]:
        """`security` where it is about that."""
        return ("security",) if self.security_severity is not None else ("quality",)


GENERAL = "general"
_DANGER: Mapping[str, float] = {
    "secret": 8.0,
    "deserialization": 8.1,
    "yaml-load": 8.1,
    "sql-injection": 9.1,
    "shell": 9.1,
    "eval": 9.1,
    "weak-hash": 5.9,
    "weak-random": 5.3,
    "tls-verification": 7.4,
    "unsafe-xml": 6.5,
    "telnet": 5.9,
    "ftp": 5.9,
    "all-interfaces": 5.3,
    "temporary-file": 4.7,
    "template-escaping": 6.1,
    "path-traversal": 7.5,
    "security": 7.0,
    "privacy": 6.5,
}
_CATEGORIES = (
    "security",
    "privacy",
    "concurrency",
    "performance",
    "reliability",
    "testing",
    "documentation",
    "compatibility",
    "dependencies",
    "typing",
    "correctness",
    "maintainability",
    "risk",
    "opportunity",
    "clinical",
)
DEFECTS: Mapping[str, Defect] = {
    name: Defect(name, _DANGER.get(name)) for name in (*KINDS, *_CATEGORIES, GENERAL)
}

# What a category is called in replies of models and by analysers, from the most telling word to the least.
_CALLED = {
    "security": r"secur|vulnerab|injection|auth|crypt|보안|취약",
    "privacy": r"privacy|personal data|\bpii\b|개인정보|프라이버시",
    "concurrency": r"concurren|race|thread|lock|동시성|경쟁 상태",
    "performance": r"perform|scalab|efficien|latency|memory|성능|확장성",
    "reliability": r"reliab|robust|error|exception|resilien|availab|안정성|신뢰성|오류 처리",
    "testing": r"\btest|coverage|테스트",
    "documentation": r"\bdoc|comment|문서|주석",
    "compatibility": r"compat|\bapi\b|portab|migration|호환",
    "dependencies": r"dependenc|import|package|의존성",
    "typing": r"\btyp(?:e|es|ing)\b|타입|자료형",
    "opportunity": r"opportunit|innovation|missed|기회",
    "risk": r"risk|assumption|feasib|cost|schedule|위험|가정|비용",
    "clinical": r"clinic|diagnos|treatment|medicat|laborator|dosage|patient|safety|진단|치료|투약|환자",
    "correctness": r"correct|logic|\bbug|defect|functional|edge.?case|정확|논리|버그|결함",
    "maintainability": r"maintain|readab|style|design|architect|complex|naming|duplicat|유지|가독|설계|구조|복잡",
}
_CATEGORY = {name: regex(rf"(?i:{words})") for name, words in _CALLED.items()}
_ANALYSERS = {"mypy": "typing", "pyright": "typing", "bandit": "security", "gosec": "security"}


def kind_of(finding: Finding) -> str | None:
    """The one kind of defect that its rules, else its title, name; None where they name none or several."""
    ruled = {kind for rule in finding.every_rule if (kind := kind_of_rule(rule)) is not None}
    named = ruled or kinds_of_title(finding.title)
    return next(iter(named)) if len(named) == 1 else None


def defect_of(finding: Finding) -> Defect:
    """The entry of the catalogue for a finding; whatever it says, there is one."""
    kind = kind_of(finding)
    if kind is not None:
        return DEFECTS[kind]
    analysers = (rule.partition("/")[0] for rule in finding.every_rule)
    by_analyser = next((_ANALYSERS[name] for name in analysers if name in _ANALYSERS), None)
    if by_analyser is not None:
        return DEFECTS[by_analyser]
    category = finding.category[:200]
    named = (name for name, words in _CATEGORY.items() if words.search(category))
    return DEFECTS[next(named, GENERAL)]
