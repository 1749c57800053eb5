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
_CODES: dict[RuleKind, str] = {
    BROKEN: "E9",
    SUSPECT: (
        "ASYNC1 B E711 E721 E722 F LOG PLR1704 PLW0127 PLW0128 PLW0131 PLW0211 PLW0406 PLW1507 "
        "PLW1508 PLW1509 RUF009 RUF018 RUF030 RUF032 RUF034 RUF048 RUF060 SIM115 W605"
    ),
    UNTIDY: "B014 B027 B033 F40 F84 PLW0120 T10",
    WRONG: (
        "B006 B012 B015 B018 B020 B023 B025 B029 B030 B031 B035 B039 F404 F5 F6 F7 F82 PLE "
        "PLR0124 PLR1708 PLW0129 PLW0133 PLW0177 PLW0245 PLW0711 PLW1501 PLW2101 RUF006 RUF008 "
        "RUF016 RUF024 RUF026 RUF033 RUF040 RUF049 RUF064 SIM220 SIM221 SIM222 SIM223 YTT"
    ),
    STYLE: "B007 B009 B010 B013 E712 F541 PLW1510",
    SLOW: "ASYNC2 B019",
    HARMFUL: "PLE25",
    SLOWER: "RUF017",
}
RULES = {code: kind for kind, codes in _CODES.items() for code in codes.split()}
# Right in principle, noise in a review: taste, framework idioms, versions that the change does not know.
IGNORED = tuple("ASYNC109 B008 B011 B028 B904 B905 B911 B912 LOG015 F403 F405".split())


def kind_of(code: str) -> RuleKind:
    """Severity and category of a rule, by the longest prefix in `RULES`."""
    if code == UNPARSED:
        return BROKEN
    prefixes = (code[:size] for size in range(len(code), 0, -1))
    return next((RULES[prefix] for prefix in prefixes if prefix in RULES), UNTIDY)
