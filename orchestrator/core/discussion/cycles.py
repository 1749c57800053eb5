"""Names in a run that goes through the same stages several times: reviews of fixes, versions of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.cycle_names import CycleName
from shared.models.findings import Finding


@dataclass(frozen=True)
class Cycle:
    """One time through the stages, counted from 1; from the second one on, its `kind` is in the steps' names."""

    kind: str
    number: int = 1

    def key(self, *parts: object) -> str:
        """A step's name, unique in the run: `critique/1/ada`, in the second cycle `review2/critique/1/ada`."""
        named = () if self.number == 1 else (f"{self.kind}{self.number}",)
        return "/".join(str(part) for part in (*named, *parts))

    @property
    def prefix(self) -> str:
        """What its findings' names begin with."""
        return CycleName(self.kind, self.number).prefix

    def label(self, finding: str) -> str:
        """A finding's name in the whole run."""
        return self.prefix + finding

    def labelled(self, finding: Finding) -> Finding:
        """The finding under that name."""
        return finding.model_copy(update={"id": self.label(finding.id)})
