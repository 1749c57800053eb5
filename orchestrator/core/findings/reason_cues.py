"""What a reason says of a claim that there is a defect, counted.

Decisive words speak of the claim ("the finding is wrong"), of what is said to be defective ("the code is fine"), of
the speaker ("I disagree") or of a defect ("not a bug", "must be fixed"). Others only point somewhere ("crashes",
"already handled"). "This is wrong" says neither: it may mean the code or the claim.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

AFFIRMS, DENIES, WEAKLY = "affirms", "denies", "weakly"
POINTS_FOR, POINTS_AGAINST = "points_for", "points_against"


@dataclass(frozen=True)
class ReasonCues:
    """How often a text speaks for a claim and against it, decisively or not. `weakly` is undone by any negation."""

    affirms: int = 0
    denies: int = 0
    weakly: int = 0
    points_for: int = 0
    points_against: int = 0
    negations: int = 0

    def __add__(self, other: ReasonCues) -> ReasonCues:
        sums = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
        }
        return ReasonCues(**sums)

    @property
    def anything(self) -> bool:
        """Whether it says anything of the claim."""
        return any((self.affirms, self.denies, self.weakly, self.points_for, self.points_against))

    @classmethod
    def of(cls, counts: Counter[str]) -> ReasonCues:
        """From how often each of its fields was met."""
        return cls(**counts)
