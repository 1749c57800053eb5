"""Which rules the ruff participant selects, and how bad and of what kind each is: one table."""

from __future__ import annotations

from typing import NamedTuple

from shared.models.findings import Severity

UNPARSED = "invalid-syntax"


class RuleKind(NamedTuple):
    """How a family of rules is reported."""

    severity: Severity
    category: str


WRONG = RuleKind(Severity.MAJOR, "correctness")
SUSPECT = RuleKind(Severity.MINOR, "correctness")
UNTIDY = RuleKind(Severity.MINOR, "maintainability")
SLOW = RuleKind(Severity.MAJOR, "performance")
SLOWER = RuleKind(Severity.MINOR, "performance")
HARMFUL = RuleKind(Severity.MAJOR, "security")
STYLE = RuleKind(Severity.INFO, "style")
BROKEN = RuleKind(Severity.CRITICAL, "correctness")

# What is selected, and what it means. The longest prefix of a code wins.
RULES: dict[str, RuleKind] = {
    "E9": BROKEN,
    "F": SUSPECT,
    "F40": UNTIDY,
    "F404": WRONG,
    "F5": WRONG,
    "F541": STYLE,
    "F6": WRONG,
    "F7": WRONG,
    "F82": WRONG,
    "F84": UNTIDY,
    "E711": SUSPECT,
    "E712": STYLE,
    "E721": SUSPECT,
    "E722": SUSPECT,
    "W605": SUSPECT,
    "B": SUSPECT,
    "B006": WRONG,
    "B007": STYLE,
    "B009": STYLE,
    "B010": STYLE,
    "B012": WRONG,
    "B013": STYLE,
    "B014": UNTIDY,
    "B015": WRONG,
    "B018": WRONG,
    "B019": SLOW,
    "B020": WRONG,
    "B023": WRONG,
    "B025": WRONG,
    "B027": UNTIDY,
    "B029": WRONG,
    "B030": WRONG,
    "B031": WRONG,
    "B033": UNTIDY,
    "B035": WRONG,
    "B039": WRONG,
    "PLE": WRONG,
    "PLE25": HARMFUL,
    "PLR0124": WRONG,
    "PLR1704": SUSPECT,
    "PLR1708": WRONG,
    "PLW0120": UNTIDY,
    "PLW0127": SUSPECT,
    "PLW0128": SUSPECT,
    "PLW0129": WRONG,
    "PLW0131": SUSPECT,
    "PLW0133": WRONG,
    "PLW0177": WRONG,
    "PLW0211": SUSPECT,
    "PLW0245": WRONG,
    "PLW0406": SUSPECT,
    "PLW0711": WRONG,
    "PLW1501": WRONG,
    "PLW1507": SUSPECT,
    "PLW1508": SUSPECT,
    "PLW1509": SUSPECT,
    "PLW1510": STYLE,
    "PLW2101": WRONG,
    "RUF006": WRONG,
    "RUF008": WRONG,
    "RUF009": SUSPECT,
    "RUF016": WRONG,
    "RUF017": SLOWER,
    "RUF018": SUSPECT,
    "RUF024": WRONG,
    "RUF026": WRONG,
    "RUF030": SUSPECT,
    "RUF032": SUSPECT,
    "RUF033": WRONG,
    "RUF034": SUSPECT,
    "RUF040": WRONG,
    "RUF048": SUSPECT,
    "RUF049": WRONG,
    "RUF060": SUSPECT,
    "RUF064": WRONG,
    "ASYNC1": SUSPECT,
    "ASYNC2": SLOW,
    "T10": UNTIDY,
    "YTT": WRONG,
    "LOG": SUSPECT,
    "SIM115": SUSPECT,
    "SIM220": WRONG,
    "SIM221": WRONG,
    "SIM222": WRONG,
    "SIM223": WRONG,
}
# Right in principle, noise in a review: taste, framework idioms, versions that the change does not know.
IGNORED = (
    "ASYNC109",
    "B008",
    "B011",
    "B028",
    "B904",
    "B905",
    "B911",
    "B912",
    "LOG015",
    "F403",
    "F405",
)


def kind_of(code: str) -> RuleKind:
    """Severity and category of a rule, by the longest prefix in `RULES`."""
    if code == UNPARSED:
        return BROKEN
    prefixes = (code[:size] for size in range(len(code), 0, -1))
    return next((RULES[prefix] for prefix in prefixes if prefix in RULES), UNTIDY)
