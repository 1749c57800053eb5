"""How long runs are kept: the first rule that fits a run counts."""

from __future__ import annotations

from dataclasses import dataclass

BY_RULES = "retention"
"""Who purges where nobody typed it: the services, by the rules of the configuration."""


@dataclass(frozen=True)
class RetentionRule:
    """Runs of `workflow` that ended as `status` (None: any) are kept for `keep_s` after their end (None: for good)."""

    keep_s: float | None
    workflow: str | None = None
    status: str | None = None


@dataclass(frozen=True)
class Purged:
    """What a purge removed. `runs` counts child runs, too; `held` families were kept by a hold."""

    runs: int = 0
    batches: int = 0
    documents: int = 0
    held: int = 0

    def __add__(self, other: Purged) -> Purged:
        return Purged(
            self.runs + other.runs,
            self.batches + other.batches,
            self.documents + other.documents,
            self.held + other.held,
        )
