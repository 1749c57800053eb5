"""What one review knows: its case, what has been said, and what it ended with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.core.rounds import RoundTaken
from orchestrator.workflows.review.prompts import ReviewPrompts
from shared.models.assessment import Assessment
from shared.models.decision import Answer
from shared.models.findings import Finding, Stance
from shared.models.replies import Applied, CheckedFixes, Synthesis
from shared.models.run import ReviewOptions, RunSpec
from shared.models.subject import Subject


@dataclass(frozen=True)
class Case:
    """One review of one subject: the run's, or (from the second cycle on) that of an applied fix.

    `document` gives a stored document by its hash, as `Materials.document` does.
    """

    spec: RunSpec
    options: ReviewOptions
    prompts: ReviewPrompts
    subject: Subject
    subject_hash: str
    run: str
    document: Callable[[str], bytes] = field(compare=False, repr=False)
    cycle: int = 1

    def key(self, *parts: object) -> str:
        """A step's name, unique in the run."""
        cycle = () if self.cycle == 1 else (f"review{self.cycle}",)
        return "/".join(str(part) for part in (*cycle, *parts))

    @property
    def prefix(self) -> str:
        """What makes this review's findings unique in the run."""
        return "" if self.cycle == 1 else f"R{self.cycle}"

    def label(self, finding: str) -> str:
        """A finding's name in the whole run."""
        return self.prefix + finding


@dataclass(frozen=True)
class History:
    """What has been said so far, and what the panel made of it."""

    rounds: tuple[RoundTaken, ...] = ()
    texts: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()
    over_budget: bool = False


@dataclass(frozen=True)
class Result:
    """What one cycle ended with."""

    history: History
    synthesis: Synthesis
    synthesised_by: str
    fixes: CheckedFixes
    answer: Answer | None = None
    applied: Applied | None = None
    warnings: tuple[str, ...] = field(default=())
