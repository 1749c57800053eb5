"""Structured discussions in short, and how the default detector judges them.

A case is rounds of turns in short: `"a: F1+ it crashes"` is critic a, who agrees to F1 for that reason; `+` agree, `~`
partial, `-` disagree, `<` withdraw, `?` abstain, nothing after it no reason. `author:` speaks in a rebuttal, `a!`
brought nothing, `lint*` computes. Findings are raised by those who are named: `F1 MAJOR a,b`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.consensus.convergence import ConvergenceRule, assess
from orchestrator.core.findings.stances import settle
from orchestrator.core.rounds import Contribution, RoundTaken, ledger_of
from shared.models.assessment import Assessment
from shared.models.findings import Finding, FindingStatus, Position, Severity, StatedStance
from shared.models.run import RulesVersion

SIGNS = {
    "+": Position.AGREE,
    "~": Position.PARTIAL,
    "-": Position.DISAGREE,
    "<": Position.WITHDRAW,
    "?": Position.ABSTAIN,
}
# Nobody repeats themselves: that would be another ending.
ON = ("", "reading it top down", "with a debugger", "drawing its states", "at night", "on a phone")
_STATED = re.compile(r"(F\d+)([-+~<?])\s*([^;]*)")


def varied(reason: str, number: int) -> str:
    substance = len(reason) > 9 and not reason.startswith("[")
    return f"{reason}. That was {ON[number]}" if substance else reason


def turn(text: str, number: int) -> Contribution:
    who, _, said = text.partition(":")
    name = who.strip("!* ")
    stances = tuple(
        StatedStance(finding=finding, position=SIGNS[sign], reason=varied(reason.strip(), number))
        for finding, sign, reason in _STATED.findall(said)
    )
    role = "rebuttal" if name == "author" else "critique"
    words = f"{name}: {ON[number]}"
    return Contribution(
        name, role, words, not who.endswith("!"), stances, computes=who.endswith("*")
    )


def finding(text: str) -> Finding:
    identity, severity, raisers, *since = text.split()
    return Finding(
        id=identity,
        title="A defect",
        detail="",
        severity=Severity(severity),
        category="general",
        raised_by=tuple(raisers.split(",")),
        raised_in_round=int(since[0]) if since else 1,
    )


@dataclass(frozen=True)
class Case:
    """`ending` None: the discussion goes on. `named` must be open; `settled` is what became of the findings."""

    findings: Sequence[str]
    rounds: Sequence[Sequence[str]]
    ending: str | None
    named: Sequence[str] = ()
    settled: Sequence[str] = ()
    quorum: int | None = None
    last: bool = False

    def taken(self) -> tuple[RoundTaken, ...]:
        return tuple(
            RoundTaken(number, "critique", tuple(turn(text, number) for text in texts))
            for number, texts in enumerate(self.rounds, start=1)
        )

    def judged(self, rules: RulesVersion = RulesVersion.EXAMINED) -> Assessment:
        rounds = self.taken()
        return assess(
            rounds,
            [finding(text) for text in self.findings],
            ledger_of(rounds),
            rule=ConvergenceRule(quorum=self.quorum, rules=rules),
            new_findings=0,
            is_last_round=self.last,
            over_budget=False,
        )

    def statuses(self) -> list[FindingStatus]:
        found = [finding(text) for text in self.findings]
        return [each.status for each in settle(found, ledger_of(self.taken()))]


def panel(size: int, said: str, *others: str) -> list[str]:
    """The others, and so many more critics who all say the same."""
    names = "abcdefghijkl"
    taken = {text.split(":")[0].strip("!* ") for text in others}
    rest = [name for name in names if name not in taken][: size - len(others)]
    return [*others, *(f"{name}: {said}" for name in rest)]
