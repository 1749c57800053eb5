"""What a panel found of each labelled case, counted.

A finding counts unless the panel rejected it. It is true when it names a label that no other finding names; a second
one for the same label is a repeat, which is no true finding and told apart. A case that did not come to an end, or
whose participants did not answer, is no measurement: it is counted as such, and in no figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.core.findings.ranking import foremost
from orchestrator.evaluation.cases import ExpectedFinding
from orchestrator.evaluation.matching import likeness, matched
from shared.models.findings import Finding, FindingStatus, Severity


class CaseState(StrEnum):
    """Whether a case can be counted: `measured` only can."""

    MEASURED = "measured"
    OPEN = "open"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True)
class ReadingRules:
    """Which findings count: the `first` N as a reader is shown them (None: all), and those as grave as `least`."""

    first: int | None = None
    least: Severity = Severity.INFO


@dataclass(frozen=True)
class SpentOnCase:
    """What a participant's calls for a case cost. `cost_usd` None: no price is known; `unknown` calls are not in it."""

    calls: int
    cost_usd: float | None
    unknown: int


@dataclass(frozen=True)
class JudgedFinding:
    """A finding as its run shows it: `likelihood` is the ranking's, `stated` the confidence of who raised it.

    `faint`: a reader of the first few is not shown it.
    """

    finding: Finding
    likelihood: float
    stated: Mapping[str, float] = field(default_factory=dict)
    faint: bool = False


@dataclass(frozen=True)
class CaseOutcome:
    """What a panel came to with one case; its findings in the order in which a reader sees them."""

    case: str
    run: str | None
    state: CaseState
    verdict: str | None = None
    findings: tuple[JudgedFinding, ...] = ()
    spent: Mapping[str, SpentOnCase] = field(default_factory=dict)
    seconds: float | None = None


@dataclass(frozen=True)
class CountedFinding:
    """A finding and the label that it names (its index); `repeats` one that a finding before it names, too."""

    judged: JudgedFinding
    label: int | None
    repeats: bool = False

    @property
    def true(self) -> bool:
        """Whether it counts as a true finding."""
        return self.label is not None and not self.repeats


@dataclass(frozen=True)
class ScoredCase:
    """A measured case: its counted findings, and which of its labels nobody named."""

    outcome: CaseOutcome
    expected: tuple[ExpectedFinding, ...]
    findings: tuple[CountedFinding, ...]
    missed: tuple[int, ...]

    @property
    def clean(self) -> bool:
        """Whether there was nothing to find."""
        return not self.expected

    @property
    def true(self) -> int:
        """How many findings name a label."""
        return sum(counted.true for counted in self.findings)

    @property
    def repeats(self) -> int:
        """How many name one that was named before."""
        return sum(counted.repeats for counted in self.findings)

    def of(self, participant: str) -> ScoredCase:
        """What this participant raised of it, alone."""
        own = [c.judged for c in self.findings if participant in c.judged.finding.raised_by]
        return _scored(self.outcome, self.expected, own)


def score(
    expected: Sequence[ExpectedFinding], outcome: CaseOutcome, rules: ReadingRules
) -> ScoredCase:
    """Count what a measured case came to."""
    counted = [judged for judged in outcome.findings if _counts(judged.finding, rules)]
    if rules.first is not None:
        counted = foremost(counted, rules.first)
    return _scored(outcome, tuple(expected), counted)


def _scored(
    outcome: CaseOutcome, expected: tuple[ExpectedFinding, ...], judged: Sequence[JudgedFinding]
) -> ScoredCase:
    pairs = matched(expected, [each.finding for each in judged])
    labels = {at: label for label, at in pairs.items()}
    counted = [
        CountedFinding(each, labels[at]) if at in labels else _unpaired(each, expected)
        for at, each in enumerate(judged)
    ]
    missed = tuple(label for label in range(len(expected)) if label not in pairs)
    return ScoredCase(outcome, expected, tuple(counted), missed)


def _unpaired(judged: JudgedFinding, expected: Sequence[ExpectedFinding]) -> CountedFinding:
    """A false alarm, or a repeat: there was no other finding to be had for a label that it names."""
    scores = [likeness(wanted, judged.finding) for wanted in expected]
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    if best is None or scores[best] <= 0:
        return CountedFinding(judged, None)
    return CountedFinding(judged, best, repeats=True)


def _counts(finding: Finding, rules: ReadingRules) -> bool:
    return (
        finding.status is not FindingStatus.REJECTED and finding.severity.rank <= rules.least.rank
    )
